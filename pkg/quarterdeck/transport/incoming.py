"""A request's head or body while it comes in, in whatever pieces.

A body has a declared length or is chunked (RFC 9112, 6 and 7.1).
"""

from __future__ import annotations

from quarterdeck._kernels import http1chunks


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

    __slots__ = ("_buffer", "_chunks", "_missing", "is_done")

    def __init__(self, length: int, bytes_max: int) -> None:
        self._chunks: http1chunks.ChunkedBody | None = http1chunks.ChunkedBody(bytes_max) if length < 0 else None
        self._buffer = bytearray()
        self._missing = length
        self.is_done = False

    def feed(self, data: bytes, offset: int) -> int:
        """Takes what belongs to the body from `offset` on; returns the offset behind it, or a negative code of the
        kernel (CHUNK_MALFORMED, CHUNK_TOO_LARGE)."""
        if self._chunks is not None:
            end = self._chunks.feed(data, offset)
            self.is_done = self._chunks.is_done
            return end
        end = min(offset + self._missing, len(data))
        self._buffer += data[offset:end]
        self._missing -= end - offset
        self.is_done = self._missing == 0
        return end

    def take(self) -> bytes:
        """The body, once it is done."""
        return self._chunks.take() if self._chunks is not None else bytes(self._buffer)
