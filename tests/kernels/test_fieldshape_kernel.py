"""Fields of new objects: objects of one shape share a set; what decides on the set is looked at in each."""

from __future__ import annotations

import gc
import random
import sys
from typing import Any

import pytest

from quarterdeck._kernels import fieldshape, fieldtype, jsonwrite
from quarterdeck._kernels.fieldtype import SCALAR_NUMERIC, SCALAR_STRING, FieldType
from quarterdeck.fieldmanager import types

STRING, NUMBER = FieldType(SCALAR_STRING), FieldType(SCALAR_NUMERIC)
NOTHING: dict[str, Any] = {}


def list_of(item: FieldType, *keys: str, atomic: bool = False) -> FieldType:
    made = FieldType()
    made.set_list(item, atomic=atomic, keys=keys)
    return made


def map_of(value: FieldType | None, *, atomic: bool = False, **fields: FieldType) -> FieldType:
    made = FieldType()
    made.set_map(fields, value, atomic=atomic)
    return made


def build_type() -> FieldType:
    """A new one, of which no object has been seen."""
    port = map_of(None, name=STRING, port=NUMBER, tags=list_of(STRING))
    return map_of(
        None,
        text=STRING,
        number=NUMBER,
        ports=list_of(port, "name"),
        tags=list_of(STRING),
        arguments=list_of(STRING, atomic=True),
        selector=map_of(STRING, atomic=True),
        whole=map_of(None, atomic=True, a=STRING, b=NUMBER),
        numbers=list_of(NUMBER),
        pairs=list_of(map_of(None, name=STRING, port=NUMBER, text=STRING), "port", "name"),
        labels=map_of(STRING),
        anything=types.DEDUCED,
    )


def build_object(number: int = 0) -> dict[str, Any]:
    return {
        "text": f"a{number}",
        "number": number,
        "ports": [{"name": "a", "port": number, "tags": ["x"]}, {"name": "b", "port": 2}],
        "tags": ["one", "two"],
        "arguments": [f"--number={number}"],
        "selector": {f"name-{number}": "x"},
        "whole": {"a": f"a{number}", "b": number},
        "numbers": [3, 1],
        "pairs": [{"name": "a", "port": 1, "text": f"a{number}"}, {"port": 2}],
        "labels": {"app": f"a{number}"},
        "anything": {"a": {"b": number}, "c": [number, {"d": None}]},
    }


def test_objects_of_one_shape_share_a_set() -> None:
    type_ = build_type()
    first = fieldshape.added(type_, build_object(), NOTHING)
    assert first == fieldtype.added(type_, build_object(), NOTHING)
    assert fieldshape.has_shape(type_)
    for number in range(3):
        assert fieldshape.added(type_, build_object(number), NOTHING) is first


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("text", None),
        ("text", 5),
        ("text", {}),
        ("number", "5"),
        ("ports", []),
        ("ports", [{"name": "a", "port": 1, "tags": ["x"]}]),
        ("ports", [{"name": "a", "port": 1, "tags": ["x"]}, {"name": "c", "port": 2}]),
        ("ports", [{"name": "a", "port": 1, "tags": ["y"]}, {"name": "b", "port": 2}]),
        ("ports", [{"name": "a", "port": 1, "tags": ["x"]}, {"name": "b", "tags": []}]),
        ("ports", [{"name": "b", "port": 1, "tags": ["x"]}, {"name": "a", "port": 2}]),
        ("tags", ["two", "one"]),
        ("tags", ["one"]),
        ("tags", ["one", 2]),
        ("arguments", []),
        ("arguments", [["x"]]),
        ("arguments", [5]),
        ("selector", {}),
        ("selector", {"a": 5}),
        ("selector", {"a": {}}),
        ("whole", {"a": "x"}),
        ("whole", {"a": 5}),
        ("whole", {"c": "x"}),
        ("numbers", [1, 3]),
        ("numbers", [3, True]),
        ("numbers", [3, 1.0]),
        ("numbers", [1.5, 1.5]),
        ("pairs", [{"name": "a", "port": 1.0, "text": "x"}, {"port": 2}]),
        ("pairs", [{"name": "a", "port": 1, "text": "x"}, {"port": 3}]),
        ("pairs", [{"name": "a", "port": 1, "text": "x"}, {"name": "a", "port": 1}]),
        ("pairs", [{"name": "a", "port": 1, "text": "x"}, {"text": "x"}]),
        ("labels", {"app": "x", "more": "y"}),
        ("labels", {"other": "x"}),
        ("labels", {}),
        ("labels", None),
        ("anything", "text"),
        ("anything", {"a": {"b": {}}, "c": [0, 0]}),
        ("anything", {"a": {"b": 0}, "c": []}),
        ("anything", {"a": {"b": 0}, "c": [0], "d": 1}),
        ("unknown", 1),
    ],
)
def test_objects_of_another_shape_are_looked_at(name: str, other: object) -> None:
    for exclude in (NOTHING, {"f:text": {}, "f:ports": {".": {}}, "f:labels": {".": {}, "f:app": {}}}):
        type_ = build_type()
        fieldshape.added(type_, build_object(), exclude)
        for changed in (build_object() | {name: other}, build_object()):
            assert fieldshape.added(type_, changed, exclude) == fieldtype.added(type_, changed, exclude)


