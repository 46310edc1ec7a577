"""In which order several faults of a definition are told."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.unit.apiextensions.test_definition_rules import decode, definition, version

from quarterdeck.apiextensions.strategy import DefinitionStrategy

STRATEGY = DefinitionStrategy()
BAD_KEY = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["gone"]}


def paths(body: dict[str, Any]) -> list[str]:
    obj = decode(body)
    STRATEGY.prepare_for_create(obj)
    problems = STRATEGY.validate(obj, [])
    assert isinstance(problems, list)
    return [problem.path for problem in problems]


def schema_paths(schema: dict[str, Any]) -> list[str]:
    root = {"type": "object", "properties": {"f": schema}}
    found = paths(definition(version(schema={"openAPIV3Schema": root})))
    return [re.sub(r"^spec\.validation\.openAPIV3Schema\.properties\[f\]\.?", "", path) for path in found]


def test_names_come_before_what_all_versions_have_in_common() -> None:
    bad = {"openAPIV3Schema": {"type": "object", "nullable": True}}
    names = {"plural": "widgets", "singular": "widget", "kind": "W_"}
    assert paths(definition(version(schema=bad), names=names)) == [
        "spec.names.kind",
        "spec.names.listKind",
        "spec.validation.openAPIV3Schema.nullable",
    ]


def test_each_version_is_told_whole_before_the_next_and_before_names() -> None:
    bad = {"openAPIV3Schema": {"type": "object", "nullable": True}}
    versions = (version("v1", schema=bad), version("V_2"), version("v3", storage=True))
    assert paths(definition(*versions, names={"plural": "widgets", "kind": "W_"})) == [
        "spec.versions[0].schema.openAPIV3Schema.nullable",
        "spec.versions[1].name",
        "spec.versions",
        "spec.names.singular",
        "spec.names.kind",
        "spec.names.listKind",
        "status.storedVersions",
    ]


def test_categories_come_after_the_kinds_are_compared() -> None:
    names = {
        "plural": "widgets",
        "singular": "widget",
        "kind": "K",
        "listKind": "K",
        "shortNames": ["S_"],
        "categories": ["C_"],
    }
    assert paths(definition(names=names)) == [
        "spec.names.shortNames[0]",
        "spec.names.listKind",
        "spec.names.categories[0]",
    ]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        # How a list merges is told after what is wrong within it.
        (
            {**BAD_KEY, "items": {"type": "object", "properties": {"a": {"type": "nope"}}}},
            ["items.properties[a].type", "x-kubernetes-list-map-keys"],
        ),
        ({"type": "odd", "id": "x", "default": 1}, ["type", "id"]),
        (
            {"type": "object", "allOf": [{"id": "1"}, {"id": "2"}], "oneOf": [{"id": "3"}], "anyOf": [{"id": "4"}]},
            ["allOf[0].id", "allOf[1].id", "oneOf[0].id", "anyOf[0].id"],
        ),
        (
            {
                "type": "object",
                "dependencies": {"d": {"id": "1"}},
                "definitions": {"e": {"id": "2"}},
                "not": {"id": "3"},
                "x-kubernetes-map-type": "odd",
            },
            [
                "definitions",
                "dependencies",
                "not.id",
                "definitions[e].id",
                "dependencies[d].id",
                "x-kubernetes-map-type",
            ],
        ),
    ],
)
def test_schemas_are_told_from_the_outside_in_and_merging_from_the_inside_out(
    schema: dict[str, Any], expected: list[str]
) -> None:
    assert schema_paths(schema) == expected


@pytest.mark.parametrize("prefix", ["ab-", "ab"])
def test_a_generated_name_may_begin_with_what_ends_in_a_dash(prefix: str) -> None:
    body = definition()
    body["metadata"]["generateName"] = prefix
    assert paths(body) == ["metadata.generateName"]  # it is not plural.group: told once


def test_a_reason_that_nobody_knows_is_shown_as_json() -> None:
    rule = {"rule": "true", "reason": "<&>"}
    body = definition(version(schema={"openAPIV3Schema": {"type": "object", "x-kubernetes-validations": [rule]}}))
    obj = decode(body)
    STRATEGY.prepare_for_create(obj)
    problems = STRATEGY.validate(obj, [])
    assert isinstance(problems, list)
    assert 'Unsupported value: "\\u003c\\u0026\\u003e"' in str(problems[0])
