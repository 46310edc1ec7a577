"""Stored JSON written as protobuf without reading it. Body: ext/protobuftext.pyx."""

from quarterdeck._kernels.protobufobject import Message

def encode(data: bytes, message: Message) -> bytes | None:
    """What `protobufobject.encode` makes of the object of a JSON text. None where the text is not as jsonwrite writes
    it, has a member twice, or holds what is left to the slower way: fractions and long numbers, values that a table's
    `fit` is for, deep messages."""
