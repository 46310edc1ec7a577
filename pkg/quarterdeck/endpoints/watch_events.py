"""The bytes of a watch as single events again, for who has to look at them one by one.

JSON has one event a line; protobuf a length of four bytes before each (endpoints/handlers/protobuf_forms.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck._kernels.outlet import Outlet
from quarterdeck._kernels.protobufwire import read_fields
from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.apimachinery import errors
from quarterdeck.endpoints import negotiation
from quarterdeck.endpoints.handlers.protobuf_forms import ProtobufFraming
from quarterdeck.storage.cacher import frames
from quarterdeck.transport.messages import Response, Stream, StreamWriter
from quarterdeck.transport.streams import unframe

_LENGTH_BYTES: Final = 4
_BOOKMARKS: Final = (b'{"type":"BOOKMARK"', b"\x0a\x08BOOKMARK")


class Events:
    """Of a watch whose answer has this content type."""

    def __init__(self, content_type: str) -> None:
        self.is_json = content_type.startswith(negotiation.JSON)
        self._rest = b""

    def split(self, data: bytes) -> list[bytes]:
        """The events that are whole now, each as it goes over the wire."""
        data = self._rest + data
        events: list[bytes] = []
        begin = 0
        while (end := self._end_of_first(data, begin)) > 0:
            events.append(data[begin:end])
            begin = end
        self._rest = data[begin:]
        return events

    def _end_of_first(self, data: bytes, begin: int) -> int:
        """0: it is not whole."""
        if self.is_json:
            return data.find(b"\n", begin) + 1
        head = begin + _LENGTH_BYTES
        end = head + int.from_bytes(data[begin:head])
        return end if head <= len(data) and end <= len(data) else 0

    def is_bookmark(self, event: bytes) -> bool:
        return event.startswith(_BOOKMARKS) or event[_LENGTH_BYTES:].startswith(_BOOKMARKS)

    def frame_error(self, error: errors.APIStatus) -> bytes:
        framing: frames.Framing = frames.JSON if self.is_json else ProtobufFraming("v1", "Status")
        return framing.frame_error(error)


class TappedStream(Stream):
    """A stand-in for another stream, whose writer `tap` makes of the transport's."""

    __slots__ = ("_stream", "_tap")

    def __init__(self, stream: Stream, tap: Callable[[StreamWriter], StreamWriter]) -> None:
        Stream.__init__(self, stream.status, stream.headers)
        self._stream = stream
        self._tap = tap

    def opened(self, writer: StreamWriter) -> None:
        self._stream.opened(self._tap(writer))

    def resumed(self) -> None:
        self._stream.resumed()

    def closed(self) -> None:
        self._stream.closed()


class TapWriter:
    """All that a stream writes comes through `take`, as it is before it is framed for the wire."""

    def __init__(self, writer: StreamWriter) -> None:
        self._writer = writer

    @property
    def is_paused(self) -> bool:
        return self._writer.is_paused

    def write(self, data: bytes) -> None:
        self.take(data)

    def write_chunks(self, chunks: bytes) -> None:
        self.take(unframe(chunks))

    def direct(self) -> tuple[int, Sealer | None, Outlet | None]:
        return -1, None, None

    def end(self) -> None:
        self._writer.end()

    def abort(self) -> None:
        self._writer.abort()

    def take(self, data: bytes) -> None:
        raise NotImplementedError


def is_watch(response: Response) -> bool:
    return isinstance(response, Stream) and response.status == 200 and content_type_of(response) != ""


def content_type_of(response: Response) -> str:
    """ "" of what is no stream of events."""
    kind = next((value for name, value in response.headers if name.lower() == "content-type"), "")
    return kind if kind.startswith((negotiation.JSON, negotiation.PROTOBUF)) else ""


def open_protobuf(event: bytes) -> tuple[str, bytes]:
    """The type of a framed WatchEvent, and the object in its envelope: fields 1 and 2 (of which field 1 is `raw`)."""
    fields = {number: value for number, value in read_fields(event[_LENGTH_BYTES:]) if isinstance(value, bytes)}
    raw = dict(read_fields(fields.get(2, b""))).get(1, b"")
    return fields.get(1, b"").decode(), raw if isinstance(raw, bytes) else b""
