"""Large bodies: sent in bounded pieces as the client takes them, compressed away from the event loop.

However large an answer is, a client that does not read it holds one or two pieces and what the socket takes.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Final, Protocol

from quarterdeck.transport.messages import frame_chunk

PIECE_BYTES: Final = 256 * 1024
TURN_BYTES: Final = 256 * 1024  # some 0.5 ms
_GZIP_LEVEL: Final = 4  # upstream: endpoints/handlers/responsewriters/writers.go, defaultGzipContentEncodingLevel
_gzip_token: Final = re.compile(r"(?:^|,)\s*gzip\s*(?:,|$)").search
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
    return "gzip" in accept_encoding and _gzip_token(accept_encoding) is not None


class Sink(Protocol):
    """Where a large body goes: a connection of HTTP/1.1, or a stream of HTTP/2."""

    def write(self, data: bytes) -> None: ...

    def is_closing(self) -> bool: ...


class EndedSink(Sink, Protocol):
    def end(self) -> None:
        """All of the body is written."""


class ChunkSink:
    """A body of unknown length over HTTP/1.1."""

    def __init__(self, channel: Sink) -> None:
        self._channel = channel

    def write(self, data: bytes) -> None:
        self._channel.write(frame_chunk(data))

    def is_closing(self) -> bool:
        return self._channel.is_closing()

    def end(self) -> None:
        self._channel.write(b"0\r\n\r\n")


class Turns:
    """All bodies that are being sent take turns, a piece each, and so much of all of them in a turn of the loop: what
    else is ready waits for that, however many clients read however fast."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[BodyPump] = deque()  # each once: at most one for a connection
        self._is_planned = False

    @property
    def is_idle(self) -> bool:
        return not self._waiting

    def add(self, pump: BodyPump) -> None:
        self._waiting.append(pump)
        self._plan()

    def _plan(self) -> None:
        if not self._is_planned:
            self._is_planned = True
            self._loop.call_soon(self._take_turn)

    def _take_turn(self) -> None:
        waiting = self._waiting
        taken = 0
        while waiting and taken < TURN_BYTES // 2:  # the next piece would go beyond
            taken += waiting.popleft().write_piece()
        self._is_planned = False
        if waiting:
            self._plan()


class BodyPump:
    """Writes a body while the client takes it, in its turns. `is_paused`: the client is behind, and the channel tells
    when it is not."""

    __slots__ = ("_channel", "_is_waiting", "_on_end", "_pieces", "_turns", "is_ended", "is_paused")

    def __init__(self, channel: Sink, pieces: Iterable[bytes], turns: Turns, on_end: Callable[[], None]) -> None:
        """`on_end` is called when `resume`, or a later turn, has written the end."""
        self._channel = channel
        self._pieces = pack(pieces)
        self._turns = turns
        self._on_end = on_end
        self._is_waiting = False  # for its turn
        self.is_ended = False
        self.is_paused = False

    def run(self) -> bool:
        """True: everything is written. Else it goes on by itself, or with `resume` if it is paused."""
        self.is_paused = False
        left = PIECE_BYTES if self._turns.is_idle else 0
        while left > 0 and not self.is_ended and not self.is_paused:
            left -= self._write_next()
        self._go_on()
        return self.is_ended

    def resume(self) -> None:
        self.is_paused = False
        if not self._is_waiting and self.run():
            self._on_end()

    def write_piece(self) -> int:
        """Its turn: how many bytes it took."""
        self._is_waiting = False
        if self.is_paused or self._channel.is_closing():
            return 0
        size = self._write_next()
        if self.is_ended:
            self._on_end()
        self._go_on()
        return size

    def _go_on(self) -> None:
        if not (self.is_ended or self.is_paused or self._is_waiting):
            self._is_waiting = True
            self._turns.add(self)

    def _write_next(self) -> int:
        piece = next(self._pieces, b"")
        if not piece:
            self.is_ended = True
            return 0
        self._channel.write(piece)
        return len(piece)


RunInThread = Callable[[Callable[[Iterator[bytes]], bytes], Iterator[bytes]], Awaitable[bytes]]


class CompressedBody:
    """Compresses the next piece when the client has taken what was before."""

    def __init__(self, sink: EndedSink, pieces: Iterable[bytes], *, is_paused: bool) -> None:
        self._sink = sink
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
            if self._sink.is_closing():
                return
            self._sink.write(part)
            await self._may_write.wait()
        self._sink.end()


def _next_part(parts: Iterator[bytes]) -> bytes:
    """Empty at the end; a part never is."""
    return next(parts, b"")
