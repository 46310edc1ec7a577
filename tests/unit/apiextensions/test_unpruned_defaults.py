"""A definition that has defaults with unknown fields already may have more of them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from quarterdeck.apiextensions import validation
from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.schema.engine import Engine

API_VERSION, KIND = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
FIELDS = {"type": "object", "properties": {"a": {"type": "string"}}}
UNPRUNED = {**FIELDS, "default": {"a": "x", "zz": 1}}
PRUNED = {**FIELDS, "default": {"a": "x"}}
EMBEDDED = {
    "type": "object",
    "x-kubernetes-embedded-resource": True,
    "x-kubernetes-preserve-unknown-fields": True,
}


def resource_with(metadata: Any, **more: Any) -> dict[str, Any]:
    default = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
    return {**EMBEDDED, "default": default, **more}


def metadata_default(value: dict[str, Any]) -> dict[str, Any]:
    metadata = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "default": value}
    return {**EMBEDDED, "properties": {"metadata": metadata}}


def definition(*fields: dict[str, Any]) -> dict[str, Any]:
    versions = []
    for position, field in enumerate(fields):
        schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"n": field}}}}
        version = {"name": f"v{position + 1}", "served": True, "storage": not position}
        versions.append({**version, "schema": {"openAPIV3Schema": schema}})
    names = {"plural": "as", "singular": "a", "kind": "A", "listKind": "AList"}
    spec = {"group": "e.io", "scope": "Namespaced", "names": names, "versions": versions}
    obj = copy.deepcopy({"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "as.e.io"}, "spec": spec})
    kind = definition_of_definitions()
    BuiltinCodec(API_VERSION, KIND, kind.make_struct, kind.default).normalize(obj, report_unknown=True)
    return obj


@pytest.mark.parametrize(
    ("old", "may_be"),
    [
        ({"type": "object", "additionalProperties": UNPRUNED}, True),
        ({"type": "array", "items": {"type": "object", "additionalProperties": UNPRUNED}}, True),
        ({"type": "object", "additionalProperties": PRUNED}, False),
        (PRUNED, False),
        (metadata_default({"name": "x", "zz": 1}), True),
        (metadata_default({"name": "x"}), False),
        (resource_with({"name": "x"}), False),
    ],
)
def test_unknown_fields_in_defaults_are_let_pass_beside_old_ones(old: dict[str, Any], may_be: bool) -> None:
    before = definition({"type": "object"}, old)
    found = [str(each) for each in validation.validate_definition_update(definition(UNPRUNED, old), before)]
    path = "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[n].default"
    text = f'{path}: Invalid value: {{"a":"x","zz":1}}: must not have unknown fields'
    assert found == ([] if may_be else [text])


def test_a_default_that_is_let_pass_still_has_to_fit_its_schema() -> None:
    old = {"type": "object", "additionalProperties": UNPRUNED}
    wrong = {**FIELDS, "default": {"a": 1, "zz": 1}}
    found = validation.validate_definition_update(definition(wrong, old), definition(old, old))
    assert ["must be of type string" in str(each) for each in found] == [True]


def test_a_default_is_applied_without_its_unknown_fields() -> None:
    schema = {"type": "object", "properties": {"n": UNPRUNED}}
    obj: dict[str, Any] = {}
    Engine(schema, is_resource_root=False).default_admitted(obj)
    assert obj == {"n": {"a": "x"}}
