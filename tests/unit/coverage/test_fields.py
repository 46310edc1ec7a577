"""Which fields an object sets: those that a slow and obvious walk finds, within bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.coverage import fields, paths
from quarterdeck.coverage.fields import Fields, VersionFields

NAMES = st.sampled_from(["a", "b", "c.d", 'e"]', "kind", "metadata"])
LEAF: dict[str, Any] = {"type": "string"}


def object_of(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


schemas = st.recursive(
    st.sampled_from([LEAF, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}]),
    lambda below: st.one_of(
        st.dictionaries(NAMES, below, max_size=4).map(object_of),
        below.map(lambda items: {"type": "array", "items": items}),
        below.map(lambda values: {"type": "object", "additionalProperties": values}),
    ),
    max_leaves=12,
)
roots = st.dictionaries(NAMES, schemas, max_size=4).map(object_of)
values = st.recursive(
    st.none() | st.integers() | st.text(max_size=2),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES | st.just("free"), below, max_size=4),
    max_leaves=20,
)
objects = st.dictionaries(NAMES, values, max_size=4)


def show(path: str, name: str) -> str:
    return f"{path}.{name}" if name.isalpha() else f"{path}[{json.dumps(name)}]"


def walk_schema(schema: dict[str, Any], path: str = "") -> set[str]:
    """All fields."""
    found = set()
    for name, below in schema.get("properties", {}).items():
        if path or name not in ("kind", "metadata"):
            found |= {show(path, name)} | walk_schema(below, show(path, name))
    for keyword, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if keyword in schema:
            found |= walk_schema(schema[keyword], path + mark)
    return found


def walk(schema: dict[str, Any], value: Any, path: str = "") -> set[str]:
    """Those that a value sets."""
    found = set()
    if isinstance(value, list) and "items" in schema:
        for each in value:
            found |= walk(schema["items"], each, path + "[]")
    if isinstance(value, dict) and "additionalProperties" in schema:
        for each in value.values():
            found |= walk(schema["additionalProperties"], each, path + "{}")
    for name, below in schema.get("properties", {}).items():
        if not path and name in ("kind", "metadata"):
            continue
        if isinstance(value, dict) and value.get(name) is not None:
            found |= {show(path, name)} | walk(below, value[name], show(path, name))
    return found


def noted(version: VersionFields) -> dict[str, int]:
    return dict(version.counts())


@given(roots, st.lists(objects, max_size=3))
def test_an_object_sets_what_the_obvious_walk_finds(schema: dict[str, Any], sent: list[dict[str, Any]]) -> None:
    version = VersionFields("", schema, fields.FIELDS_MAX)
    assert set(noted(version)) == walk_schema(schema)
    assert version.number == len(noted(version))
    wanted = dict.fromkeys(walk_schema(schema), 0)
    for obj in sent:
        version.add(fields.find(version.root, obj))
        for path in walk(schema, obj):
            wanted[path] += 1
    assert noted(version) == wanted
    assert version.writes == len(sent)


@given(roots, objects)
def test_a_patch_that_builds_an_object_member_by_member_sets_the_same(schema: dict[str, Any], obj: Any) -> None:
    """Each operation adds one value, within what those before it have added."""
    operations: list[dict[str, Any]] = []
    _build(operations, "", obj)
    one, other = (VersionFields("", schema, fields.FIELDS_MAX) for _ in range(2))
    one.add(fields.find(one.root, obj))
    other.add(fields.find_patched(other.root, operations))
    assert noted(other) == noted(one)


def _build(operations: list[dict[str, Any]], pointer: str, value: Any) -> None:
    empty = type(value)() if isinstance(value, (dict, list)) else value
    operations.append({"op": "add", "path": pointer, "value": empty})
    if isinstance(value, dict):
        for name, below in value.items():
            _build(operations, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", below)
    if isinstance(value, list):
        for below in value:
            _build(operations, f"{pointer}/-", below)


@pytest.mark.parametrize(
    "operations",
    [None, {}, [None, 5], [{"op": "add"}], [{"op": "add", "path": 5, "value": 1}], [{"op": "remove", "path": "/a"}],
     [{"op": "test", "path": "/a", "value": 1}], [{"op": "add", "path": "/a", "value": None}],
     [{"op": "add", "path": "/unknown/a", "value": 1}], [{"op": "add", "path": "/a/b/c", "value": 1}]],
)  # fmt: skip
def test_operations_that_set_nothing(operations: Any) -> None:
    version = VersionFields("", object_of({"b": LEAF}), 10)
    assert fields.find_patched(version.root, operations) == {}


def test_what_is_copied_or_moved_is_set() -> None:
    version = VersionFields("", object_of({"a": object_of({"x/y": LEAF}), "b": LEAF}), 10)
    operations = [{"op": "copy", "from": "/b", "path": "/a/x~1y"}, {"op": "move", "from": "/a/x~1y", "path": "/b"}]
    version.add(fields.find_patched(version.root, operations))
    assert noted(version) == {".a": 1, ".a.x/y": 1, ".b": 1}


def test_a_later_schema_keeps_what_it_has_in_common() -> None:
    known = Fields()
    first = known.prepare("d", "v1", "1", object_of({"a": object_of({"x": LEAF, "y": LEAF}), "b": LEAF}))
    first.add(fields.find(first.root, {"a": {"x": 1}, "b": 1}))
    later = object_of({"a": object_of({"x": LEAF, "z": LEAF}), "b": {"type": "array", "items": LEAF}, "c": LEAF})
    second = known.prepare("d", "v1", "2", later)
    assert noted(second) == {".a": 1, ".a.x": 1, ".a.z": 0, ".b": 1, ".c": 0}
    assert known.get("d", "v1") is second
    known.clear()
    assert known.all() == []


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "FIELDS_MAX", 10)
    known = Fields()
    wide = object_of({f"f{number}": LEAF for number in range(7)})
    assert [known.prepare("d", version, "1", wide).left_out for version in ("v1", "v2", "v3")] == [0, 4, 7]
    assert sum(each.number for _, _, each in known.all()) == 10
    assert known.prepare("d", "v2", "2", wide).left_out == 4, "what there was makes room"


def test_the_first_of_many_versions_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "VERSIONS_MAX", 2)
    known = Fields()
    for name in ("a", "b", "a", "c"):
        known.prepare(name, "v1", "1", object_of({"x": LEAF}))
    assert ([name for name, _, _ in known.all()], known.left_out) == (["a", "c"], 1)


def test_what_is_nested_too_deeply_or_named_too_long_is_left_out() -> None:
    deep: dict[str, Any] = LEAF
    value: Any = 1
    for _ in range(5000):
        deep, value = object_of({"a": deep}), {"a": value}
    version = VersionFields("", deep, fields.FIELDS_MAX)
    assert (version.number, version.left_out) == (paths.DEPTH_MAX, 1)
    version.add(fields.find(version.root, value))
    assert set(noted(version).values()) == {1}
    long = VersionFields("", object_of({"n" * 2000: LEAF, "m" * 1000: object_of({"x" * 100: LEAF})}), 10)
    assert (long.number, long.left_out) == (1, 2)
