"""Built-in objects to protobuf, byte for byte as upstream's generated code writes them.

The counterpart of protobuf_decode, on the same tables, which are compiled for the kernel. Members that a table does not
know are left out. Source: apimachinery/pkg/runtime/serializer/protobuf/protobuf.go; the generated.pb.go of the groups.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from quarterdeck._kernels import protobufobject as kernel
from quarterdeck._kernels import protobuftext
from quarterdeck._kernels.protobufwire import bytes_field, varint_field
from quarterdeck.apimachinery import moments, time
from quarterdeck.apimachinery.codec import json, protobuf_unions
from quarterdeck.apimachinery.codec.protobuf_envelope import enclosing, envelope_ends
from quarterdeck.apimachinery.codec.protobuf_tables import Tables, shape_of
from quarterdeck.apimachinery.codec.protobuf_types import Field, Message, UnknownKind, message_of

# Of what nests deeper nothing is written. Only schemas nest deeper than a few dozen messages.
_DEPTH_MAX: Final = 2000
# One object names the time of its creation and of its last change again and again.
_TIMES_CACHED_MAX: Final = 4096


def encode(obj: json.Object) -> bytes | None:
    """An object, a list or a Status with its envelope; None when its kind has no table."""
    api_version, kind = obj.get("apiVersion") or "", obj.get("kind") or ""
    try:
        message = message_of(api_version, kind)
    except UnknownKind:
        return None
    return enclosing(api_version, kind)(_encode_message(obj, message))


def encode_message(obj: json.Object, api_version: str, kind: str) -> bytes:
    return _encode_message(obj, message_of(api_version, kind))


def text_writer(api_version: str, kind: str) -> Callable[[bytes], bytes]:
    """`encode_message` of the object of a stored JSON text."""
    table = _tables.of(message_of(api_version, kind))

    def write(data: bytes) -> bytes:
        written = protobuftext.encode(data, table)
        return kernel.encode(json.load(data), table, _DEPTH_MAX) if written is None else written

    return write


def encode_list_ends(api_version: str, kind: str, metadata: json.Object, items_size: int) -> tuple[bytes, bytes]:
    """The metadata stands before the items, or after them where its number is higher."""
    message = message_of(api_version, kind)
    shown = _encode_message({"metadata": metadata}, message)
    head, tail = envelope_ends(api_version, kind, len(shown) + items_size)
    if message.by_name["metadata"].number < message.by_name["items"].number:
        return head + shown, tail
    return head, shown + tail


def encode_items(api_version: str, kind: str, messages: list[bytes]) -> list[bytes]:
    return kernel.repeat(message_of(api_version, kind).by_name["items"].number, messages)


def _encode_message(value: json.Object, message: Message) -> bytes:
    return kernel.encode(value, _tables.of(message), _DEPTH_MAX)


def _begin(message: Message) -> kernel.Message:
    union = protobuf_unions.UNIONS.get(message.name)
    return kernel.Message(union.to_fields if union else None)


def _add(built: kernel.Message, field: Field, within: kernel.Message | None) -> None:
    kind, target = (kernel.MESSAGE, within) if isinstance(field.type, Message) else _kind_of(field.type)
    built.add(field.number, field.name, kind, shape_of(field), target)


_tables: Final = Tables(_begin, _add)


def _kind_of(type_: str) -> tuple[int, Callable[[Any], bytes] | None]:
    if (kind := _KINDS.get(type_)) is not None:
        return kind, None
    return (kernel.BYTES, _write_bytes) if type_ == "bytes" else _WRITERS[type_]


def _write_text(item: Any) -> bytes:
    return str(item).encode("utf-8", "replace")


def _write_bytes(item: Any) -> bytes:
    try:
        return base64.b64decode(item)
    except (binascii.Error, ValueError):
        return b""


def _write_time(item: Any) -> bytes:
    """Nothing for the zero time, which JSON shows as null."""
    return _write_moment(item, is_micro=False) if isinstance(item, str) else b""


def _write_micro_time(item: Any) -> bytes:
    return _write_moment(item, is_micro=True) if isinstance(item, str) else b""


@lru_cache(maxsize=_TIMES_CACHED_MAX)
def _write_moment(item: str, *, is_micro: bool) -> bytes:
    found = moments.read(item)
    if found is None:
        time_s = time.parse_rfc3339(item)
        if time_s is None:
            return b""
        found = divmod(round(time_s * 1_000_000), 1_000_000)
    seconds, microseconds = found
    if seconds == time.ZERO_S and not microseconds:
        return b""
    return varint_field(1, seconds) + varint_field(2, microseconds * 1000 if is_micro else 0)


def _write_quantity(item: Any) -> bytes:
    return bytes_field(1, b"0" if item is None else _write_text(item))


def _write_int_or_string(item: Any) -> bytes:
    if isinstance(item, str):
        return varint_field(1, 1) + varint_field(2, 0) + bytes_field(3, _write_text(item))
    number = int(item) if isinstance(item, int | float) else 0
    return varint_field(1, 0) + varint_field(2, number) + bytes_field(3, b"")


def _write_json(item: Any) -> bytes:
    return b"" if item is None else bytes_field(1, json.encode(item))


def _write_strings(item: Any) -> bytes:
    return b"".join(bytes_field(1, _write_text(each)) for each in item) if isinstance(item, list) else b""


_KINDS: Final = {
    "string": kernel.STRING,
    "bool": kernel.BOOL,
    "int32": kernel.INT,
    "int64": kernel.INT,
    "double": kernel.DOUBLE,
}
_WRITERS: Final[dict[str, tuple[int, Callable[[Any], bytes]]]] = {
    "Time": (kernel.TIME, _write_time),
    "MicroTime": (kernel.OWN, _write_micro_time),
    "Quantity": (kernel.QUANTITY, _write_quantity),
    "IntOrString": (kernel.INT_OR_STRING, _write_int_or_string),
    "RawExtension": (kernel.JSON, _write_json),
    "FieldsV1": (kernel.JSON, _write_json),
    "JSON": (kernel.JSON, _write_json),
    "Strings": (kernel.STRINGS, _write_strings),
}
