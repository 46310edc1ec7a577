"""Protobuf's wire format, as far as it is written here: fields of varints and of counted bytes.

Source: protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

_VARINT, _BYTES = 0, 2
_UINT64_MASK = 0xFFFFFFFFFFFFFFFF


def varint(number: int) -> bytes:
    """A negative number takes ten bytes, as two's complement of 64 bits."""
    number &= _UINT64_MASK
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def varint_field(number: int, value: int) -> bytes:
    return varint(number << 3 | _VARINT) + varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    return bytes_head(number, len(value)) + value


def bytes_head(number: int, size: int) -> bytes:
    """What comes before so many counted bytes."""
    return varint(number << 3 | _BYTES) + varint(size)
