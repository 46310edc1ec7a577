"""Kubernetes' protobuf form of built-in types: the names that others use. See protobuf_decode and protobuf_encode."""

from quarterdeck.apimachinery.codec.protobuf_decode import decode
from quarterdeck.apimachinery.codec.protobuf_encode import encode
from quarterdeck.apimachinery.codec.protobuf_types import MAGIC, DecodeError, UnknownKind, is_known

__all__ = ["MAGIC", "DecodeError", "UnknownKind", "decode", "encode", "is_known"]
