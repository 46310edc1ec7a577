"""Streams (watches): framing, back-pressure, and that the end is told exactly once."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Request, Response, Stream, frame_chunk
from support.http1 import GET, Bench, FakeChannel, RecordingStream, body_of, settle


def open_stream(request: bytes = GET % b"") -> tuple[Bench, FakeChannel, RecordingStream]:
    stream = RecordingStream()
    bench = Bench(lambda request: stream if len(bench.requests) == 1 else Response(200, [], b"next"))
    channel = bench.connect()
    channel.protocol.data_received(request)
    return bench, channel, stream


async def test_the_head_goes_out_at_once_and_then_chunks() -> None:
    _, channel, stream = open_stream()
    head = channel.take()
    assert head.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
    assert b"Transfer-Encoding: chunked\r\n" in head
    assert b"Content-Length" not in head
    assert stream.writer is not None
    stream.writer.write(b"hello")
    stream.writer.write(b"")
    stream.writer.write_chunks(frame_chunk(b"a"))
    stream.writer.write_chunks(frame_chunk(b"b") + frame_chunk(b"c"))
    stream.writer.write_chunks(b"")
    assert channel.take() == b"5\r\nhello\r\n1\r\na\r\n1\r\nb\r\n1\r\nc\r\n"


async def test_after_the_end_the_connection_lives_on() -> None:
    _, channel, stream = open_stream(GET % b"" + GET % b"b")
    channel.take()
    assert stream.writer is not None
    stream.writer.end()
    assert stream.events == ["opened", "closed"]
    await settle()
    answer = channel.take()
    assert answer.startswith(b"0\r\n\r\nHTTP/1.1 200 OK")
    assert answer.endswith(b"next")
    stream.writer.write(b"too late")
    stream.writer.write_chunks(b"too late")
    stream.writer.end()
    stream.writer.abort()
    assert stream.writer.direct() == (-1, None, None)
    assert channel.take() == b""
    channel.close()
    assert stream.events == ["opened", "closed"]


async def test_a_stream_may_end_while_it_opens() -> None:
    stream = RecordingStream(lambda writer: (writer.write(b"x"), writer.end()))
    bench = Bench(lambda request: stream if len(bench.requests) == 1 else Response(200, [], b"next"))
    channel, _ = bench.exchange(GET % b"" + GET % b"b")
    await settle()
    assert stream.events == ["opened", "closed"]
    assert channel.take().endswith(b"next")


@pytest.mark.parametrize("how", ["client", "abort", "drain"])
async def test_closed_is_called_exactly_once(how: str) -> None:
    bench, channel, stream = open_stream()
    assert stream.writer is not None
    if how == "client":
        assert channel.protocol.eof_received() is False
        channel.close()
    elif how == "abort":
        stream.writer.abort()
    else:
        channel.take()
        assert await bench.server.drain(1)
        assert channel.take() == b"0\r\n\r\n"
    assert stream.events == ["opened", "closed"]
    assert channel.state in ("closed", "aborted")


async def test_a_client_that_falls_behind_pauses_the_writer() -> None:
    _, channel, stream = open_stream()
    assert stream.writer is not None
    assert stream.writer.direct() == (7, None, None)
    channel.is_reading_client = False
    stream.writer.write(b"x" * 100)
    assert not stream.writer.is_paused
    assert stream.writer.direct() == (-1, None, None), "bytes are waiting: a direct send would overtake them"
    stream.writer.write(b"x" * 300_000)
    assert stream.writer.is_paused
    channel.catch_up()
    assert not stream.writer.is_paused
    assert stream.writer.direct() == (7, None, None)
    assert stream.events == ["opened", "resumed"]


async def test_http_1_0_gets_the_data_without_chunks() -> None:
    _, channel, stream = open_stream(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    head = channel.take()
    assert head.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"chunked" not in head
    assert b"Connection" not in head
    assert stream.writer is not None
    assert stream.writer.direct() == (-1, None, None)
    stream.writer.write(b"a")
    stream.writer.write_chunks(frame_chunk(b"bc") + frame_chunk(b"\r\n"))
    stream.writer.end()
    await settle()
    assert channel.take() == b"abc\r\n"
    assert channel.state == "closed"


async def test_head_opens_no_stream() -> None:
    _, channel, stream = open_stream(b"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
    await settle()
    assert stream.events == ["closed"]
    assert body_of(channel.take()) == b""
    assert channel.state == "open"


async def test_a_stream_that_was_made_for_a_client_who_left_is_closed() -> None:
    stream = RecordingStream()

    async def make() -> Stream:
        return stream

    bench = Bench(lambda request: make())
    channel = bench.connect()
    channel.protocol.data_received(b"POST / HTTP/1.1\r\nHost: h\r\n\r\n")
    channel.abort()
    await settle()
    assert stream.events == ["closed"]


async def test_draining_closes_idle_connections_and_lets_others_finish() -> None:
    gate: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
    bench = Bench(lambda request: gate if request.path == "/slow" else Response(200, [], b""))
    fresh, (idle, _), (busy, _) = bench.connect(), bench.exchange(GET % b"fast"), bench.exchange(GET % b"slow")
    await settle()
    draining = asyncio.ensure_future(bench.server.drain(5))
    await settle()
    assert (fresh.state, idle.state, busy.state) == ("closed", "closed", "open")
    assert bench.connect().state == "refused"
    gate.set_result(Response(200, [], b"done"))
    assert await draining
    answer = busy.take()
    assert answer.endswith(b"done")
    assert b"\r\nConnection: close\r\n" in answer


async def test_draining_ends_at_its_limit() -> None:
    bench = Bench(lambda request: asyncio.get_running_loop().create_future())
    channel, _ = bench.exchange(GET % b"")
    await settle()
    assert not await bench.server.drain(0.01)
    assert channel.state == "aborted"


async def test_some_connections_are_kept_for_short_requests() -> None:
    streams: list[RecordingStream] = []

    def answer(request: Request) -> Response:
        if request.path != "/watch":
            return Response(200, [], b"short")
        streams.append(RecordingStream())
        return streams[-1]

    bench = Bench(answer, limits=Limits(connections_max=4))
    watching = [bench.connect() for _ in range(3)]
    for channel in watching:
        channel.protocol.data_received(GET % b"watch")
    other = bench.connect()
    other.protocol.data_received(GET % b"watch")
    assert other.take().startswith(b"HTTP/1.1 429 ")
    assert streams[-1].events == ["closed"]
    other.protocol.data_received(GET % b"list")
    assert body_of(other.take()) == b"short"
    watching[0].close()
    other.protocol.data_received(GET % b"watch")
    assert other.take().startswith(b"HTTP/1.1 200 ")
    for channel in (*watching, other):
        channel.close()
    assert bench.server.streams_count == 0
