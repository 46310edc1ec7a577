"""Parts of a document as they are written mean what the decoded document holds there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.apimachinery.codec import rawjson

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
DOCUMENTS = st.recursive(SCALARS, lambda below: st.lists(below) | st.dictionaries(st.text(), below), max_leaves=20)
STYLES = st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])


def places(value: Any, path: tuple[str | int, ...] = ()) -> Any:
    yield path, value
    below: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in below:
        yield from places(child, (*path, step))


@given(DOCUMENTS, STYLES, st.sampled_from(["", " ", "\n\t"]))
def test_each_part_is_found(document: Any, style: dict[str, Any], blank: str) -> None:
    data = (blank + json.dumps(document, **style) + blank).encode("utf-8", "surrogatepass")
    for path, value in places(document):
        text = rawjson.find(data, *path)
        assert text is not None
        assert text == text.strip()
        assert text in data
        assert json.loads(text) == value


@pytest.mark.parametrize(
    ("document", "path", "text"),
    [
        ('{"a": {"b" : [1, { "c":2 } ]}}', ("a", "b", 1), '{ "c":2 }'),
        ('{"a": 1, "a": [ 2 ]}', ("a",), "[ 2 ]"),
        ('{"\\u0061": "}\\"]"}', ("a",), '"}\\"]"'),
        ('{"a": 1}', ("b",), None),
        ("[1]", (1,), None),
        ("[1]", ("a",), None),
        ('{"0": 1}', (0,), None),
        ("{}", ("a",), None),
        ("5", ("a",), None),
    ],
)
def test_what_is_written(document: str, path: tuple[str | int, ...], text: str | None) -> None:
    found = rawjson.find(document.encode(), *path)
    assert (found if found is None else found.decode()) == text
