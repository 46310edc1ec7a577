"""Custom objects that somebody else has stored, as they are read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.registry.customresource.foreign import ForeignValues
from quarterdeck.schema.engine import Engine

EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
SPEC = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "B"}}}
SCHEMA = {"type": "object", "properties": {"spec": SPEC, "e": EMBEDDED}}
NAMED = {"name": "x", "generation": 1}


def values(schema: Any = SCHEMA, *, prunes: bool = True) -> ForeignValues:
    return ForeignValues("Thing", {"g.dev/v1": Engine(schema, preserves=not prunes)})


def thing(metadata: object = NAMED, **members: object) -> dict[str, Any]:
    return {"apiVersion": "g.dev/v1", "kind": "Thing", "metadata": metadata, **members}


def read(obj: object, **how: bool) -> Any:
    return json.loads(values(**how).coerce(json.dumps(obj).encode()))


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [
        ({"name": "x", "unknown": 42, "annotations": {"foo": 42, "bar": "a"}, "generation": None}, NAMED),
        ({"name": "x", "creationTimestamp": None, "labels": {}, "generation": 3}, {"name": "x", "generation": 3}),
        ({"name": "x", "creationTimestamp": "never", "finalizers": [1]}, NAMED),
        (None, {"generation": 1}),
        ("text", "text"),
    ],
)
def test_metadata_that_does_not_fit_is_dropped(metadata: object, shown: object) -> None:
    assert read(thing(metadata)) == thing(shown)
    assert read(thing(metadata), prunes=False) == thing(shown)


def test_embedded_metadata_too() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "unknown": 42, "labels": 1}, "more": 1}
    shown = thing(e={**pod, "metadata": {"name": "p"}})
    assert read(thing(e=pod)) == shown
    assert read(thing(e=pod), prunes=False) == shown


def test_what_the_schema_does_not_have_is_pruned_and_defaults_are_for_who_shows_it() -> None:
    assert read(thing(spec={"a": None, "zzz": 1}, top=1)) == thing(spec={})
    assert read(thing(spec={"a": None, "zzz": 1}, top=1), prunes=False) == thing(spec={"a": None, "zzz": 1}, top=1)


@pytest.mark.parametrize(
    "value",
    [
        json.dumps(thing(spec={"a": "1"})),
        json.dumps(thing({**NAMED, "managedFields": []}, top=1)),
        json.dumps(thing(top=1) | {"kind": "Other"}),
        json.dumps(thing(top=1) | {"apiVersion": "g.dev/v2"}),
        json.dumps(thing(top=1) | {"apiVersion": 1}),
        "[]",
        "{no JSON",
    ],
)
def test_what_fits_or_is_of_an_api_server_or_unreadable_stays_the_same_bytes(value: str) -> None:
    stored = value.encode()
    assert values().coerce(stored) is stored


def test_a_schema_that_cannot_be_compiled_stops_nothing() -> None:
    def fail() -> Any:
        raise ValueError

    stored = json.dumps(thing()).encode()
    assert values(fail).coerce(stored) is stored
