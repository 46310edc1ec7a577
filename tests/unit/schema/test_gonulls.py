"""Empty lists that a stored object has no more."""

from __future__ import annotations

from quarterdeck.apiextensions.types import JSON_SCHEMA_PROPS
from quarterdeck.schema import gonulls, gotypes


def test_empty_lists_that_are_always_written_are_null_once_stored() -> None:
    nulls = gonulls.find(gotypes.struct_of("storage.k8s.io/v1", "CSINode"))
    full = {"spec": {"drivers": [{"name": "a", "topologyKeys": ["k"]}]}}
    assert gonulls.put_nulls(full, nulls) is full
    assert gonulls.put_nulls({"spec": {"drivers": []}}, nulls) == {"spec": {"drivers": None}}
    mixed = {"spec": {"drivers": [{"name": "a", "topologyKeys": []}, *full["spec"]["drivers"]]}}
    made = gonulls.put_nulls(mixed, nulls)
    assert made["spec"]["drivers"] == [{"name": "a", "topologyKeys": None}, *full["spec"]["drivers"]]
    assert mixed["spec"]["drivers"][0]["topologyKeys"] == []  # the object that was sent stays


def test_what_is_neither_a_schema_nor_schemas_is_not_stored() -> None:
    string = {"type": "string"}
    kept = {"items": string, "required": [], "additionalProperties": False, "default": [], "not": {"items": string}}
    schema = {"properties": {"a": {"items": None, "x": {"items": []}}, "b": {"items": []}, "c": {"items": [string]}}}
    made = gonulls.drop_void({**kept, **schema}, JSON_SCHEMA_PROPS)
    assert made == {**kept, "properties": {"a": {"x": {"items": []}}, "b": {}, "c": {"items": [string]}}}
