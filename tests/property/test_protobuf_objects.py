"""Objects of every type that has a table, written by the kernel and by the reference: both read back as they were."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apimachinery.codec.protobuf_types import Field, Message, message_of
from quarterdeck.apimachinery.typetables import reader
from reference import protobuf_reference as reference

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
DEEP = 3
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": TEXTS,
    "bool": st.booleans(),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "double": st.one_of(st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False)),
    "bytes": st.sampled_from(["", "aGk=", "AAEC/w=="]),
    "Time": st.sampled_from(["2024-01-02T03:04:05Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z"]),
    "MicroTime": st.sampled_from(["2024-01-02T03:04:05.000001Z", "1969-12-31T23:59:59.999999Z"]),
    "Quantity": st.sampled_from(["1", "100m", "2Gi"]),
    "IntOrString": st.one_of(st.integers(-(2**31), 2**31 - 1), TEXTS),
    "RawExtension": st.sampled_from([{"a": [1, None]}, [1, 2], "x", 0]),
    "JSON": st.sampled_from([{"a": [1, None]}, [], "x", 0, False]),
    "FieldsV1": st.sampled_from([{}, {"f:a": {".": {}}}]),
    "Strings": st.lists(TEXTS, max_size=3),
}
KINDS = [
    (f"{group}/{version}" if group else version, kind)
    for (group, version), table in reader.TABLES.items()
    for entry in (reader.find(table, name) for name in reader.names(table))
    if entry is not None and any(field.name == "metadata" for field in entry.fields)
    for kind in (entry.name, f"{entry.name}List")
    if reader.find(table, kind) is not None
]


@st.composite
def objects(draw: st.DrawFn, message: Message, depth: int = 0) -> Any:
    if message.name.startswith("JSONSchemaPropsOr"):
        schema = message.by_name["schema"].type
        assert isinstance(schema, Message)
        kinds = [objects(schema, depth + 1), st.booleans() if message.name.endswith("Bool") else LISTS[message.name]]
        return draw(st.one_of(kinds))
    value: dict[str, Any] = {}
    for field in message.by_number.values():
        if field.is_inline:
            assert isinstance(field.type, Message)
            value |= draw(objects(field.type, depth + 1))
        elif draw(st.booleans() if depth < DEEP else st.just(False)):
            value[field.name] = draw(values(field, depth))
    return value


LISTS: dict[str, st.SearchStrategy[Any]] = {
    "JSONSchemaPropsOrArray": st.just([{"type": "string"}]),
    "JSONSchemaPropsOrStringArray": st.lists(TEXTS, min_size=1, max_size=2),
}


def values(field: Field, depth: int) -> st.SearchStrategy[Any]:
    one = objects(field.type, depth + 1) if isinstance(field.type, Message) else SCALARS[field.type]
    if field.is_list:
        return st.lists(one, min_size=1, max_size=3)
    return st.dictionaries(TEXTS, one, min_size=1, max_size=3) if field.is_map else one


def meant(value: Any, message: Message) -> Any:
    """The object as it is read: what stands by value in Go is there, unless its zero value counts as absent."""
    if not isinstance(value, dict):
        return value
    if message.name.startswith("JSONSchemaPropsOr"):
        schema = message.by_name["schema"].type
        assert isinstance(schema, Message)
        return meant(value, schema)
    shown: dict[str, Any] = {}
    for field in message.by_number.values():
        if field.is_inline:
            assert isinstance(field.type, Message)
            shown |= meant(value, field.type)
        elif (item := meant_member(value.get(field.name), field)) is not None:
            shown[field.name] = item
    return shown


def meant_member(item: Any, field: Field) -> Any:
    by_value = not (field.is_list or field.is_map or field.is_pointer)
    if isinstance(field.type, Message):
        if item is None:
            return meant({}, field.type) if by_value else None
        if field.is_list:
            return [meant(each, field.type) for each in item]
        if field.is_map:
            return {key: meant(each, field.type) for key, each in item.items()}
        return meant(item, field.type)
    if by_value and item is None:
        return {"Quantity": "0", "Strings": []}.get(field.type)
    return None if by_value and field.type in PLAIN and not item else item


PLAIN = ("string", "bool", "int32", "int64", "double", "bytes", "IntOrString")


@settings(max_examples=200)
@given(st.data())
def test_the_kernel_writes_what_the_reference_writes(data: st.DataObject) -> None:
    api_version, kind = data.draw(st.sampled_from(KINDS))
    message = message_of(api_version, kind)
    obj = data.draw(objects(message))
    written = protobuf.encode_message(obj, api_version, kind)
    assert written == reference.encode_message(obj, api_version, kind)
    head, end = protobuf.envelope_ends(api_version, kind, len(written))
    assert end == b"\x1a\x00\x22\x00"
    assert protobuf.decode(head + written + end) == {"apiVersion": api_version, "kind": kind, **meant(obj, message)}
