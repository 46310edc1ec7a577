"""An answer of another server on its way to a client: each piece at once, no faster than the client takes them."""

from __future__ import annotations

from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.streamed import StreamedAnswer
from quarterdeck.transport.messages import Headers, Stream, StreamWriter


class ForwardedStream(Stream):
    """A client that leaves ends the call, a call that breaks off cuts the client's answer off."""

    __slots__ = ("_answer", "_writer")

    def __init__(self, status: int, headers: Headers, answer: StreamedAnswer) -> None:
        super().__init__(status, headers)
        self._answer = answer
        self._writer: StreamWriter | None = None

    def opened(self, writer: StreamWriter) -> None:
        self._writer = writer
        self._answer.deliver(self._take, self._end)

    def resumed(self) -> None:
        self._answer.resume()

    def closed(self) -> None:
        self._writer = None
        self._answer.abort()

    def _take(self, data: bytes) -> None:
        writer = self._writer
        if writer is not None:
            writer.write(data)
            if writer.is_paused:
                self._answer.pause()

    def _end(self, failure: CallFailed | None) -> None:
        writer = self._writer
        if writer is None:
            return
        if failure is None:
            writer.end()
        else:
            writer.abort()
