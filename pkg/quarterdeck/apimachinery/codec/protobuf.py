"""Kubernetes' protobuf form of built-in types: the names that others use.

The reader and the writer are loaded when they are first needed: many a server never meets protobuf.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from quarterdeck.apimachinery.codec.protobuf_types import MAGIC, DecodeError, UnknownKind, is_known

__all__ = [
    "MAGIC",
    "DecodeError",
    "UnknownKind",
    "api_version_of",
    "decode",
    "enclosing",
    "encode",
    "encode_items",
    "encode_list_ends",
    "encode_message",
    "envelope_ends",
    "is_known",
    "load_plain",
    "text_writer",
]

Object = dict[str, Any]

_READERS_CACHED_MAX: Final = 256


def decode(
    data: bytes,
    default_api_version: str = "",
    default_kind: str = "",
    check: Callable[[str, str], None] = lambda api_version, kind: None,
) -> Object:
    """An object with its apiVersion and kind, by default those that are given; `check` looks at them before the object
    is read. Raises DecodeError, of which UnknownKind is one."""
    from quarterdeck.apimachinery.codec import protobuf_decode

    envelope = protobuf_decode.open_envelope(data, default_api_version, default_kind)
    check(envelope.api_version, envelope.kind)
    return protobuf_decode.decode_raw(envelope)


def api_version_of(data: bytes) -> str:
    """What an object says that it is of; "" where it does not. Raises DecodeError."""
    from quarterdeck.apimachinery.codec import protobuf_decode

    return protobuf_decode.open_envelope(data, "-", "-").api_version.removeprefix("-")


def load_plain(data: bytes, api_version: str, kind: str) -> Object | None:
    """The object of a body that says of itself what it is expected to be; None: `decode` has to look. A struct by value
    that holds nothing is left out of it."""
    try:
        loaded: Object | None = _plain_reader(api_version, kind)({"apiVersion": api_version, "kind": kind}, data)
        return loaded
    except DecodeError:
        return None


@lru_cache(maxsize=_READERS_CACHED_MAX)
def _plain_reader(api_version: str, kind: str) -> Callable[[Object, bytes], Any]:
    from quarterdeck.apimachinery.codec import protobuf_decode

    return protobuf_decode.plain_reader(api_version, kind)


def encode(obj: Object) -> bytes | None:
    """An object, a list or a Status with its envelope; None when its kind has no table."""
    from quarterdeck.apimachinery.codec import protobuf_encode

    return protobuf_encode.encode(obj)


def encode_message(obj: Object, api_version: str, kind: str) -> bytes:
    """An object of a kind that `is_known`, without its envelope."""
    from quarterdeck.apimachinery.codec import protobuf_encode

    return protobuf_encode.encode_message(obj, api_version, kind)


def text_writer(api_version: str, kind: str) -> Callable[[bytes], bytes]:
    """What does the same with objects of that kind in their stored JSON."""
    from quarterdeck.apimachinery.codec import protobuf_encode

    return protobuf_encode.text_writer(api_version, kind)


def envelope_ends(api_version: str, kind: str, size: int) -> tuple[bytes, bytes]:
    """What stands before and after a message of `size` bytes in its envelope."""
    from quarterdeck.apimachinery.codec import protobuf_envelope

    return protobuf_envelope.envelope_ends(api_version, kind, size)


def enclosing(api_version: str, kind: str) -> Callable[[bytes], bytes]:
    """What puts its envelope around a message of that kind."""
    from quarterdeck.apimachinery.codec import protobuf_envelope

    return protobuf_envelope.enclosing(api_version, kind)


def encode_list_ends(api_version: str, kind: str, metadata: Object, items_size: int) -> tuple[bytes, bytes]:
    """What stands before and after a list's items, which have `items_size` bytes with their heads."""
    from quarterdeck.apimachinery.codec import protobuf_encode

    return protobuf_encode.encode_list_ends(api_version, kind, metadata, items_size)


def encode_items(api_version: str, kind: str, messages: list[bytes]) -> list[bytes]:
    """The items of a list of that kind: what stands before each, and the item, in turns."""
    from quarterdeck.apimachinery.codec import protobuf_encode

    return protobuf_encode.encode_items(api_version, kind, messages)
