"""Long-running answers, as their audit sees them."""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.transport.messages import Stream, StreamWriter


class AuditedStream(Stream):
    """Another stream's stand-in before the transport: it tells when that one starts and ends, and with which status."""

    __slots__ = ("_end", "_has_started", "_start", "_stream")

    def __init__(self, stream: Stream, start: Callable[[int], None], end: Callable[[int], None]) -> None:
        Stream.__init__(self, stream.status, stream.headers)
        self._stream = stream
        self._start = start
        self._end = end
        self._has_started = False

    def opened(self, writer: StreamWriter) -> None:
        self._has_started = True
        self._start(self.status)
        self._stream.opened(writer)

    def resumed(self) -> None:
        self._stream.resumed()

    def closed(self) -> None:
        self._stream.status = self.status
        self._stream.closed()
        if not self._has_started:  # refused by the transport, or the client was gone
            self._start(self.status)
        self._end(self.status)