def test_a_set_is_that_of_its_exclusions() -> None:
    type_, exclude = build_type(), {"f:text": {}}
    assert "f:text" in (fieldshape.added(type_, build_object(), NOTHING) or {})
    assert "f:text" not in (fieldshape.added(type_, build_object(), exclude) or {})
    assert "f:text" in (fieldshape.added(type_, build_object(), NOTHING) or {})


def test_what_nobody_owns_has_to_fit_only() -> None:
    type_, exclude = build_type(), {"f:selector": {}}
    first = fieldshape.added(type_, {"text": "a", "selector": {}}, exclude)
    assert first == {"f:text": {}}
    for selector in (None, {"a": "x"}, {"a": "x", "b": "y"}):
        assert fieldshape.added(type_, {"text": "a", "selector": selector}, exclude) is first
    assert fieldshape.added(type_, {"text": "a", "selector": {"a": 5}}, exclude) is None


def test_names_need_not_be_the_same_objects() -> None:
    type_ = build_type()
    first = fieldshape.added(type_, build_object(), NOTHING)
    others = {"".join(list(name)): value for name, value in build_object().items()}
    assert fieldshape.added(type_, others, NOTHING) is first


def test_repeated_keys_are_told() -> None:
    type_ = build_type()
    twice = {"ports": [{"name": "a", "port": 1}, {"name": "a", "port": 2}]}
    for _ in range(3):
        assert fieldshape.added(type_, twice, NOTHING) == {"f:ports": {".": {}, 'k:{"name":"a"}': {}}}


@pytest.mark.parametrize(
    "value",
    [
        {"labels": {f"n-{number}": "x" for number in range(3000)}},
        {"ports": [{"name": f"n-{number}"} for number in range(3000)]},
        {"tags": [f"n-{number}" for number in range(3000)]},
    ],
    ids=["a map", "rows", "a set"],
)
def test_large_objects_are_not_noted(value: dict[str, Any]) -> None:
    type_ = build_type()
    for _ in range(2):
        assert fieldshape.added(type_, value, NOTHING) == fieldtype.added(type_, value, NOTHING)
    assert not fieldshape.has_shape(type_)


def test_deep_objects_are_not_noted() -> None:
    type_ = build_type()
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    assert fieldshape.added(type_, {"anything": deep}, NOTHING) is not None
    assert not fieldshape.has_shape(type_)


def test_what_large_atomic_values_hold_is_still_looked_at() -> None:
    type_ = build_type()
    good: dict[str, Any] = {"arguments": ["x"] * 5_000, "selector": {f"n-{number}": "x" for number in range(5_000)}}
    first = fieldshape.added(type_, good, NOTHING)
    assert fieldshape.added(type_, good, NOTHING) is first
    assert fieldshape.added(type_, good | {"arguments": ["x"] * 4_999 + [5]}, NOTHING) is None
    assert fieldshape.added(type_, good | {"selector": good["selector"] | {"n-4999": 5}}, NOTHING) is None


def test_after_shapes_that_always_change_one_that_comes_again_is_noted() -> None:
    type_ = build_type()
    for number in range(600):
        value = {"labels": {f"n-{number}": "x"}}
        assert fieldshape.added(type_, value, NOTHING) == {"f:labels": {".": {}, f"f:n-{number}": {}}}
    first = None
    for _ in range(20):
        again = fieldshape.added(type_, {"text": "x"}, NOTHING)
        assert again == {"f:text": {}}
        first = again
    assert fieldshape.added(type_, {"text": "y"}, NOTHING) is first


def test_a_set_is_written_from_its_text() -> None:
    type_ = build_type()
    fields = [fieldshape.added(type_, build_object(number), NOTHING) for number in range(3)]
    assert fields[0] is fields[2]
    plain = fieldtype.added(type_, build_object(), NOTHING)
    for wrap in (lambda value: value, lambda value: [value], lambda value: {"a": [value, value], "b": 1}):
        assert jsonwrite.encode(wrap(fields[0])) == jsonwrite.encode(wrap(plain))
    stored = {"apiVersion": "v1", "kind": "A", "metadata": {"managedFields": [{"fieldsV1": fields[0]}]}}
    like = {"apiVersion": "v1", "kind": "A", "metadata": {"managedFields": [{"fieldsV1": plain}]}}
    assert jsonwrite.encode_stored(stored) == jsonwrite.encode_stored(like)
    size = len(jsonwrite.encode_stored(like) or b"")
    assert jsonwrite.encode_stored(stored, size) is not None
    assert jsonwrite.encode_stored(stored, size - 1) is None


def test_texts_that_are_kept_are_those_of_their_values() -> None:
    chance = random.Random(1)
    values: list[dict[str, Any]] = []
    for number in range(1_000):
        values.append({"n": number, "x": "y" * chance.choice([0, 10, 20_000])})
        jsonwrite.keep_text(values[-1], jsonwrite.encode(values[-1]))
        if chance.random() < 0.3:
            del values[chance.randrange(len(values))]  # its place in memory is another's soon
        for value in chance.sample(values, min(5, len(values))):
            assert jsonwrite.encode(value) == b'{"n":%d,"x":"%b"}' % (value["n"], value["x"].encode())


def test_nothing_is_kept_that_is_not_needed() -> None:
    gc.collect()
    type_ = build_type()
    label = "label-of-this-test-alone"
    before = sys.getrefcount(label)
    fieldshape.added(type_, {"labels": {label: "x"}}, NOTHING)
    assert sys.getrefcount(label) > before
    del type_
    gc.collect()
    assert sys.getrefcount(label) == before
