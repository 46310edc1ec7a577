"""Built-in objects to protobuf, field by field as the tables stand: the twin of codec/protobuf_encode."""

from __future__ import annotations

import base64
import json
import struct
from datetime import UTC, datetime
from typing import Any

from quarterdeck.apimachinery.codec.protobuf_types import Field, Message, message_of

Object = dict[str, Any]


def encode_message(obj: Object, api_version: str, kind: str) -> bytes:
    return _encode(obj, message_of(api_version, kind))


def _varint(number: int) -> bytes:
    number %= 1 << 64
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def _counted(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _encode(value: Any, message: Message) -> bytes:
    if message.name == "JSONSchemaPropsOrBool":
        value = {
            "allows": value is True or isinstance(value, dict),
            "schema": value if isinstance(value, dict) else None,
        }
    elif message.name.startswith("JSONSchemaPropsOr"):
        value = {"schema" if isinstance(value, dict) else message.by_number[2].name: value}
    out = b""
    for _, field in sorted(message.by_number.items()):
        if field.is_inline:
            assert isinstance(field.type, Message)
            out += _counted(field.number, _encode(value, field.type))
            continue
        item = value.get(field.name)
        if field.is_list:
            out += b"".join(_field(field.number, field, each) for each in item or ())
        elif field.is_map:
            for key, each in sorted((item or {}).items()):
                out += _counted(field.number, _counted(1, key.encode()) + _field(2, field, each))
        elif item is not None or not field.is_pointer:
            out += _field(field.number, field, item)
    return out


def _field(number: int, field: Field, item: Any) -> bytes:
    """None: the zero value."""
    type_ = field.type
    if isinstance(type_, Message):
        return _counted(number, _encode({} if item is None else item, type_))
    if type_ in ("int32", "int64", "bool"):
        return _number(number, int(item or 0))
    if type_ == "double":
        return _varint(number << 3 | 1) + struct.pack("<d", item or 0)
    if type_ == "bytes":
        return b"" if item is None else _counted(number, base64.b64decode(item))
    return _counted(number, _text_of(type_, item))


def _text_of(type_: str, item: Any) -> bytes:
    if type_ == "string":
        return (item or "").encode()
    if type_ == "IntOrString":
        if isinstance(item, str):
            return _number(1, 1) + _number(2, 0) + _counted(3, item.encode())
        return _number(1, 0) + _number(2, item or 0) + _counted(3, b"")
    if type_ == "Quantity":
        return _counted(1, (item or "0").encode())
    if item is None:
        return b""
    if type_ in ("Time", "MicroTime"):
        moment = datetime.fromisoformat(item) - datetime(1970, 1, 1, tzinfo=UTC)
        return _number(1, moment.days * 86400 + moment.seconds) + _number(2, moment.microseconds * 1000)
    if type_ == "Strings":
        return b"".join(_counted(1, each.encode()) for each in item)
    return _counted(1, json.dumps(item, separators=(",", ":"), ensure_ascii=False).encode())
