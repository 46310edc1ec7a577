"""Documents in pieces: each is compressed once, and pieces are joined as they are, also in compressed form.

A document of N definitions is changed one definition at a time. A piece ends on a byte's boundary without ending its
deflate stream and refers to nothing outside of itself, so that a gzip file is a header, the pieces one after another,
and an end; its CRC-32 follows from those of the pieces. Only the compressed form is kept: it is a sixth of the text,
and nearly all clients ask for it. Sources: RFC 1951, 3.2; RFC 1952, 2.3; zlib's crc32_combine.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Final, NamedTuple

from quarterdeck.transport.messages import Body, LazyBody

# Upstream compresses everything that is longer (gziphandler's DefaultMinSize).
GZIP_BYTES_MIN: Final = 1400
# Bodies that are not large are handed out as one.
_WHOLE_BYTES_MAX: Final = 128 * 1024
_LEVEL: Final = 1
_RAW: Final = -15  # zlib's way to ask for deflate without a header
_GZIP_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LAST_BLOCK: Final = b"\x03\x00"
_POLYNOMIAL: Final = 0xEDB88320  # CRC-32's, its highest power in the lowest bit
_ONE: Final = 1 << 31


class Piece(NamedTuple):
    """`deflated` holds `size` bytes. `power` moves a CRC over that many bytes."""

    deflated: bytes
    size: int
    crc: int
    power: int

    def inflate(self) -> bytes:
        return zlib.decompressobj(_RAW).decompress(self.deflated)


def compress(data: bytes) -> Piece:
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    deflated = compressor.compress(data) + compressor.flush(zlib.Z_SYNC_FLUSH)
    return Piece(deflated, len(data), zlib.crc32(data), _power_of(len(data)))


def join_gzip(deflated: list[bytes], crc: int, size: int) -> list[bytes]:
    """A gzip file of pieces, whose text has `size` bytes and this CRC-32."""
    tail = crc.to_bytes(4, "little") + (size & 0xFFFFFFFF).to_bytes(4, "little")
    return [_GZIP_HEAD, *deflated, _LAST_BLOCK + tail]


class Joined:
    """Pieces as one document. `etag` is its own, without quotes."""

    __slots__ = ("_crc", "_pieces", "etag", "size")

    def __init__(self, pieces: Sequence[Piece], etag: str) -> None:
        self._pieces = pieces
        self.etag = etag
        self.size = sum(piece.size for piece in pieces)
        self._crc = 0
        for piece in pieces:
            self._crc = _multiply(piece.power, self._crc) ^ piece.crc

    def encode(self, accept_encoding: str) -> tuple[Body, str]:
        """The body to send and its Content-Encoding ("" for none)."""
        if self.size >= GZIP_BYTES_MIN and _accepts_gzip(accept_encoding):
            return join_gzip([piece.deflated for piece in self._pieces], self._crc, self.size), "gzip"
        if self.size <= _WHOLE_BYTES_MAX:
            return b"".join(self._inflate()), ""
        return LazyBody(self.size, self._inflate), ""

    def cut(self, start: int, size: int) -> Body:
        """`size` bytes from `start`, not compressed."""
        if size <= _WHOLE_BYTES_MAX:
            return b"".join(self._cut(start, size))
        return LazyBody(size, lambda: self._cut(start, size))

    def _cut(self, start: int, size: int) -> Iterator[bytes]:
        end, position = start + size, 0
        for piece in self._pieces:
            if position < end and start < position + piece.size:
                yield piece.inflate()[max(start - position, 0) : end - position]
            position += piece.size

    def _inflate(self) -> Iterator[bytes]:
        return (piece.inflate() for piece in self._pieces)


def _accepts_gzip(accept_encoding: str) -> bool:
    """As github.com/NYTimes/gziphandler reads it: of repeated codings the last counts, of parameters too."""
    accepts = False
    for clause in accept_encoding.split(","):
        coding, *parameters = (part.strip() for part in clause.split(";"))
        if coding.lower() == "gzip":
            with suppress(ValueError):
                quality = parameters[-1] if parameters and parameters[-1].startswith("q=") else "q=1"
                accepts = float(quality[2:]) > 0
    return accepts


def _multiply(left: int, right: int) -> int:
    """The product of two polynomials over GF(2), modulo CRC-32's; the highest bit is the lowest power."""
    product, bit = 0, _ONE
    while left:
        if left & bit:
            product ^= right
            left ^= bit
        bit >>= 1
        right = right >> 1 ^ _POLYNOMIAL if right & 1 else right >> 1
    return product


def _power_of(size: int) -> int:
    """x to the number of bits of `size` bytes."""
    power, position = _ONE, 0
    while size:
        if byte := size & 0xFF:
            power = _multiply(_power_of_byte(byte, position), power)
        size >>= 8
        position += 1
    return power


@cache
def _power_of_byte(byte: int, position: int) -> int:
    """x to the 8 * byte * 256 ** position; there are 255 for each of a few positions."""
    power, square = _ONE, _ONE >> 1
    for _ in range(3 + 8 * position):
        square = _multiply(square, square)
    while byte:
        if byte & 1:
            power = _multiply(square, power)
        square = _multiply(square, square)
        byte >>= 1
    return power
