"""Watch events as bytes that are ready to be sent: `{"type":…,"object":…}` and a newline, framed as HTTP/1.1 chunks.

Source of the format: apimachinery/pkg/apis/meta/v1/watch.go; RFC 9112, 7.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import orjson

from quarterdeck._kernels import watch
from quarterdeck.apimachinery import errors

_HEADS: Final = {
    watch.ADDED: b'{"type":"ADDED","object":',
    watch.MODIFIED: b'{"type":"MODIFIED","object":',
    watch.DELETED: b'{"type":"DELETED","object":',
}
_BOOKMARK_HEAD: Final = b'{"type":"BOOKMARK","object":'
_ERROR_HEAD: Final = b'{"type":"ERROR","object":'
_TAIL: Final = b"}\n"

# Replayed events travel together in chunks of about this size: large enough that the chunk's own cost vanishes, small
# enough that a client which does not read costs little.
PIECE_BYTES: Final = 64 * 1024


def frame(line: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(line), line)


def frame_event(kind: int, data: bytes) -> bytes:
    """`kind` is ADDED, MODIFIED or DELETED of the kernel."""
    head = _HEADS[kind]
    return b"%x\r\n%b%b}\n\r\n" % (len(head) + len(data) + 2, head, data)


def frame_bookmark(data: bytes) -> bytes:
    return frame(_BOOKMARK_HEAD + data + _TAIL)


def frame_error(error: errors.APIStatus) -> bytes:
    return frame(_ERROR_HEAD + orjson.dumps(error.to_status()) + _TAIL)


def frame_many(events: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
    """The events in pieces: each one chunk of about PIECE_BYTES that holds one event or several."""
    parts: list[bytes] = []
    size = 0
    for kind, data in events:
        parts += (_HEADS[kind], data, _TAIL)
        size += len(data)
        if size >= PIECE_BYTES:
            yield frame(b"".join(parts))
            parts.clear()
            size = 0
    if parts:
        yield frame(b"".join(parts))
