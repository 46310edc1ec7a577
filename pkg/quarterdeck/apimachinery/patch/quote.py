"""An object of a built-in kind as the text that Go writes: members in the order of its types, maps sorted.

Refusals of a patch quote the patched document; what the patch did not look into stands there as Go wrote it (texts.py).
Source: encoding/json (structs, maps), apiserver/pkg/endpoints/handlers/patch.go.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec.protobuf_types import Field, Message, UnknownKind, message_of


def write(document: Any, api_version: str, kind: str) -> str:
    """The text of an object of that kind; types contain themselves no deeper than definitions are decoded."""
    try:
        message = message_of(api_version, kind)
    except UnknownKind:
        return gofmt.format_json(document)
    return _value(document, message)


def _value(value: Any, message: Message) -> str:
    """A list is the other form of a type that stands for one schema or several."""
    if isinstance(value, list):
        return "[" + ",".join(_value(item, message) for item in value) + "]"
    return _object(value, message) if isinstance(value, dict) else gofmt.format_json(value)


def _object(value: dict[str, Any], message: Message) -> str:
    message = _written_as(message)
    fields = _fields(message)
    names = [name for name in fields if name in value]
    names += sorted(value.keys() - fields.keys())
    members = (f"{gofmt.format_json(name)}:{_member(value[name], fields.get(name))}" for name in names)
    return "{" + ",".join(members) + "}"


def _member(value: Any, field: Field | None) -> str:
    if field is None or not isinstance(field.type, Message):
        return gofmt.format_json(value)
    if field.is_map and isinstance(value, dict):
        of = field.type
        return "{" + ",".join(f"{gofmt.format_json(key)}:{_value(value[key], of)}" for key in sorted(value)) + "}"
    return _value(value, field.type)


def _written_as(message: Message) -> Message:
    """JSON does not show which of its forms such a type has: an object is the schema itself."""
    schema = message.by_name.get("schema")
    if message.name.startswith("JSONSchemaPropsOr") and schema is not None and isinstance(schema.type, Message):
        return schema.type
    return message


def _fields(message: Message) -> dict[str, Field]:
    """With those of inlined messages; in the order of the tables, which is that of Go's types."""
    fields: dict[str, Field] = {}
    for field in message.by_number.values():
        if field.is_inline and isinstance(field.type, Message):
            fields |= _fields(field.type)
        else:
            fields[field.name] = field
    return fields
