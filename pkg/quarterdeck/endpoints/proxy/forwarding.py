"""Answers of other servers on their way to clients: each piece at once, no faster than the client takes them."""

from __future__ import annotations

from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.streamed import StreamedAnswer
from quarterdeck.transport.messages import Headers, Stream, StreamWriter
from quarterdeck.transport.tunnels import STATUS, Tunnel


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


class UpgradedStream(Stream):
    """Two connections after a 101: what either side sends is for the other, no faster than that one takes it. The end
    of one is the end of both, once what it sent before has left."""

    __slots__ = ("_answer", "_tunnel")

    def __init__(self, headers: Headers, answer: StreamedAnswer) -> None:
        super().__init__(STATUS, headers)
        self._answer = answer
        self._tunnel: Tunnel | None = None

    def opened(self, writer: StreamWriter) -> None:
        assert isinstance(writer, Tunnel)
        self._tunnel = writer
        self._answer.open_up(self._press)
        self._answer.deliver(self._take, self._end)
        writer.receive(self._answer.write)

    def resumed(self) -> None:
        self._answer.resume()

    def closed(self) -> None:
        self._tunnel = None
        self._answer.end()

    def _press(self, is_behind: bool) -> None:
        """Whether the server is behind with what the client sends."""
        tunnel = self._tunnel
        if tunnel is None:
            return
        if is_behind:
            tunnel.pause_reading()
        else:
            tunnel.resume_reading()

    def _take(self, data: bytes) -> None:
        tunnel = self._tunnel
        if tunnel is not None:
            tunnel.write(data)
            if tunnel.is_paused:
                self._answer.pause()

    def _end(self, _: CallFailed | None) -> None:
        if self._tunnel is not None:
            self._tunnel.end()
