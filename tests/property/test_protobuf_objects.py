"""Objects of every type that has a table, written by the kernel and by the reference: both read back as they were."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apimachinery.codec.protobuf_types import Field, Message, message_of
from quarterdeck.apimachinery.typetables import reader
from reference import protobuf_reference as reference
from support.typed_objects import objects

KINDS = [
    (f"{group}/{version}" if group else version, kind)
    for (group, version), table in reader.TABLES.items()
    for entry in (reader.find(table, name) for name in reader.names(table))
    if entry is not None and any(field.name == "metadata" for field in entry.fields)
    for kind in (entry.name, f"{entry.name}List")
    if reader.find(table, kind) is not None
]


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


PLAIN = ("string", "bool", "int32", "int64", "double", "IntOrString")


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
