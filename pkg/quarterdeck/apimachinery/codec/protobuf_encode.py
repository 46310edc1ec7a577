"""Built-in objects to protobuf, for clients that accept nothing else or ask for it first.

The counterpart of protobuf_decode, on the same tables, which are compiled for the kernel. Members that a table does not
know are left out. Source: apimachinery/pkg/runtime/serializer/protobuf/protobuf.go.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from quarterdeck._kernels import protobuf as kernel
from quarterdeck.apimachinery import time
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.codec.protobuf_types import MAGIC, Field, Message, UnknownKind, message_of
from quarterdeck.apimachinery.codec.protobuf_wire import bytes_field, bytes_head, varint_field

# Types nest far less deep, save schemas, which have no table.
_DEPTH_MAX: Final = 100
# One object names the time of its creation and of its last change again and again.
_TIMES_CACHED_MAX: Final = 4096
# No content encoding, no content type.
_ENVELOPE_TAIL: Final = bytes_field(3, b"") + bytes_field(4, b"")


def encode(obj: json.Object) -> bytes | None:
    """An object, a list or a Status with its envelope; None when its kind has no table."""
    api_version, kind = obj.get("apiVersion") or "", obj.get("kind") or ""
    try:
        message = message_of(api_version, kind)
    except UnknownKind:
        return None
    raw = _encode_message(obj, message)
    head, tail = envelope_ends(api_version, kind, len(raw))
    return head + raw + tail


def encode_message(obj: json.Object, api_version: str, kind: str) -> bytes:
    return _encode_message(obj, message_of(api_version, kind))


def envelope_ends(api_version: str, kind: str, size: int) -> tuple[bytes, bytes]:
    return _envelope_head(api_version, kind) + bytes_head(2, size), _ENVELOPE_TAIL


@lru_cache(maxsize=256)
def _envelope_head(api_version: str, kind: str) -> bytes:
    return MAGIC + bytes_field(1, bytes_field(1, api_version.encode()) + bytes_field(2, kind.encode()))


def encode_list_ends(api_version: str, kind: str, metadata: json.Object, items_size: int) -> tuple[bytes, bytes]:
    shown = _encode_message({"metadata": metadata}, message_of(api_version, kind))
    head, tail = envelope_ends(api_version, kind, len(shown) + items_size)
    return head + shown, tail


def encode_item_head(api_version: str, kind: str, size: int) -> bytes:
    return bytes_head(message_of(api_version, kind).by_name["items"].number, size)


def _encode_message(value: json.Object, message: Message) -> bytes:
    return kernel.encode(value, _compile(message), json.encode, _DEPTH_MAX)


# By the identity of messages, which are there for ever.
_compiled: Final[dict[int, kernel.Message]] = {}


def _compile(message: Message) -> kernel.Message:
    """What the kernel writes a message by."""
    built = _compiled.get(id(message))
    if built is None:
        built = _compiled[id(message)] = kernel.Message(0)
        for field in message.by_number.values():
            if field.is_inline:
                assert isinstance(field.type, Message)
                built.add_inline(field.number, _compile(field.type))
            else:
                _add(built, field)
    return built


def _add(built: kernel.Message, field: Field) -> None:
    if field.is_map:
        entry = kernel.Message(0)
        kind, target = _kind_of(field.type, is_list=False)
        entry.add("value", kind, (2,), target)
        built.add(field.name, kernel.MAP_OF, (field.number,), entry)
    else:
        kind, target = _kind_of(field.type, is_list=field.is_list)
        built.add(field.name, kind, (field.number,), target)


def _kind_of(type_: str | Message, *, is_list: bool) -> tuple[int, kernel.Message | Callable[[Any], bytes] | None]:
    if isinstance(type_, Message):
        return kernel.MESSAGE, _compile(type_)
    if (kind := _KINDS.get(type_)) is not None:
        return kind, None
    return (kernel.OWNS if is_list else kernel.OWN), _WRITERS[type_]


def _write_text(item: Any) -> bytes:
    return str(item).encode("utf-8", "replace")


def _write_bytes(item: Any) -> bytes:
    try:
        return base64.b64decode(item)
    except (binascii.Error, ValueError):
        return b""


@lru_cache(maxsize=_TIMES_CACHED_MAX)
def _write_time(item: str) -> bytes:
    time_s = time.parse_rfc3339(str(item))
    if time_s is None:
        return b""
    seconds, microseconds = divmod(round(time_s * 1_000_000), 1_000_000)
    return varint_field(1, seconds) + varint_field(2, microseconds * 1000)


def _write_quantity(item: Any) -> bytes:
    return bytes_field(1, _write_text(item))


def _write_int_or_string(item: Any) -> bytes:
    if isinstance(item, str):
        return varint_field(1, 1) + varint_field(2, 0) + bytes_field(3, item.encode())
    return varint_field(1, 0) + varint_field(2, int(item)) + bytes_field(3, b"")


def _write_json(item: Any) -> bytes:
    return bytes_field(1, json.encode(item))


def _write_strings(item: Any) -> bytes:
    return b"".join(bytes_field(1, _write_text(each)) for each in item)


_KINDS: Final = {"string": kernel.STRING, "bool": kernel.BOOL, "int32": kernel.INT, "int64": kernel.INT}
_WRITERS: Final[dict[str, Callable[[Any], bytes]]] = {
    "bytes": _write_bytes,
    "Time": _write_time,
    "MicroTime": _write_time,
    "Quantity": _write_quantity,
    "IntOrString": _write_int_or_string,
    "RawExtension": _write_json,
    "FieldsV1": _write_json,
    "Strings": _write_strings,
}
