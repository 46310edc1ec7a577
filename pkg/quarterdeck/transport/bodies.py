"""Large bodies: sent in bounded pieces as the client takes them, compressed away from the event loop.

However large an answer is, a client that does not read it holds one or two pieces and what the socket takes.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Final

from quarterdeck.transport.channel import Channel
from quarterdeck.transport.messages import frame_chunk

PIECE_BYTES: Final = 256 * 1024
_GZIP_LEVEL: Final = 4  # upstream: endpoints/handlers/responsewriters/writers.go, defaultGzipContentEncodingLevel
_GZIP_WINDOW: Final = 31  # zlib's way to ask for the gzip format with the largest window


def pack(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of about PIECE_BYTES: small ones joined, large ones cut. While a piece is with the
    client nothing of it is held here."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        if len(piece) > 2 * PIECE_BYTES:
            if waiting:
                yield _take(waiting)
                size = 0
            for begin in range(0, len(piece), PIECE_BYTES):
                yield piece[begin : begin + PIECE_BYTES]
            continue
        waiting.append(piece)
        size += len(piece)
        del piece
        if size >= PIECE_BYTES // 2:
            yield _take(waiting)
            size = 0
    if waiting:
        yield _take(waiting)


def _take(waiting: list[bytes]) -> bytes:
    """All of them as one (without a copy where there is one); the list is empty then."""
    joined = b"".join(waiting) if len(waiting) > 1 else waiting[0]
    waiting.clear()
    return joined


def compress(pieces: Iterable[bytes]) -> list[bytes]:
    """The gzip form, whole. zlib lets go of the interpreter while it works: meant for a thread."""
    return list(iter_compressed(pieces))


def iter_compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
    for piece in pack(pieces):
        if part := compressor.compress(piece):
            yield part
    yield compressor.flush()


def accepts_gzip(accept_encoding: str) -> bool:
    """Upstream looks for the bare token, without weights (negotiateContentEncoding)."""
    return any(token.strip() == "gzip" for token in accept_encoding.split(","))


class BodyPump:
    """Writes a body while the client takes it."""

    __slots__ = ("_channel", "_is_paused", "_pieces")

    def __init__(self, channel: Channel, pieces: Iterable[bytes]) -> None:
        self._channel = channel
        self._pieces = pack(pieces)
        self._is_paused = False

    def pause(self) -> None:
        self._is_paused = True

    def run(self) -> bool:
        """Write until the client is behind. True: everything is written."""
        self._is_paused = False
        for piece in self._pieces:
            self._channel.write(piece)
            if self._is_paused:
                return False
        return True


RunInThread = Callable[[Callable[[Iterator[bytes]], bytes], Iterator[bytes]], Awaitable[bytes]]


class CompressedBody:
    """Compresses the next piece when the client has taken what was before; sends chunks."""

    def __init__(self, channel: Channel, pieces: Iterable[bytes], *, is_paused: bool) -> None:
        self._channel = channel
        self._parts = iter_compressed(pieces)
        self._may_write = asyncio.Event()
        if not is_paused:
            self._may_write.set()

    def pause(self) -> None:
        self._may_write.clear()

    def resume(self) -> None:
        self._may_write.set()

    async def send(self, run_in_thread: RunInThread) -> None:
        """Return when everything has been written, or the client has left."""
        while part := await run_in_thread(_next_part, self._parts):
            if self._channel.is_closing():
                return
            self._channel.write(frame_chunk(part))
            await self._may_write.wait()
        self._channel.write(b"0\r\n\r\n")


def _next_part(parts: Iterator[bytes]) -> bytes:
    """Empty at the end; a part never is."""
    return next(parts, b"")
