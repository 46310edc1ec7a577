"""Which decoded values are the same to Go's semantic equality."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.schema import gosame
from quarterdeck.schema.gotype import ANY, INT32, QUANTITY, STRING, Field, ListOf, MapOf, Struct

_INNER = Struct("Inner", {"q": Field(QUANTITY, pointer=True), "n": Field(INT32)})
_STRUCT = Struct(
    "Outer",
    {
        "s": Field(STRING),
        "amounts": Field(MapOf(QUANTITY)),
        "list": Field(ListOf(_INNER)),
        "in": Field(_INNER),
        "to": Field(_INNER, pointer=True),
        "any": Field(ANY),
    },
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"amounts": {"a": "1Gi", "b": "1"}}, {"amounts": {"a": "1073741824", "b": "1e0"}}),
        ({"list": [{"q": "100m", "n": 1}]}, {"list": [{"q": "100e-3", "n": 1}]}),
        ({"to": {"q": "1k"}, "s": "x"}, {"to": {"q": "1e3"}, "s": "x"}),
        ({"amounts": {}, "list": []}, {}),
        ({"in": {}}, {}),
        ({"in": None, "list": None}, {"amounts": None}),
    ],
)
def test_amounts_are_compared_and_what_is_empty_is_absent(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert gosame.same(one, other, _STRUCT)
    assert gosame.same(other, one, _STRUCT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"amounts": {"a": "1Gi"}}, {"amounts": {"a": "1G"}}),
        ({"amounts": {"a": "1"}}, {"amounts": {"b": "1"}}),
        ({"list": [{"n": 1}]}, {"list": [{"n": 1}, {"n": 1}]}),
        ({"list": [{"q": "1"}]}, {"list": [{}]}),
        ({"s": "1Gi"}, {"s": "1073741824"}),
        ({"any": "1Gi"}, {"any": "1073741824"}),
        ({"any": []}, {}),
        ({"to": {}}, {}),
        ({"to": {}}, {"to": None}),
        ({"other": "1Gi"}, {"other": "1073741824"}),
    ],
)
def test_what_differs(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert not gosame.same(one, other, _STRUCT)
    assert not gosame.same(other, one, _STRUCT)
