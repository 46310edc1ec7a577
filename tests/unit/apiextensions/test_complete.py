"""What a definition lacks that no API server has stored."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.apiextensions.complete import complete

VERSION = {"name": "v1", "served": True, "storage": True, "schema": None}
WHOLE = {
    "metadata": {"name": "a"},
    "spec": {"group": "g", "scope": "Cluster", "names": {"plural": "as", "kind": "A"}, "versions": [VERSION]},
    "status": {"conditions": []},
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["group", "scope", "names", "versions", "plural", "kind", "name", "served", "storage", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


def test_what_is_whole_is_left_alone() -> None:
    assert complete(WHOLE) is WHOLE


@pytest.mark.parametrize("status", [{}, {"status": None}, {"status": 1}])
def test_what_is_there_stays(status: dict[str, Any]) -> None:
    given = {"metadata": {"name": "a"}, "spec": {"group": "g", "versions": [{"name": "v1", "x": 1}], "y": 2}, **status}
    assert complete(given) == {
        "metadata": {"name": "a"},
        "spec": {
            "group": "g",
            "scope": "",
            "names": {"plural": "", "kind": ""},
            "versions": [{"name": "v1", "x": 1, "served": False, "storage": False}],
            "y": 2,
        },
        "status": {},
    }


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES)
def test_whatever_is_stored_has_what_is_looked_at(spec: object, status: object) -> None:
    found = complete({"metadata": {"name": "a"}, "spec": spec, "status": status})
    assert isinstance(found["status"], dict)
    names = found["spec"]["names"]
    assert all(isinstance(text, str) for text in (found["spec"]["group"], names["plural"], names["kind"]))
    for version in found["spec"]["versions"]:
        assert isinstance(version["name"], str)
        assert isinstance(version["served"], bool)
        assert isinstance(version["storage"], bool)
    assert complete(found) is found
