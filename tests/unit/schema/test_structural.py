"""Which schemas are structural, and how the others are refused: held against what was recorded for CRDs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apiextensions.validation.defaults import validate_defaults
from quarterdeck.schema import structural

CRD = Path(__file__).parents[2] / "golden" / "crd"
DEFAULTING = Path(__file__).parents[2] / "golden" / "defaulting"
PATH = "spec.validation.openAPIV3Schema"
NAMES = (
    "structural-forbidden-in-junctors",
    "structural-completeness",
    "metadata-restrictions",
    "int-or-string",
    "embedded-resource",
    "schema-required",
    "pattern-and-format",
    "additional-properties",
)
# Refused before the question is whether the schema is structural.
OTHERS = (
    "mutual exclusive",
    "must not be set in top-level",
    "must not be used inside of resource meta",
    "must not be set inside additionalProperties",
    "is specified",
    "is non-empty",
    "this property is in x-kubernetes-list-map-keys",
)


def schemas_of(path: Path) -> list[tuple[Any, list[tuple[str, str]]]]:
    recording = json.loads(path.read_text())
    steps = [s for s in recording["scenario"]["steps"] if not s.get("unrecorded") and "sleep" not in s]
    found = []
    for step, answer in zip(steps, recording["answers"], strict=True):
        versions = ((step.get("body") or {}).get("spec") or {}).get("versions") or []
        schema = (versions[0].get("schema") or {}).get("openAPIV3Schema") if len(versions) == 1 else None
        if step.get("method") == "POST" and isinstance(schema, dict):
            causes = (answer["body"].get("details") or {}).get("causes") or [] if answer["code"] == 422 else []
            found.append((schema, [(cause["field"], cause["message"]) for cause in causes]))
    return found


def ours(causes: list[tuple[str, str]]) -> set[tuple[str, str]]:
    return {cause for cause in causes if not any(words in cause[0] + cause[1] for words in OTHERS)}


@pytest.mark.parametrize("name", NAMES)
def test_recorded_definitions(name: str) -> None:
    compared = 0
    for schema, causes in schemas_of(CRD / f"{name}.json"):
        _, errors = structural.parse(schema, PATH)
        assert {(error.path, error.body()) for error in errors} == ours(causes), schema
        compared += 1
    assert compared


@pytest.mark.parametrize(
    "path", [DEFAULTING / "refused-by-crd-validation.json", CRD / "default-does-not-validate.json"]
)
def test_recorded_defaults(path: Path) -> None:
    for schema, causes in schemas_of(path):
        parsed, errors = structural.parse(schema, PATH)
        if "x-kubernetes-validations" in json.dumps(schema):
            continue
        if parsed is not None:
            errors = validate_defaults(schema, PATH)
        assert {(error.path, error.body()) for error in errors} == ours(causes), schema


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"$schema": "x"}, "OpenAPIV3Schema 'schema' is not supported"),
        ({"properties": {"a": {"$ref": "#/x"}}}, "OpenAPIV3Schema '$ref' is not supported"),
        ({"items": [{"type": "string"}]}, "OpenAPIV3Schema 'items' must be a schema, but is an array"),
        (
            {"allOf": [{structural.PRESERVE: False}]},
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
        ),
        # Of several reasons, that in a junctor comes before the rest of its schema, and `not` before other junctors.
        ({"items": [{}], "oneOf": [{"items": {"id": "x"}}]}, "OpenAPIV3Schema 'id' is not supported"),
        ({"allOf": [{"id": "x"}], "not": {"$schema": "x"}}, "OpenAPIV3Schema 'schema' is not supported"),
        (
            {"additionalProperties": {"id": "x"}, "properties": {"a": {"$ref": "x"}}},
            "OpenAPIV3Schema '$ref' is not supported",
        ),
    ],
)
def test_what_cannot_be_read_as_structural(schema: Any, text: str) -> None:
    parsed, (error,) = structural.parse(schema, "s")
    assert parsed is None
    assert str(error) == f's: Invalid value: "": {text}'


def test_deep_schemas_are_parsed() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(4000):
        schema = {"type": "object", "properties": {"a": schema}, "allOf": [{"required": ["a"]}]}
    parsed, errors = structural.parse(schema, "s")
    assert parsed is not None
    assert errors == []
    nested: dict[str, Any] = {"minimum": 1}
    for _ in range(4000):
        nested = {"allOf": [nested]}
    assert structural.parse({"type": "object", **nested}, "s")[1] == []


def test_an_empty_list_of_items_says_nothing() -> None:
    metadata = {"type": "object", "items": []}
    assert not structural.parse({"type": "object", "properties": {"metadata": metadata}}, "s")[1]
    clauses = [{"type": "integer", "items": []}, {"type": "string"}]
    number = {structural.INT_OR_STRING: True, "anyOf": clauses}
    assert not structural.parse({"type": "object", "properties": {"a": number}}, "s")[1]
