"""Large bodies: sent in bounded pieces as the client takes them, compressed away from the event loop."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from quarterdeck.transport.channel import Channel

PIECE_BYTES: Final = 256 * 1024
_GZIP_LEVEL: Final = 4  # upstream: endpoints/handlers/responsewriters/writers.go, defaultGzipContentEncodingLevel
_GZIP_WINDOW: Final = 31  # zlib's way to ask for the gzip format with the largest window


def pack(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of about PIECE_BYTES: small ones joined, large ones cut."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        if len(piece) > 2 * PIECE_BYTES:
            if waiting:
                yield b"".join(waiting)
                waiting, size = [], 0
            for begin in range(0, len(piece), PIECE_BYTES):
                yield piece[begin : begin + PIECE_BYTES]
            continue
        waiting.append(piece)
        size += len(piece)
        if size >= PIECE_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def compress(pieces: Iterable[bytes]) -> list[bytes]:
    """The gzip form. zlib lets go of the interpreter while it works: meant for a thread."""
    compressor = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
    parts = [part for piece in pack(pieces) if (part := compressor.compress(piece))]
    parts.append(compressor.flush())
    return parts


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
