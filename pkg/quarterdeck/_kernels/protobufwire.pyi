"""Protobuf's wire format: fields of varints and of counted bytes written, those of any message read.

The messages of objects are written and read by tables (protobufobject, protobufread); this is for the few of other
services.

Body: ext/protobufwire.pyx.
Source: protobuf.dev/programming-guides/encoding.
"""

class WireError(ValueError):
    """The bytes are no message."""

def varint_field(number: int, value: int) -> bytes:
    """A negative value takes ten bytes, as two's complement of 64 bits."""

def bytes_field(number: int, value: bytes) -> bytes: ...
def bytes_head(number: int, size: int) -> bytes:
    """What comes before so many counted bytes. Raises ValueError where the size is negative."""

def read_fields(message: bytes) -> list[tuple[int, int | bytes]]:
    """The fields in their order, by number; varints as numbers of 64 bits with a sign, all others as bytes. Groups are
    passed over. Raises WireError."""
