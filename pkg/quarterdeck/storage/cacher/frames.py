"""Watch events as bytes. How they are framed on the wire is the business of whoever sends them.

How an event is written depends on the media type: a form of objects says by its `framing` what its watches are sent.
In JSON an event is `{"type":…,"object":…}` and a newline.

Source of the format: apimachinery/pkg/apis/meta/v1/watch.go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final

import orjson

from quarterdeck._kernels import watch
from quarterdeck.apimachinery import errors

# The names of the kernel's kinds of events, and of the events that are of no single object.
BOOKMARK: Final = 3
ERROR: Final = 4
TYPES: Final = {
    watch.ADDED: b"ADDED",
    watch.MODIFIED: b"MODIFIED",
    watch.DELETED: b"DELETED",
    BOOKMARK: b"BOOKMARK",
    ERROR: b"ERROR",
}

# Replayed events travel together in pieces of about this size: large enough that a piece's own cost vanishes, small
# enough that a client which does not read costs little.
PIECE_BYTES: Final = 64 * 1024


class Framing(ABC):
    """What the watches of a form are sent. `data` is what the form encoded."""

    content_type: str

    @abstractmethod
    def ends(self, kind: int, size: int) -> tuple[bytes, bytes]:
        """What stands before and after `size` bytes of data in an event."""

    @abstractmethod
    def frame_error(self, error: errors.APIStatus) -> bytes: ...

    def frame_event(self, kind: int, data: bytes) -> bytes:
        head, tail = self.ends(kind, len(data))
        return b"%b%b%b" % (head, data, tail)

    def frame_many(self, events: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        """The events in pieces of about PIECE_BYTES, each of one event or several."""
        parts: list[bytes] = []
        size = 0
        for kind, data in events:
            head, tail = self.ends(kind, len(data))
            parts += (head, data, tail)
            size += len(data)
            if size >= PIECE_BYTES:
                yield b"".join(parts)
                parts.clear()
                size = 0
        if parts:
            yield b"".join(parts)


class JSONFraming(Framing):
    content_type = "application/json"
    _ends: Final = {kind: (b'{"type":"%b","object":' % name, b"}\n") for kind, name in TYPES.items()}

    def ends(self, kind: int, size: int) -> tuple[bytes, bytes]:
        return self._ends[kind]

    def frame_error(self, error: errors.APIStatus) -> bytes:
        return self.frame_event(ERROR, orjson.dumps(error.to_status()))


JSON: Final = JSONFraming()
