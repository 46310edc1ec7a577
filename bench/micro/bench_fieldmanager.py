"""Field management of an object of 1.5 KB: what a create, an update and an apply spend on managedFields.

    python bench/micro/bench_fieldmanager.py

Microseconds of one core, the best of many short runs (the machine is shared). Beside them, for scale, what orjson
takes to read the object.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from typing import Any

import orjson

from quarterdeck._kernels import fieldcompare, fieldmerge, fieldset, fieldtype
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


def build_object() -> dict[str, Any]:
    return {
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


def measure(action: Callable[[], object], count: int = 200, runs: int = 120) -> float:
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter_ns()
        for _ in range(count):
            action()
        best = min(best, (time.perf_counter_ns() - start) / count / 1000)
    return best


def main() -> None:
    fields = manager.FieldManager({VERSION: types.from_open_api(SCHEMA)}.get, lambda obj, _version: obj, kind="Widget")
    obj = build_object()
    size = len(json.dumps(obj, separators=(",", ":")))
    at = {"api_version": VERSION, "now": "2026-01-01T00:00:00Z"}

    def create() -> None:
        obj["metadata"].pop("managedFields", None)
        fields.update(None, obj, manager="first", **at)

    create()
    live = copy.deepcopy(obj)
    live["metadata"]["uid"] = "u"
    second = {
        "apiVersion": VERSION,
        "kind": "Widget",
        "metadata": {"name": "a"},
        "spec": {"replicas": 3, "items": [{"name": "c", "image": "k"}], "field0": "v" * 32},
    }
    live = json.loads(json.dumps(fields.apply(live, second, manager="second", force=False, **at)))
    entries = live["metadata"]["managedFields"]
    assert len(entries) == 2
    changed = copy.deepcopy(live)
    changed["spec"]["field3"] = "changed"
    same = copy.deepcopy(live)

    def update() -> None:
        changed["metadata"]["managedFields"] = entries
        fields.update(live, changed, manager="first", **at)

    def update_without_change() -> None:
        same["metadata"]["managedFields"] = entries
        fields.update(live, same, manager="first", **at)

    third = copy.deepcopy(second)
    third["spec"]["items"][0]["image"] = "other"
    gives_up = copy.deepcopy(second)
    del gives_up["spec"]["items"]
    data = orjson.dumps(obj)
    root = types.from_open_api(SCHEMA).root
    rows: list[tuple[str, Callable[[], object]]] = [
        ("create", create),
        ("update of one field", update),
        ("update that changes nothing", update_without_change),
        ("apply of the same", lambda: fields.apply(live, second, manager="second", force=False, **at)),
        ("apply of a change", lambda: fields.apply(live, third, manager="second", force=False, **at)),
        ("apply that gives up", lambda: fields.apply(live, gives_up, manager="second", force=False, **at)),
        ("  kernel: added", lambda: fieldtype.added(root, obj, exclusions.STRIPPED)),
        ("  kernel: compare", lambda: fieldcompare.compare(root, live, changed, exclusions.STRIPPED, True)),
        ("  kernel: conforms", lambda: fieldtype.conforms(root, live, True)),
        ("  kernel: to_set", lambda: fieldtype.to_set(root, live)),
        ("  kernel: merge", lambda: fieldmerge.merge(root, live, third)),
        ("  kernel: union", lambda: fieldset.union(entries[0]["fieldsV1"], entries[1]["fieldsV1"])),
        ("orjson.loads of the object", lambda: orjson.loads(data)),
    ]
    print(f"object of {size} bytes, two managers")
    for name, action in rows:
        print(f"{name:32} {measure(action):7.1f} µs")


if __name__ == "__main__":
    main()
