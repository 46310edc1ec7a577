"""One look at a schema spares the checks of it: where it finds nothing to object to, none of them objects.

A schema whose root is nullable is always checked in full, so both ways can be compared: it is refused for that, and
else for the same as without.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import jsoncut
from quarterdeck._kernels.schemasurvey import Survey
from quarterdeck.apiextensions.validation.formats import unknown_format_warnings
from quarterdeck.apiextensions.validation.schemas import validate_schema
from quarterdeck.apimachinery.codec import json as json_codec

TYPES = ["string", "integer", "number", "boolean", "object", "array"]
IN_JUNCTORS = ("allOf", "anyOf", "oneOf")
EITHER = [{"type": "integer"}, {"type": "string"}]
RULE = {"rule": "self == oldSelf"}
NAMES = st.sampled_from(["a", "b", "metadata", "kind", "apiVersion", "default"])

# What a schema may say beside its type and the schemas in it; nearly always a little of it.
SAID: dict[str, st.SearchStrategy[Any]] = {
    "description": st.just("d"),
    "title": st.just("t"),
    "format": st.sampled_from(["date", "odd"]),
    "nullable": st.booleans(),
    "default": st.sampled_from([1, "a", {}, [], {"a": 1}, None]),
    "enum": st.just(["a"]),
    "pattern": st.sampled_from(["^a", "(", ""]),
    "maxLength": st.just(3),
    "required": st.sampled_from([["a"], ["b"]]),
    "uniqueItems": st.booleans(),
    "example": st.just({"x": 1}),
    "x-kubernetes-preserve-unknown-fields": st.booleans(),
    "x-kubernetes-embedded-resource": st.booleans(),
    "x-kubernetes-int-or-string": st.booleans(),
    "x-kubernetes-list-type": st.sampled_from(["set", "map", "atomic", "odd"]),
    "x-kubernetes-list-map-keys": st.sampled_from([["a"], ["a", "a"], []]),
    "x-kubernetes-map-type": st.sampled_from(["atomic", "granular", "odd"]),
    "x-kubernetes-validations": st.sampled_from([[], [RULE], [{"rule": ""}], [{"rule": "odd("}]]),
    "$ref": st.sampled_from(["", "#/a"]),
    "definitions": st.just({"a": {"type": "string"}}),
    "dependencies": st.just({"a": ["b"]}),
}


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    """Mostly in order: with a type that suits the schemas in it."""
    kind = draw(st.sampled_from(TYPES if depth else TYPES[:4]))
    schema: dict[str, Any] = {"type": kind}
    if kind == "object":
        if draw(st.booleans()):
            schema["properties"] = draw(st.dictionaries(NAMES, schemas(depth - 1), max_size=3))
        elif draw(st.booleans()):
            schema["additionalProperties"] = draw(st.one_of(st.booleans(), schemas(depth - 1)))
    elif kind == "array" and draw(st.integers(0, 9)):
        schema["items"] = draw(schemas(depth - 1))
    for name in draw(st.lists(st.sampled_from(sorted(SAID)), max_size=2)):
        schema[name] = draw(SAID[name])
    if not draw(st.integers(0, 9)):
        del schema["type"]
    if depth and not draw(st.integers(0, 5)):
        schema[draw(st.sampled_from([*IN_JUNCTORS, "not"]))] = draw(clauses(depth - 1))
        if not isinstance(schema.get("not", {}), dict):
            schema["not"] = schema["not"][0]
    if not draw(st.integers(0, 5)):
        schema |= {"x-kubernetes-int-or-string": True, "anyOf": copy.deepcopy(EITHER)}
        schema.pop("type", None)
    return schema


@st.composite
def clauses(draw: st.DrawFn, depth: int) -> list[dict[str, Any]]:
    made = []
    for schema in draw(st.lists(schemas(depth), min_size=1, max_size=2)):
        if draw(st.integers(0, 3)):
            schema = {name: value for name, value in schema.items() if name in ("properties", "pattern", "enum")}
        made.append(schema)
    return [{"anyOf": copy.deepcopy(EITHER)}, *made] if not draw(st.integers(0, 5)) else made


@st.composite
def roots(draw: st.DrawFn) -> dict[str, Any]:
    properties = draw(st.dictionaries(NAMES, schemas(), min_size=1, max_size=3))
    root = {"type": "object", "properties": properties}
    if not draw(st.integers(0, 4)):
        name = draw(st.sampled_from([*IN_JUNCTORS, "not"]))
        clause = {"properties": {draw(NAMES): draw(st.sampled_from([{}, {"enum": ["a"]}]))}}
        root[name] = clause if name == "not" else [clause]
    return root | draw(schemas(0)) | {"type": "object"} if not draw(st.integers(0, 9)) else root


def told(schema: dict[str, Any]) -> list[tuple[Any, ...]]:
    found = validate_schema(schema, "schema", has_status=False)
    return [(each.type, each.path, str(each.bad_value), each.detail) for each in found]


@settings(max_examples=1500)
@given(roots())
def test_a_schema_that_is_passed_over_is_one_that_no_check_objects_to(root: dict[str, Any]) -> None:
    root.pop("nullable", None)
    before = copy.deepcopy(root)
    refusal, *others = told({**root, "nullable": True})
    assert refusal[1] == "schema.nullable"
    assert told(root) == others
    assert root == before


def test_ordinary_schemas_are_passed_over() -> None:
    either = {"x-kubernetes-int-or-string": True, "anyOf": EITHER, "pattern": "^[0-9]+$"}
    keyed = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    schema = {
        "type": "object",
        "x-kubernetes-validations": [RULE],
        "properties": {
            "metadata": {"type": "object"},
            "kind": {"type": "string"},
            "a": {"type": "string", "default": "x", "description": "d", "title": "t", "nullable": True},
            "b": either,
            "c": {"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": EITHER}, {"pattern": "a"}]},
            "d": {
                "type": "array", "items": keyed,
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"],
            },
            "e": {"type": "object", "additionalProperties": either},
            "f": {"type": "object", "oneOf": [{"required": ["a"]}, {"not": {"properties": {"a": {"enum": [1]}}}}]},
            "g": {"x-kubernetes-preserve-unknown-fields": True},
        },
    }  # fmt: skip
    survey = Survey(schema)
    assert survey.is_ordinary
    assert survey.patterns == {"^[0-9]+$", "a"}
    assert sorted(survey.merging, key=len) == sorted([schema, schema["properties"]["d"]], key=len)
    assert survey.defaults == [schema["properties"]["a"]]


TEXT = {"type": "string"}
WITHIN = [
    {"type": "null"},
    {},
    {"type": ""},
    {"type": "array"},
    {"type": "array", "items": [TEXT]},
    {"type": "array", "items": []},
    {"type": "object", "properties": {"a": TEXT}, "additionalProperties": TEXT},
    {"type": "object", "properties": {"a": TEXT}, "additionalProperties": False},
    {"type": "object", "x-kubernetes-preserve-unknown-fields": False},
    {"x-kubernetes-int-or-string": True, "x-kubernetes-preserve-unknown-fields": True},
    {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"a": TEXT}},
    {"type": "array", "items": TEXT, "uniqueItems": True},
    {"x-kubernetes-int-or-string": True, "anyOf": [TEXT, {"type": "integer"}]},
    {"type": "object", "definitions": {"a": TEXT}},
    {"type": "object", "patternProperties": {"a": TEXT}},
    {"type": "object", "dependencies": {"a": ["b"]}},
    {"type": "object", "additionalItems": TEXT},
    {"type": "string", "$ref": "#/a"},
    {"type": "string", "$schema": "s"},
    {"type": "string", "id": "i"},
    {"type": "string", "x-kubernetes-odd": True},
    {"type": "string", "maxLength": None},
]
IN_A_JUNCTOR = [
    {"type": "string"},
    {"title": "t"},
    {"description": "d"},
    {"nullable": True},
    {"default": 1},
    {"additionalProperties": TEXT},
    {"additionalProperties": True},
    {"properties": {"metadata": {}}},
    {"properties": {"a": TEXT}},
    {"items": {"nullable": True}},
    {"not": {"title": "t"}},
    {"allOf": [{"anyOf": EITHER}]},
    {"x-kubernetes-preserve-unknown-fields": True},
    {"x-kubernetes-embedded-resource": True},
    {"x-kubernetes-int-or-string": True},
    {"x-kubernetes-list-type": "set"},
    {"x-kubernetes-list-map-keys": ["a"]},
    {"x-kubernetes-map-type": "atomic"},
    {"x-kubernetes-validations": [RULE]},
]
AT_THE_ROOT = [
    {"allOf": [{"required": ["a"]}]},
    {"anyOf": [{"required": ["a"]}]},
    {"oneOf": [{"required": ["a"]}]},
    {"not": {"required": ["a"]}},
    {"properties": {"metadata": {"type": "object", "default": {}}}},
    {"properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "default": "a"}}}}},
    {"properties": {"metadata": {"type": "object", "additionalProperties": {"type": "string", "default": "a"}}}},
    {"properties": {"kind": {"type": "string", "default": "a"}}},
]


def odd_schemas() -> Iterator[dict[str, Any]]:
    yield from AT_THE_ROOT
    for odd in WITHIN:
        yield {"properties": {"a": odd}}
        yield {"properties": {"a": {"type": "array", "items": odd}}}
        yield {"properties": {"a": {"type": "object", "additionalProperties": odd}}}
    for odd in IN_A_JUNCTOR:
        for name in IN_JUNCTORS:
            yield {"properties": {"a": {"type": "object", name: [{"required": ["a"]}, odd]}}}
        yield {"properties": {"a": {"type": "object", "not": odd}}}
        yield {"properties": {"a": {"type": "object", "oneOf": [{"not": {"properties": {"b": odd}}}]}}}


@pytest.mark.parametrize("odd", list(odd_schemas()))
def test_what_a_check_may_object_to_is_not_passed_over(odd: dict[str, Any]) -> None:
    assert not Survey({"type": "object", **odd}).is_ordinary


@given(roots())
def test_rules_and_defaults_are_found_wherever_they_stand(root: dict[str, Any]) -> None:
    every, outside = list(walk(root, IN_JUNCTORS)), list(walk(root, ()))
    has_rules = any(schema.get("x-kubernetes-validations") for schema in every)
    has_defaults = any(schema.get("default") is not None for schema in outside)
    assert Survey(root).has_rules == has_rules
    assert jsoncut.rules_and_defaults(json_codec.encode(root)) == (has_rules, has_defaults)


def walk(schema: Any, junctors: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict):
        return
    yield schema
    within = [schema.get(name) for name in ("items", "additionalProperties", *(["not"] if junctors else []))]
    within += (schema.get("properties") or {}).values()
    for name in junctors:
        within += schema.get(name) or []
    for each in within:
        yield from walk(each, junctors)


@given(roots())
def test_formats_that_nobody_knows_are_told_of(root: dict[str, Any]) -> None:
    unknown = {each["format"] for each in walk(root, IN_JUNCTORS) if each.get("format") == "odd"}
    version = {"name": "v1", "schema": {"openAPIV3Schema": root}}
    found = unknown_format_warnings({"spec": {"versions": [version]}}, None)
    assert {text for text in found if '"odd"' in text} == {f'unrecognized format "{name}"' for name in unknown}
