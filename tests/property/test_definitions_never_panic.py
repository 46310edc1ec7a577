"""Whatever stands anywhere in a definition: it is refused with causes, or accepted and can be served."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from quarterdeck.apiextensions import build
from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.apiextensions.ruletimes import RuleTimes
from quarterdeck.apiextensions.strategy import DefinitionStatusStrategy, DefinitionStrategy
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.store import Store
from quarterdeck.storage.cacher import Cacher
from support.memory_store import MemoryStore
from support.webhooks import NoWebhooks, converting

WRONG: list[Any] = [None, "", "x", -1, True, [], {}, [None], {"a": None}]
RULES = [{"rule": "self.a == oldSelf.a", "message": "m", "messageExpression": "'m'", "fieldPath": ".a"}]
LEAF = {
    "type": "string", "format": "password", "pattern": "^a", "minLength": 1, "maxLength": 3, "enum": ["a", "ab"],
    "default": "a", "nullable": True, "example": {"x": 1}, "externalDocs": {"url": "u", "description": "d"},
}  # fmt: skip
SPEC = {
    "type": "object",
    "required": ["a"],
    "x-kubernetes-map-type": "granular",
    "x-kubernetes-validations": RULES,
    "properties": {
        "a": LEAF,
        "n": {"type": "integer", "minimum": 1, "maximum": 5, "multipleOf": 2, "default": 2},
        "either": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        "list": {
            "type": "array", "maxItems": 3, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
            "default": [{"k": "a"}],
        },
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "map": {"type": "object", "additionalProperties": {"type": "string", "allOf": [{"minLength": 1}]}},
        "any": {"type": "object", "not": {"required": ["z"]}, "oneOf": [{"maxProperties": 1}], "default": {}},
        "resource": {
            "type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True,
            "default": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}},
            "properties": {"metadata": {"type": "object", "default": {"labels": {"a": "b"}}}},
        },
    },
}  # fmt: skip
STATUS = {"type": "object", "properties": {"replicas": {"type": "integer"}, "selector": {"type": "string"}}}
METADATA = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}}


def one_version() -> dict[str, Any]:
    properties = {"spec": SPEC, "status": STATUS, "metadata": METADATA, "kind": {"type": "string"}}
    return {
        "name": "v1",
        "served": True,
        "storage": True,
        "deprecated": True,
        "deprecationWarning": "old",
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.n",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            },
        },
        "additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".spec.a", "priority": 1}],
        "selectableFields": [{"jsonPath": ".spec.a"}],
    }


def definition(*versions: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.a.b", "labels": {"a": "b"}, "finalizers": ["a.b/c"], "resourceVersion": "1"},
        "spec": {
            "group": "a.b",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["w"], "categories": ["all"]},
            "versions": list(versions),
            **spec,
        },
        "status": {
            "conditions": [{"type": "Established", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}],
            "acceptedNames": {"plural": "widgets", "kind": "Widget", "listKind": "WidgetList"},
            "storedVersions": ["v1"],
        },
    }


def rich_definitions() -> Iterator[dict[str, Any]]:
    yield definition(one_version())
    service = {"service": {"namespace": "d", "name": "s", "path": "/p", "port": 443}, "caBundle": "eA=="}
    webhook = {"clientConfig": service, "conversionReviewVersions": ["v1"]}
    plain = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    other = {"name": "v2", "served": True, "storage": False, "schema": {"openAPIV3Schema": plain}}
    strange = {
        "$ref": "r", "id": "i", "$schema": "s", "definitions": {"d": LEAF}, "dependencies": {"d": ["x"], "e": LEAF},
        "patternProperties": {"p": LEAF}, "additionalItems": LEAF, "items": [LEAF], "uniqueItems": True,
        "x-kubernetes-validations": RULES, "type": "object",
    }  # fmt: skip
    third = {"name": "v3", "served": False, "storage": False, "schema": {"openAPIV3Schema": strange}}
    yield definition(
        one_version(), other, third, conversion={"strategy": "Webhook", "webhook": webhook}, preserveUnknownFields=False
    )


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield from places(child, (*path, key))


def with_value(body: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy with something else at a place."""
    spoiled: Any = copy.deepcopy(body)
    node = spoiled
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = copy.deepcopy(value)
    return spoiled


KIND = definition_of_definitions()
CODEC = BuiltinCodec("apiextensions.k8s.io/v1", "CustomResourceDefinition", KIND.make_struct, KIND.default)


def decode(body: dict[str, Any]) -> dict[str, Any] | None:
    """None where it is refused."""
    obj = copy.deepcopy(body)
    try:
        CODEC.normalize(obj, report_unknown=True)
    except BadRequest:
        return None
    return obj


def causes(problems: Any) -> list[FieldError]:
    found: list[FieldError] = problems() if callable(problems) else problems
    for each in found:
        assert each.to_cause()["message"]
    return found


def make_store(group: str, plural: str, namespaced: bool, attributes: Any, fields: Any = None) -> Store:
    storage = MemoryStore()
    cache = Cacher(storage).resource(group, plural, fields)
    return Store(
        group,
        plural,
        namespaced=namespaced,
        key_prefix=cache.prefix,
        storage=storage,
        cache=cache,
        attributes=attributes,
    )


def serve(obj: dict[str, Any]) -> None:
    """What is built of an accepted definition before anybody asks for it."""
    accepted = {**obj, "status": {**obj["status"], "acceptedNames": obj["spec"]["names"]}}
    parts = make_store, lambda *_: None, converting(NoWebhooks()), RuleTimes(Registry())
    builder = build.Builder(*parts)  # type: ignore[arg-type]
    builder.build(accepted, json_codec.encode(accepted))


@pytest.mark.parametrize("body", [*rich_definitions()], ids=["one version", "three versions"])
def test_anything_anywhere_in_a_new_definition(body: dict[str, Any]) -> None:
    strategy = DefinitionStrategy()
    accepted = 0
    for path in places(body):
        for wrong in WRONG:
            if path[0] in ("apiVersion", "kind") or (obj := decode(with_value(body, path, wrong))) is None:
                continue
            strategy.prepare_for_create(obj)
            if not causes(strategy.validate(obj, [])):
                accepted += 1
                serve(obj)
    assert accepted or len(body["spec"]["versions"]) == 3  # the third version is never right


@pytest.mark.parametrize("strategy", [DefinitionStrategy(), DefinitionStatusStrategy()])
def test_anything_anywhere_in_a_changed_definition(strategy: DefinitionStrategy) -> None:
    body = definition(one_version())
    for path in places(body):
        for wrong in WRONG:
            old, new = decode(body), decode(with_value(body, path, wrong))
            assert old is not None
            if new is not None:
                strategy.prepare_for_update(new, old)
                causes(strategy.validate_update(new, old, []))
