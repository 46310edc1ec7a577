"""A request's head or body while it comes in, in whatever pieces.

A body has a declared length or is chunked (RFC 9112, 6 and 7.1).
"""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import http1chunks

# A piece of this size is kept as it came, smaller ones are gathered: few pieces, and no copy of a large body until it
# is whole.
_PIECE_BYTES_MIN: Final = 16 * 1024


class IncomingHead:
    """The part of a head that was there at first is `data`; it may have `bytes_max` bytes."""

    __slots__ = ("_buffer", "_bytes_max", "_searched")

    def __init__(self, data: bytes, bytes_max: int) -> None:
        self._buffer = bytearray(data)
        self._searched = len(data)
        self._bytes_max = bytes_max

    def feed(self, data: bytes) -> bool:
        """Takes more of it. True: its end is there, or it is too long."""
        buffer = self._buffer
        buffer += data
        # An empty line may have begun in the last piece.
        begin = max(self._searched - 3, 0)
        self._searched = len(buffer)
        return (
            buffer.find(b"\n\r\n", begin) >= 0 or buffer.find(b"\n\n", begin) >= 0 or self._searched > self._bytes_max
        )

    def take(self) -> bytes:
        return bytes(self._buffer)


class IncomingBody:
    """`length` in bytes is -1 for a chunked body, which may have `bytes_max` bytes."""

    __slots__ = ("_chunks", "_gathered", "_missing", "_pieces", "is_done")

    def __init__(self, length: int, bytes_max: int) -> None:
        self._chunks: http1chunks.ChunkedBody | None = http1chunks.ChunkedBody(bytes_max) if length < 0 else None
        self._pieces: list[bytes] = []
        self._gathered = bytearray()
        self._missing = length
        self.is_done = False

    def feed(self, data: bytes, offset: int) -> int:
        """Takes what belongs to the body from `offset` on; returns the offset behind it, or a negative code of the
        kernel (http1chunks)."""
        if self._chunks is not None:
            end = self._chunks.feed(data, offset)
            self.is_done = self._chunks.is_done
            return end
        end = min(offset + self._missing, len(data))
        self._keep(data if offset == 0 and end == len(data) else data[offset:end])
        self._missing -= end - offset
        self.is_done = self._missing == 0
        return end

    def take(self) -> bytes:
        """The body, once it is done."""
        if self._chunks is not None:
            return self._chunks.take()
        self._gather()
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def _keep(self, piece: bytes) -> None:
        if len(piece) >= _PIECE_BYTES_MIN:
            self._gather()
            self._pieces.append(piece)
            return
        self._gathered += piece
        if len(self._gathered) >= _PIECE_BYTES_MIN:
            self._gather()

    def _gather(self) -> None:
        if self._gathered:
            self._pieces.append(bytes(self._gathered))
            self._gathered = bytearray()
