"""Protobuf's wire format: fields of varints and of counted bytes written, those of any message read.

The messages of objects have a kernel of their own (ext/protobuf.pyx); this is for the few of other services.

Source: protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_UINT64_MASK = 0xFFFFFFFFFFFFFFFF
_VARINT_BYTES_MAX: Final = 10


class WireError(ValueError):
    """The bytes are no message."""


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


def read_fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields in their order, by number; varints as numbers of 64 bits without a sign, all others as bytes. Raises
    WireError."""
    at, end = 0, len(message)
    try:
        while at < end:
            tag = message[at]
            at += 1
            if tag >= 0x80:
                tag, at = _read_varint(message, at - 1)
            wire = tag & 7
            if wire == _VARINT:
                value, at = _read_varint(message, at)
                yield tag >> 3, value
                continue
            if wire == _BYTES:
                size, at = _read_varint(message, at)
            elif wire in (_FIXED64, _FIXED32):
                size = 8 if wire == _FIXED64 else 4
            else:
                raise WireError(f"wire type {wire}")
            if at + size > end:
                raise WireError("it ends early")
            yield tag >> 3, message[at : at + size]
            at += size
    except IndexError as error:
        raise WireError("it ends early") from error


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    value = 0
    for shift in range(_VARINT_BYTES_MAX):
        byte = message[at + shift]
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value & _UINT64_MASK, at + shift + 1
    raise WireError("a number of more than ten bytes")
