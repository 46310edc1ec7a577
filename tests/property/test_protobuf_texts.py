"""Stored JSON becomes the same protobuf whether it is read before or not, of every type that has a table."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from property.test_protobuf_objects import KINDS
from quarterdeck._kernels import protobufobject, protobuftext
from quarterdeck._kernels.protobufwire import bytes_field
from quarterdeck.apimachinery.codec import json, protobuf
from quarterdeck.apimachinery.codec.protobuf_types import message_of
from support.typed_objects import objects

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
ANYTHING = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=4)


def written_both_ways(obj: Any, api_version: str, kind: str) -> tuple[bytes, bytes]:
    data = json.encode({"apiVersion": api_version, "kind": kind, **obj})
    return protobuf.text_writer(api_version, kind)(data), protobuf.encode_message(json.load(data), api_version, kind)


@settings(max_examples=300)
@given(st.data())
def test_objects_of_all_types(data: st.DataObject) -> None:
    api_version, kind = data.draw(st.sampled_from(KINDS))
    direct, read = written_both_ways(data.draw(objects(message_of(api_version, kind))), api_version, kind)
    assert direct == read


@given(st.sampled_from(("additionalProperties", "additionalItems", "items", "dependencies")), ANYTHING)
def test_what_is_a_schema_or_something_else(name: str, value: Any) -> None:
    other = {"a": value} if name == "dependencies" else value
    versions = [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", name: other}}}]
    obj = {"metadata": {"name": "a"}, "spec": {"versions": versions}}
    try:
        direct, read = written_both_ways(obj, "apiextensions.k8s.io/v1", "CustomResourceDefinition")
    except (TypeError, ValueError, AttributeError, OverflowError):
        return  # what no stored object holds
    assert direct == read


@st.composite
def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """The value with something else, null among it, here and there."""
    if draw(st.integers(0, 9)) == 0:
        return draw(ANYTHING)
    if isinstance(value, dict):
        return {name: draw(spoiled(item)) for name, item in value.items()}
    return [draw(spoiled(item)) for item in value] if isinstance(value, list) else value


@settings(max_examples=300)
@given(st.data())
def test_objects_with_members_of_other_types(data: st.DataObject) -> None:
    api_version, kind = data.draw(st.sampled_from(KINDS))
    obj = {name: data.draw(spoiled(item)) for name, item in data.draw(objects(message_of(api_version, kind))).items()}
    try:
        text = json.encode({"apiVersion": api_version, "kind": kind, **obj})
        read = protobuf.encode_message(json.load(text), api_version, kind)
    except (TypeError, ValueError, AttributeError, OverflowError):
        return  # what no stored object holds
    assert protobuf.text_writer(api_version, kind)(text) == read


def _table() -> protobufobject.Message:
    table = protobufobject.Message()
    table.add(1, "s", protobufobject.STRING, protobufobject.VALUE)
    table.add(2, "m", protobufobject.STRING, protobufobject.MAP)
    write_json = partial(bytes_field, 1)
    table.add(3, "j", protobufobject.JSON, protobufobject.POINTER, lambda item: write_json(json.encode(item)))
    table.add(4, "i", protobufobject.INT, protobufobject.LIST)
    return table


TABLE = _table()


@settings(max_examples=500)
@given(st.dictionaries(st.sampled_from("smjix"), ANYTHING))
def test_any_texts(obj: dict[str, Any]) -> None:
    data = json.encode(obj)
    direct = protobuftext.encode(data, TABLE)
    if direct is not None:
        assert direct == protobufobject.encode(json.load(data), TABLE, 100)


@settings(max_examples=500)
@given(st.data())
def test_broken_texts_are_left_alone(data: st.DataObject) -> None:
    text = json.encode({"s": "aü\n", "m": {"b": "1", "a": None}, "j": [1, {"x": True}], "i": [5, -6]})
    at = data.draw(st.integers(0, len(text)))
    size = data.draw(st.integers(0, 3))
    broken = text[:at] + data.draw(st.binary(max_size=3)) + text[at + size :]
    direct = protobuftext.encode(broken, TABLE)
    if direct is not None:
        assert json.encode(json.decode(broken).value) == broken
        assert direct == protobufobject.encode(json.load(broken), TABLE, 100)
