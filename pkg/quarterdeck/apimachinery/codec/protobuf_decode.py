"""Kubernetes' protobuf form of built-in types, read: `k8s\\0`, then a runtime.Unknown that holds the object.

    magic   6b 38 73 00
    Unknown 1: typeMeta {1: apiVersion, 2: kind}   2: raw (the object)   3: contentEncoding   4: contentType

Fields that the tables do not know are skipped, as upstream does.

Source: apimachinery/pkg/runtime/serializer/protobuf/protobuf.go; the gogo/protobuf generated code (error texts).
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from quarterdeck._kernels import protobufobject as plain
from quarterdeck._kernels import protobufread as kernel
from quarterdeck.apimachinery import gofmt, meta, moments
from quarterdeck.apimachinery.codec import json, protobuf_unions
from quarterdeck.apimachinery.codec.protobuf_envelope import ENVELOPE_TAIL, envelope_head
from quarterdeck.apimachinery.codec.protobuf_gonames import go_name
from quarterdeck.apimachinery.codec.protobuf_tables import Tables, shape_of
from quarterdeck.apimachinery.codec.protobuf_types import MAGIC, DecodeError, Field, Message, message_of

# Differs from upstream: there the stack grows. Only schemas nest deeper than a few dozen messages.
_DEPTH_MAX: Final = 150
# One object names the time of its creation and of its last change again and again.
_TIMES_CACHED_MAX: Final = 4096


class Envelope(NamedTuple):
    api_version: str
    kind: str
    raw: bytes


def open_envelope(data: bytes, default_api_version: str, default_kind: str) -> Envelope:
    """What the data say that they are, by default what is expected. Raises DecodeError."""
    if not data:
        raise DecodeError("empty data")
    if not data.startswith(MAGIC):
        expected = " ".join(map(str, MAGIC))
        raise DecodeError(f"provided data does not appear to be a protobuf message, expected prefix [{expected}]")
    if len(data) == len(MAGIC):
        raise DecodeError("empty body")
    unknown = _decode(data[len(MAGIC) :], _UNKNOWN)
    type_meta = unknown.get("typeMeta", {})
    said, kind = type_meta.get("apiVersion", ""), type_meta.get("kind", "")
    api_version = said if said.rpartition("/")[2] else default_api_version
    shown = f"runtime.TypeMeta{{APIVersion:{gofmt.quote(said)}, Kind:{gofmt.quote(kind)}}}"
    kind = kind or default_kind
    if not kind:
        raise DecodeError(f"Object 'Kind' is missing in '{shown}'")
    if not api_version:
        raise DecodeError(f"Object 'apiVersion' is missing in '{shown}'", kind)
    return Envelope(api_version, kind, unknown.get("raw", b""))


def decode_raw(envelope: Envelope, message: Message | None = None) -> json.Object:
    """The object in an envelope; `message`: what it is, where that is not told by its version and kind. Raises
    DecodeError, UnknownKind."""
    api_version, kind, raw = envelope
    message = message or message_of(api_version, kind)
    try:
        value = _decode(raw, _tables.of(message))
    except DecodeError as error:
        raise DecodeError(error.message, kind, meta.split_api_version(api_version)[1]) from error
    return {"apiVersion": api_version, "kind": kind, **value}


def plain_reader(api_version: str, kind: str) -> Callable[[json.Object, bytes], Any]:
    """What reads bodies that say of themselves that they are of this kind, as Go's clients write them, into an object;
    None of others, which are left to `open_envelope`. Raises DecodeError. A struct by value that holds nothing is left
    out, as JSON leaves it out."""
    head, table = envelope_head(api_version, kind), _tables.of(message_of(api_version, kind))
    refused, to_text = DecodeError, gofmt.decode_utf8
    return partial(kernel.decode_enclosed, head, ENVELOPE_TAIL, table, refused, to_text, _DEPTH_MAX)


def _decode(data: bytes, message: kernel.Message) -> Any:
    return kernel.decode(data, message, DecodeError, gofmt.decode_utf8, _DEPTH_MAX)


def _begin(message: Message) -> kernel.Message:
    union = protobuf_unions.UNIONS.get(message.name)
    return kernel.Message(message.name, union.from_fields if union else None)


def _add(built: kernel.Message, field: Field, within: kernel.Message | None) -> None:
    kind, target = (plain.MESSAGE, within) if isinstance(field.type, Message) else _KINDS[field.type]
    built.add(field.number, field.name, go_name(built.name, field), kind, shape_of(field), target)


_tables: Final = Tables(_begin, _add)


def _read_bytes(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _read_time(seconds: int, nanoseconds: int) -> str:
    return f"{_show_seconds(seconds)}Z"  # upstream leaves the rest


def _read_micro_time(seconds: int, nanoseconds: int) -> str:
    more, nanoseconds = divmod(nanoseconds, 1_000_000_000)
    return f"{_show_seconds(seconds + more)}.{nanoseconds // 1000:06d}Z"


_show_seconds: Final = lru_cache(maxsize=_TIMES_CACHED_MAX)(moments.show)


def _read_fields(raw: bytes) -> Any:
    """What is no JSON is no set of fields either, which those who decode managedFields find out."""
    try:
        return json.decode(raw).value
    except json.DecodeError:
        return False


def _read_json(raw: bytes) -> Any:
    try:
        return json.decode(raw).value
    except json.DecodeError as error:
        raise DecodeError(error.message) from error


_KINDS: Final[dict[str, tuple[int, Callable[..., Any] | int | None]]] = {
    "string": (plain.STRING, None),
    "bool": (plain.BOOL, None),
    "int32": (plain.INT, 32),
    "int64": (plain.INT, None),
    "double": (plain.DOUBLE, None),
    "bytes": (plain.BYTES, _read_bytes),
    "Time": (kernel.TIME, _read_time),
    "MicroTime": (kernel.TIME, _read_micro_time),
    "Quantity": (kernel.QUANTITY, None),
    "IntOrString": (kernel.INT_OR_STRING, None),
    "RawExtension": (kernel.RAW, _read_json),
    "FieldsV1": (kernel.RAW, _read_fields),
    "JSON": (kernel.RAW, _read_json),
    "Strings": (kernel.STRINGS, None),
}


def _unknown() -> kernel.Message:
    """runtime.Unknown, as far as it is looked at."""
    type_meta = kernel.Message("TypeMeta")
    type_meta.add(1, "apiVersion", "APIVersion", plain.STRING, plain.VALUE)
    type_meta.add(2, "kind", "Kind", plain.STRING, plain.VALUE)
    unknown = kernel.Message("Unknown")
    unknown.add(1, "typeMeta", "TypeMeta", plain.MESSAGE, plain.VALUE, type_meta)
    unknown.add(2, "raw", "Raw", plain.BYTES, plain.VALUE, bytes)
    unknown.add(3, "contentEncoding", "ContentEncoding", plain.STRING, plain.VALUE)
    unknown.add(4, "contentType", "ContentType", plain.STRING, plain.VALUE)
    return unknown


_UNKNOWN: Final = _unknown()
