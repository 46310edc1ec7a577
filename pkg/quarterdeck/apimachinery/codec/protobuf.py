"""Kubernetes' protobuf form of built-in types: the names that others use.

The reader and the writer are loaded when they are first needed: many a server never meets protobuf.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.codec.protobuf_types import MAGIC, DecodeError, UnknownKind, is_known

__all__ = ["MAGIC", "DecodeError", "UnknownKind", "decode", "encode", "is_known"]

Object = dict[str, Any]


def decode(data: bytes) -> Object:
    """An object with its apiVersion and kind. Raises DecodeError, of which UnknownKind is one."""
    from quarterdeck.apimachinery.codec import protobuf_decode

    return protobuf_decode.decode(data)


def encode(obj: Object) -> bytes | None:
    """An object, a list or a Status with its envelope; None when its kind has no table."""
    from quarterdeck.apimachinery.codec import protobuf_encode

    return protobuf_encode.encode(obj)
