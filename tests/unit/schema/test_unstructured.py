"""The result of a strategic merge patch as a Go struct: what fits, what is cut, and upstream's words for the rest."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.schema import unstructured
from quarterdeck.schema.gotype import (
    BOOL,
    BYTES,
    FLOAT,
    INT32,
    INT64,
    INT_OR_STRING,
    QUANTITY,
    STRING,
    TIME,
    Field,
    ListOf,
    MapOf,
    Scalar,
    Struct,
    Union,
)

_INNER = Struct("Inner", {"n": Field(INT32)})
_STRUCT = Struct(
    "Outer",
    {
        "n": Field(INT32),
        "long": Field(INT64),
        "x": Field(FLOAT),
        "s": Field(STRING),
        "u": Field(Scalar("types.UID", "string")),
        "b": Field(BOOL),
        "raw": Field(BYTES),
        "t": Field(TIME),
        "q": Field(QUANTITY),
        "either": Field(INT_OR_STRING),
        "list": Field(ListOf(_INNER)),
        "map": Field(MapOf(STRING)),
        "in": Field(_INNER, pointer=True),
        "or": Field(Union(_INNER, list_of=_INNER)),
        "flag": Field(Union(_INNER, or_bool=True)),
    },
)


@pytest.mark.parametrize(
    "value, fitted",
    [
        ({"n": 3.0}, {"n": 3}),
        ({"n": 2**31}, {"n": -(2**31)}),
        ({"long": 2**31}, {"long": 2**31}),
        ({"n": 1e20, "long": 1e20}, {"n": 0, "long": -(2**63)}),
        ({"n": -(10**20), "long": 10**20}, {"n": 0, "long": -(2**63)}),
        ({"x": 3}, {"x": 3}),
        ({"list": [{"n": 1.0}, None]}, {"list": [{"n": 1}, None]}),
        ({"map": {"a": None}}, {"map": {"a": None}}),
        ({"raw": "YQ=="}, {"raw": "YQ=="}),
        ({"raw": [97, None, 256 + 98, 99.0]}, {"raw": "YQBiYw=="}),
        ({"raw": []}, {"raw": ""}),
        ({"unknown": [1]}, {"unknown": [1]}),
        ({"either": "x", "in": None}, {"either": "x", "in": None}),
        ({"either": 3.0}, {"either": 3}),
        ({"or": "x", "flag": False}, {"or": "x", "flag": False}),
    ],
)
def test_what_fits_becomes_what_the_field_holds(value: dict[str, Any], fitted: dict[str, Any]) -> None:
    unstructured.fit_object(value, _STRUCT)
    assert value == fitted
    assert all(type(value[name]) is type(fitted[name]) for name in fitted)


@pytest.mark.parametrize(
    "value, text",
    [
        ({"n": "3"}, "unrecognized type: int32"),
        ({"n": 3.5}, "cannot convert float64 to int32"),
        ({"n": True}, "unrecognized type: int32"),
        ({"x": "3"}, "unrecognized type: float64"),
        ({"s": 3}, "cannot convert int64 to string"),
        ({"s": 3.5}, "unrecognized type: string"),
        ({"u": 3}, "cannot convert int64 to types.UID"),
        ({"b": "true"}, "unrecognized type: bool"),
        ({"raw": 1}, "cannot restore slice from int64"),
        ({"raw": ["a"]}, "unrecognized type: uint8"),
        ({"raw": [1.5]}, "cannot convert float64 to uint8"),
        ({"raw": "!"}, "error decoding from json: illegal base64 data at input byte 0"),
        ({"t": 5}, "json: cannot unmarshal number into Go value of type string"),
        ({"either": 1e20}, "json: cannot unmarshal number 100000000000000000000 into Go value of type int32"),
        ({"either": 1e21}, "json: cannot unmarshal number 1e+21 into Go value of type int32"),
        ({"either": 1.5}, "json: cannot unmarshal number 1.5 into Go value of type int32"),
        ({"list": {}}, "cannot restore slice from map"),
        ({"list": ["x"]}, "cannot restore struct from: string"),
        ({"map": []}, "cannot restore map from slice"),
        ({"in": True}, "cannot restore struct from: bool"),
        ({"metadata": {"labels": {"a": 1}}}, "cannot convert int64 to string"),
        ({"metadata": {"ownerReferences": [{"uid": []}]}}, "unrecognized type: string"),
        ({"kind": 1}, "cannot convert int64 to string"),
        ({"or": {"n": "x"}}, "json: cannot unmarshal string into Go struct field Inner.n of type int32"),
        ({"or": [{"n": "x"}]}, "json: cannot unmarshal string into Go struct field Inner.n of type int32"),
        ({"or": ["x"]}, "json: cannot unmarshal string into Go value of type v1.Inner"),
        ({"flag": "x"}, "boolean or JSON schema expected"),
    ],
)
def test_what_does_not_fit_is_told_in_the_words_of_the_converter(value: dict[str, Any], text: str) -> None:
    with pytest.raises(unstructured.DecodeError) as caught:
        unstructured.fit_object(value, _STRUCT)
    assert str(caught.value) == text


def test_unknown_fields_are_told_by_paths_without_the_names_in_maps() -> None:
    struct = Struct("S", {"spec": Field(Struct("Spec", {"m": Field(MapOf(_INNER)), "l": Field(ListOf(_INNER))}))})
    obj = {
        "kind": "S",
        "odd": 1,
        "metadata": {"name": "x", "odd": {}, "ownerReferences": [{"odd": 1}]},
        "spec": {"m": {"a": {"odd": 1}}, "l": [{"n": 1}, {"odd": None}]},
    }
    assert sorted(unstructured.fit_object(obj, struct)) == [
        "metadata.odd",
        "metadata.ownerReferences[0].odd",
        "odd",
        "spec.l[1].odd",
        "spec.m.odd",
    ]


def test_values_that_nest_deeper_than_the_walk_goes_are_left_alone() -> None:
    fields: dict[str, Field] = {}
    node = Struct("Node", fields)
    fields["next"] = Field(node)
    value: dict[str, Any] = {"next": "no struct"}
    for _ in range(500):
        value = {"next": value}
    unstructured.fit_object(value, node)
