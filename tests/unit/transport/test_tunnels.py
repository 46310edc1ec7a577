"""Connections that change to another protocol: bytes both ways, back-pressure, ends that are told exactly once."""

from __future__ import annotations

from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Response
from quarterdeck.transport.tunnels import Tunnel
from support.http1 import GET, Bench, FakeChannel, RecordingStream, settle


class Opened:
    """A connection whose first request was answered 101; `taken` is what the stream got of the client."""

    def __init__(self, sent: bytes = GET % b"", limits: Limits | None = None) -> None:
        self.taken: list[bytes] = []
        self.stream = RecordingStream(self._open, status=101)
        self.bench = Bench(lambda _: self.stream, limits)
        self.channel: FakeChannel = self.bench.connect()
        self.channel.protocol.data_received(sent)
        self.head = self.channel.take()

    def _open(self, writer: object) -> None:
        assert isinstance(writer, Tunnel)
        self.tunnel = writer
        writer.receive(self.taken.append)


async def test_bytes_pass_both_ways_as_they_are() -> None:
    opened = Opened(GET % b"" + b"\x00first")
    assert opened.head.startswith(b"HTTP/1.1 101 Switching Protocols\r\n")
    assert b"Content-Length" not in opened.head
    assert b"Transfer-Encoding" not in opened.head
    opened.channel.protocol.data_received(b"second")
    await settle()
    assert b"".join(opened.taken) == b"\x00firstsecond", "what came before the stream was opened is not lost"
    opened.channel.protocol.data_received(GET % b"no request any more")
    assert opened.taken[-1] == GET % b"no request any more"
    opened.tunnel.write(b"an answer")
    opened.tunnel.write(b"")
    assert opened.channel.take() == b"an answer"
    assert len(opened.bench.requests) == 1
    assert (opened.bench.server.streams_count, opened.bench.server.connections_count) == (1, 1)


async def test_a_client_that_leaves_ends_it_once() -> None:
    opened = Opened()
    await settle()
    opened.channel.protocol.eof_received()
    assert opened.channel.state == "closed"
    opened.channel.protocol.connection_lost(None)
    opened.tunnel.write(b"too late")
    opened.tunnel.end()
    opened.tunnel.abort()
    opened.tunnel.pause_reading()
    opened.tunnel.resume_reading()
    assert opened.stream.events == ["opened", "closed"]
    assert (opened.bench.server.streams_count, opened.bench.server.connections_count) == (0, 0)


async def test_a_client_that_leaves_before_it_is_opened_ends_it_once() -> None:
    opened = Opened()
    opened.channel.close()
    await settle()
    assert opened.stream.events == ["closed"]
    assert (opened.bench.server.streams_count, opened.bench.server.connections_count) == (0, 0)


async def test_either_side_that_is_behind_holds_the_other_up() -> None:
    opened = Opened(limits=Limits(write_high_bytes=10))
    await settle()
    opened.channel.is_reading_client = False
    opened.tunnel.write(b"more than ten bytes")
    assert opened.tunnel.is_paused
    opened.channel.catch_up()
    assert not opened.tunnel.is_paused
    assert opened.stream.events == ["opened", "resumed"]
    opened.tunnel.pause_reading()
    assert not opened.channel.is_reading
    opened.tunnel.resume_reading()
    assert opened.channel.is_reading


async def test_a_client_that_was_not_read_any_more_is_read_again() -> None:
    opened = Opened(limits=Limits(pipeline_bytes_max=4))
    opened.channel.protocol.data_received(b"more than four")
    assert not opened.channel.is_reading
    await settle()
    assert opened.channel.is_reading
    assert opened.taken == [b"more than four"]


async def test_it_may_be_silent_for_an_hour() -> None:
    opened = Opened()
    await settle()
    opened.bench.wait(3600)
    assert opened.channel.state == "open"


async def test_a_stopping_server_ends_it() -> None:
    opened = Opened()
    await settle()
    assert await opened.bench.server.drain(30)
    assert opened.channel.state == "closed"
    assert opened.stream.events == ["opened", "closed"]


async def test_one_that_is_too_much_is_refused() -> None:
    opened = Opened(limits=Limits(connections_max=0x10))
    await settle()
    opened.bench.server.streams_count = opened.bench.server.limits.streams_max
    channel = opened.bench.connect()
    stream = RecordingStream(status=101)
    opened.bench._answer = lambda _: stream
    channel.protocol.data_received(GET % b"")
    assert channel.take().startswith(b"HTTP/1.1 429 ")
    assert stream.events == ["closed"]


async def test_other_answers_of_the_same_server_go_on() -> None:
    opened = Opened()
    await settle()
    opened.bench._answer = lambda _: Response(200, [], b"plain")
    _, answer = opened.bench.exchange(GET % b"a")
    assert answer.endswith(b"plain")
