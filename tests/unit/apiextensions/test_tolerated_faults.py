"""A definition that is stored with a fault may be changed while the fault stays; nothing may become worse."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from quarterdeck.apiextensions import validation
from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.registry.builtin.codec import BuiltinCodec

API_VERSION, KIND = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
OBJECT: dict[str, Any] = {"type": "object"}
SCHEMA = "spec.validation.openAPIV3Schema"
UNTYPED = {"description": "no type"}
SET = {"type": "array", "items": OBJECT, "x-kubernetes-list-type": "set"}
KEYED = {
    "type": "array",
    "items": {"type": "object", "properties": {"k": {"type": "string"}}},
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
}
COSTLY = {
    "type": "array",
    "maxItems": 2000,
    "items": {"type": "string", "maxLength": 10},
    "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a == b))"}],
}


def with_field(field: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"n": field}}


def definition(*schemas: dict[str, Any] | None, preserves: bool = False, fields: int = 0) -> dict[str, Any]:
    versions = []
    for position, schema in enumerate(schemas):
        version: dict[str, Any] = {"name": f"v{position + 1}", "served": True, "storage": not position}
        if schema is not None:
            version["schema"] = {"openAPIV3Schema": schema}
        if fields:
            version["selectableFields"] = [{"jsonPath": f".f{number}"} for number in range(fields)]
        versions.append(version)
    names = {"plural": "as", "singular": "a", "kind": "A", "listKind": "AList"}
    spec = {"group": "e.io", "scope": "Namespaced", "names": names, "versions": versions}
    spec |= {"preserveUnknownFields": True} if preserves else {}
    obj = copy.deepcopy({"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "as.e.io"}, "spec": spec})
    kind = definition_of_definitions()
    BuiltinCodec(API_VERSION, KIND, kind.make_struct, kind.default).normalize(obj, report_unknown=True)
    return {**obj, "status": {"storedVersions": ["v1"]}}


def changed(obj: dict[str, Any]) -> dict[str, Any]:
    new = copy.deepcopy(obj)
    new["spec"]["names"]["shortNames"] = ["short"]
    return new


def update(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    return [str(problem) for problem in validation.validate_definition_update(new, old)]


@pytest.mark.parametrize(
    "stored",
    [
        definition(with_field(UNTYPED), preserves=True),
        definition({"type": "object", "not": {"type": "object"}}, preserves=True),
        definition({"type": "object", "properties": {"n": {"type": "array", "items": [OBJECT]}}}, preserves=True),
        definition(None, preserves=True),
        definition(with_field({"type": "unknown"}), preserves=True),
        definition(with_field(SET)),
        definition(with_field(KEYED)),
        definition(with_field(COSTLY)),
        definition({"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(9)}}, fields=9),
    ],
    ids=["untyped", "junctor", "items", "none", "type", "set", "keys", "costs", "fields"],
)
def test_what_is_wrong_already_may_stay_so(stored: dict[str, Any]) -> None:
    told = [str(problem) for problem in validation.validate_definition(stored)]
    assert [text for text in told if "cannot set to true" not in text]
    found = update(changed(stored), stored)
    assert found == [text for text in found if "items must be a schema object" in text]


@pytest.mark.parametrize(
    ("new", "old", "wanted"),
    [
        (
            definition(with_field(UNTYPED)),
            definition(with_field(UNTYPED), preserves=True),
            [f"{SCHEMA}.properties[n].type: Required value: must not be empty for specified object fields"],
        ),
        (
            definition({"type": "object", "properties": {"n": UNTYPED, "m": {"type": "string", "default": "x"}}},
                       preserves=True),
            definition(with_field(UNTYPED), preserves=True),
            [
                "spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema",
                f"{SCHEMA}.properties[n].type: Required value: must not be empty for specified object fields",
            ],
        ),
        (
            definition({"type": "object", "properties": {"n": UNTYPED, "m": {"x-kubernetes-int-or-string": True}}},
                       preserves=True),
            definition(with_field(UNTYPED), preserves=True),
            [f"{SCHEMA}.properties[n].type: Required value: must not be empty for specified object fields"],
        ),
        (
            definition(OBJECT, None),
            definition(None, None, preserves=True),
            [
                "spec.versions[1].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned",
            ],
        ),
        (
            definition(with_field(SET)),
            definition(with_field({"type": "array", "items": OBJECT})),
            [
                f"{SCHEMA}.properties[n].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a "
                "list with x-kubernetes-list-type=set",
            ],
        ),
    ],
    ids=["pruned", "defaults", "extensions", "none", "set"],
)  # fmt: skip
def test_what_is_new_is_refused(new: dict[str, Any], old: dict[str, Any], wanted: list[str]) -> None:
    assert update(new, old) == wanted


def test_rules_that_all_versions_share_may_cost_what_they_did_in_a_new_one() -> None:
    old, new = definition(with_field(COSTLY)), definition(with_field(COSTLY), with_field(COSTLY))
    new["spec"]["versions"][0]["name"], new["spec"]["versions"][1]["name"] = "v2", "v1"
    new["spec"]["versions"][0]["storage"], new["spec"]["versions"][1]["storage"] = False, True
    assert update(new, old) == []


def test_rules_of_a_schema_that_has_changed_have_a_bound_each() -> None:
    old = definition(with_field(COSTLY))
    (problem,) = update(definition({**with_field(COSTLY), "description": "other"}), old)
    assert problem.startswith(
        f"{SCHEMA}.properties[n].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost"
    )


def test_other_selectable_fields_have_to_be_few() -> None:
    schema = {"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(10)}}
    old, new = definition(schema, fields=9), definition(schema, fields=10)
    assert update(new, old) == ["spec.selectableFields: Too many: 10: must have at most 8 items"]


def test_a_version_keeps_what_it_had_by_itself() -> None:
    schema = {"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(9)}}
    other = {**schema, "description": "other"}
    old = definition(schema, other, fields=9)
    del old["spec"]["versions"][1]["selectableFields"]
    assert update(changed(old), old) == []
    told = update(definition(schema, schema, fields=9), old)
    assert told == ["spec.selectableFields: Too many: 9: must have at most 8 items"]
