"""Kubernetes' protobuf form of built-in types, read: `k8s\\0`, then a runtime.Unknown that holds the object.

    magic   6b 38 73 00
    Unknown 1: typeMeta {1: apiVersion, 2: kind}   2: raw (the object)   3: contentEncoding   4: contentType

Fields that the tables do not know are skipped, as upstream does.

Source: apimachinery/pkg/runtime/serializer/protobuf/protobuf.go; the gogo/protobuf generated code (error texts).
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import gofmt, meta
from quarterdeck.apimachinery.codec import json, protobuf_unions
from quarterdeck.apimachinery.codec.protobuf_types import MAGIC, DecodeError, Field, Message, message_of

_VARINT, _FIXED64, _BYTES, _GROUP_START, _GROUP_END, _FIXED32 = range(6)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNEXPECTED_EOF: Final = "unexpected EOF"
# Differs from upstream: there the stack grows. Only schemas nest deeper than a few dozen messages.
_DEPTH_MAX: Final = 150
# From here on a float has no fraction, and integers are not exact.
_EXACT_MAX: Final = 2**53


class Envelope(NamedTuple):
    api_version: str
    kind: str
    raw: memoryview


def open_envelope(data: bytes, default_api_version: str, default_kind: str) -> Envelope:
    """What the data say that they are, by default what is expected. Raises DecodeError."""
    if not data:
        raise DecodeError("empty data")
    if not data.startswith(MAGIC):
        expected = " ".join(map(str, MAGIC))
        raise DecodeError(f"provided data does not appear to be a protobuf message, expected prefix [{expected}]")
    if len(data) == len(MAGIC):
        raise DecodeError("empty body")
    said, kind, raw = _decode_envelope(memoryview(data)[len(MAGIC) :])
    api_version = said if said.rpartition("/")[2] else default_api_version
    shown = f"runtime.TypeMeta{{APIVersion:{gofmt.quote(said)}, Kind:{gofmt.quote(kind)}}}"
    kind = kind or default_kind
    if not kind:
        raise DecodeError(f"Object 'Kind' is missing in '{shown}'")
    if not api_version:
        raise DecodeError(f"Object 'apiVersion' is missing in '{shown}'", kind)
    return Envelope(api_version, kind, raw)


def decode_raw(envelope: Envelope) -> json.Object:
    """The object in an envelope. Raises DecodeError, UnknownKind."""
    api_version, kind, raw = envelope
    message = message_of(api_version, kind)
    try:
        value = _decode_message(raw, message, _DEPTH_MAX)
    except DecodeError as error:
        raise DecodeError(error.message, kind, meta.split_api_version(api_version)[1]) from error
    return {"apiVersion": api_version, "kind": kind, **value}


def _decode_envelope(data: memoryview) -> tuple[str, str, memoryview]:
    api_version, kind, raw = "", "", memoryview(b"")
    for number, wire_type, value in _fields(data, "Unknown"):
        if number == 1:
            for inner, _, text in _fields(_need_bytes(value, wire_type, "TypeMeta"), "TypeMeta"):
                if inner == 1:
                    api_version = gofmt.decode_utf8(bytes(text))
                elif inner == 2:
                    kind = gofmt.decode_utf8(bytes(text))
        elif number == 2:
            raw = _need_bytes(value, wire_type, "Raw")
    return api_version, kind, raw


def _read_varint(data: memoryview, position: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        if shift >= 64:
            raise DecodeError("proto: integer overflow")
        if position >= len(data):
            raise DecodeError(_UNEXPECTED_EOF)
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & 0xFFFFFFFFFFFFFFFF, position
        shift += 7


def _fields(data: memoryview, name: str) -> Iterator[tuple[int, int, Any]]:
    """(number, wire type, value): an int for varints and fixed ones, a view for bytes. Groups are skipped."""
    position = 0
    group_depth = 0
    while position < len(data):
        tag, position = _read_varint(data, position)
        number, wire_type = tag >> 3, tag & 7
        value: Any = None
        if number == 0:
            raise DecodeError(f"proto: {name}: illegal tag {number} (wire type {tag})")
        if wire_type == _VARINT:
            value, position = _read_varint(data, position)
        elif wire_type in (_FIXED64, _FIXED32, _BYTES):
            size = 8 if wire_type == _FIXED64 else 4
            if wire_type == _BYTES:
                size, position = _read_varint(data, position)
                if size >= 2**63:
                    raise DecodeError("proto: negative length found during unmarshaling")
            if position + size > len(data):
                raise DecodeError(_UNEXPECTED_EOF)
            value = data[position : position + size]
            position += size
        elif wire_type == _GROUP_START:
            group_depth += 1
            continue
        elif wire_type == _GROUP_END:
            if group_depth == 0:
                raise DecodeError(f"proto: {name}: wiretype end group for non-group")
            group_depth -= 1
            continue
        else:
            raise DecodeError(f"proto: illegal wireType {wire_type}")
        if group_depth == 0:
            yield number, wire_type, value
    if group_depth:
        raise DecodeError(_UNEXPECTED_EOF)


def _need_bytes(value: Any, wire_type: int, name: str) -> memoryview:
    if wire_type != _BYTES:
        raise DecodeError(f"proto: wrong wireType = {wire_type} for field {name}")
    assert isinstance(value, memoryview)
    return value


def _decode_message(data: memoryview, message: Message, depth: int) -> Any:
    if depth == 0:
        raise DecodeError(f"proto: messages are nested deeper than {_DEPTH_MAX} levels")
    value: json.Object = {}
    for number, wire_type, item in _fields(data, message.name):
        field = message.by_number.get(number)
        if field is None:
            continue
        if field.is_map:
            entry = _need_bytes(item, wire_type, _go_name(field))
            _decode_entry(entry, field, value.setdefault(field.name, {}), depth)
        elif field.is_list:
            target = value.setdefault(field.name, [])
            if wire_type == _BYTES and field.type in ("int32", "int64"):  # packed
                target.extend(_unpack(item))
            else:
                target.append(_decode_value(item, wire_type, field, depth))
        elif field.is_inline:
            assert isinstance(field.type, Message)
            value.update(_decode_message(_need_bytes(item, wire_type, field.type.name), field.type, depth - 1))
        else:
            decoded = _decode_value(item, wire_type, field, depth)
            # Go writes the zero value of what is no pointer, though it counts as absent.
            if field.is_pointer or (decoded not in ("", 0, False) and decoded is not None):
                value[field.name] = decoded
            else:
                value.pop(field.name, None)
    union = protobuf_unions.UNIONS.get(message.name)
    return union.from_fields(value) if union else value


def _go_name(field: Field) -> str:
    return field.name[:1].upper() + field.name[1:]


def _unpack(data: memoryview) -> Iterator[int]:
    position = 0
    while position < len(data):
        number, position = _read_varint(data, position)
        yield _signed(number)


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


def _decode_entry(data: memoryview, field: Field, target: json.Object, depth: int) -> None:
    key: str = ""
    value: Any = "" if field.type in ("string", "bytes") else {} if isinstance(field.type, Message) else None
    for number, wire_type, item in _fields(data, field.name):
        if number == 1:
            key = gofmt.decode_utf8(bytes(_need_bytes(item, wire_type, _go_name(field))))
        elif number == 2:
            value = _decode_value(item, wire_type, field, depth)
    target[key] = value


def _decode_value(item: Any, wire_type: int, field: Field, depth: int) -> Any:
    type_ = field.type
    if isinstance(type_, Message):
        return _decode_message(_need_bytes(item, wire_type, _go_name(field)), type_, depth - 1)
    if type_ in ("int32", "int64", "bool"):
        if wire_type != _VARINT:
            raise DecodeError(f"proto: wrong wireType = {wire_type} for field {_go_name(field)}")
        number = _signed(item)
        return bool(number) if type_ == "bool" else number
    if type_ == "double":
        if wire_type != _FIXED64:
            raise DecodeError(f"proto: wrong wireType = {wire_type} for field {_go_name(field)}")
        return _read_double(item)
    return _READERS[type_](_need_bytes(item, wire_type, _go_name(field)))


def _read_text(data: memoryview) -> str:
    return gofmt.decode_utf8(bytes(data))


def _read_double(data: memoryview) -> float:
    number: float = struct.unpack("<d", data)[0]
    if not math.isfinite(number):
        raise DecodeError(f"json: unsupported value: {gofmt.quote(str(number))}")
    return int(number) if number.is_integer() and abs(number) <= _EXACT_MAX else number


def _read_bytes(data: memoryview) -> str:
    return base64.b64encode(data).decode("ascii")


def _numbers(data: memoryview, name: str) -> dict[int, Any]:
    return {number: value for number, _, value in _fields(data, name)}


def _read_time(data: memoryview) -> str | None:
    return _format_time(data, "Time", fraction_digits=0)


def _read_micro_time(data: memoryview) -> str | None:
    return _format_time(data, "MicroTime", fraction_digits=6)


def _format_time(data: memoryview, name: str, fraction_digits: int) -> str | None:
    parts = _numbers(data, name)
    seconds, nanoseconds = _signed(parts.get(1, 0)), _signed(parts.get(2, 0))
    if seconds == 0 and nanoseconds == 0:
        return None  # how upstream writes the zero time
    try:
        moment = _EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
    except OverflowError as error:
        raise DecodeError(f"proto: {name}: time out of range") from error
    fraction = f".{moment.microsecond:06d}" if fraction_digits else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + f"{fraction}Z"


def _read_quantity(data: memoryview) -> str:
    return _read_text(_numbers(data, "Quantity").get(1, memoryview(b"")))


def _read_int_or_string(data: memoryview) -> int | str:
    parts = _numbers(data, "IntOrString")
    if parts.get(1, 0) == 0:
        return _signed(parts.get(2, 0))
    return _read_text(parts.get(3, memoryview(b"")))


def _read_json(data: memoryview) -> Any:
    raw = _numbers(data, "RawExtension").get(1)
    if raw is None:
        return None
    try:
        return json.decode(bytes(raw)).value
    except json.DecodeError as error:
        raise DecodeError(error.message) from error


def _read_strings(data: memoryview) -> list[str]:
    return [_read_text(value) for number, _, value in _fields(data, "ExtraValue") if number == 1]


_READERS: Final[dict[str, Callable[[memoryview], Any]]] = {
    "string": _read_text,
    "bytes": _read_bytes,
    "Time": _read_time,
    "MicroTime": _read_micro_time,
    "Quantity": _read_quantity,
    "IntOrString": _read_int_or_string,
    "RawExtension": _read_json,
    "FieldsV1": _read_json,
    "JSON": _read_json,
    "Strings": _read_strings,
}
