"""What a create, an update and an apply of an object of 1.5 KB spend on managedFields."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from bench.suite.groups import group

from quarterdeck._kernels import fieldapplied, fieldcompare, fieldmerge, fieldset, fieldtype
from quarterdeck.fieldmanager import exclusions, manager, types

STRING = {"type": "string"}
ITEM = {"type": "object", "properties": {"name": STRING, "image": STRING, "port": {"type": "integer"}}}
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                **{f"field{i}": STRING for i in range(20)},
                "replicas": {"type": "integer"},
                "selector": {"type": "object", "additionalProperties": STRING},
                "tags": {"type": "array", "items": STRING},
                "items": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": ITEM,
                },
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "status": {"type": "object", "properties": {"phase": STRING}},
    },
}
VERSION = "example.dev/v1"
AT = {"api_version": VERSION, "now": "2026-01-01T00:00:00Z"}
OBJECT = {
    "apiVersion": VERSION,
    "kind": "Widget",
    "metadata": {"name": "a", "namespace": "ns", "labels": {"a": "b", "c": "d"}, "annotations": {"x": "y" * 160}},
    "spec": {
        **{f"field{i}": "v" * 32 for i in range(20)},
        "replicas": 3,
        "selector": {"app": "x"},
        "tags": ["one", "two"],
        "items": [{"name": "b", "image": "i" * 60, "port": 80}, {"name": "a", "image": "j" * 60}],
        "free": {"x": {"y": [1, 2]}},
    },
}
SECOND: dict[str, Any] = {
    "apiVersion": VERSION,
    "kind": "Widget",
    "metadata": {"name": "a"},
    "spec": {"replicas": 3, "items": [{"name": "c", "image": "k"}], "field0": "v" * 32},
}


def with_spec(obj: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**obj, "metadata": dict(obj["metadata"]), "spec": {**copy.deepcopy(obj["spec"]), **changes}}


@pytest.fixture(scope="module")
def fields() -> manager.FieldManager:
    known = {VERSION: types.from_open_api(SCHEMA)}
    return manager.FieldManager(known.get, lambda obj, _version: obj, kind="Widget")


@pytest.fixture(scope="module")
def live(fields: manager.FieldManager) -> dict[str, Any]:
    """The object of two managers."""
    obj = copy.deepcopy(OBJECT)
    fields.update(None, obj, manager="first", **AT)
    obj["metadata"]["uid"] = "u"
    found: dict[str, Any] = orjson.loads(orjson.dumps(fields.apply(obj, SECOND, manager="second", force=False, **AT)))
    assert len(found["metadata"]["managedFields"]) == 2
    return found


@group("managed fields")
def test_floor(benchmark: Any) -> None:
    benchmark(orjson.loads, orjson.dumps(OBJECT))


@group("managed fields")
def test_create(benchmark: Any, fields: manager.FieldManager) -> None:
    obj = copy.deepcopy(OBJECT)

    def create() -> None:
        obj["metadata"].pop("managedFields", None)
        fields.update(None, obj, manager="first", **AT)

    benchmark(create)


@group("managed fields")
@pytest.mark.parametrize("changes", [{"field3": "changed"}, {}], ids=["one field", "nothing"])
def test_update(benchmark: Any, fields: manager.FieldManager, live: dict[str, Any], changes: dict[str, Any]) -> None:
    changed = with_spec(live, **changes)

    def update() -> None:
        changed["metadata"]["managedFields"] = live["metadata"]["managedFields"]
        fields.update(live, changed, manager="first", **AT)

    benchmark(update)


@group("managed fields")
@pytest.mark.parametrize("what", ["the same", "a change", "less"])
def test_apply(benchmark: Any, fields: manager.FieldManager, live: dict[str, Any], what: str) -> None:
    wanted = with_spec(SECOND)
    if what == "a change":
        wanted["spec"]["items"][0]["image"] = "other"
    elif what == "less":
        del wanted["spec"]["items"]
    benchmark(lambda: fields.apply(live, wanted, manager="second", force=False, **AT))


@group("managed fields")
@pytest.mark.parametrize("name", ["added", "compare", "conforms", "to_set", "merge", "union"])
def test_kernel(benchmark: Any, live: dict[str, Any], name: str) -> None:
    root = types.from_open_api(SCHEMA).root
    changed = with_spec(live, field3="changed")
    first, second = (entry["fieldsV1"] for entry in live["metadata"]["managedFields"])
    steps: dict[str, Callable[[], object]] = {
        "added": lambda: fieldtype.added(root, OBJECT, exclusions.STRIPPED),
        "compare": lambda: fieldcompare.compare(root, live, changed, exclusions.STRIPPED, True),
        "conforms": lambda: fieldtype.conforms(root, live, True),
        "to_set": lambda: fieldapplied.to_set(root, live),
        "merge": lambda: fieldmerge.merge(root, live, SECOND),
        "union": lambda: fieldset.union(first, second),
    }
    benchmark(steps[name])
