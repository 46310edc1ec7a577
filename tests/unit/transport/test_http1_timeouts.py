"""Clients that are slow, at each point of a request: cut off when the time is up, and not before."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from quarterdeck.transport.messages import Request, Response
from support.http1 import GET, Bench, RecordingStream, settle, status_of


async def test_a_head_must_come_within_its_time_however_it_drips() -> None:
    bench = Bench()
    silent, dripping = bench.connect(), bench.connect()
    for _ in range(31):
        dripping.protocol.data_received(b"G")
        bench.wait(1)
    assert (silent.state, dripping.state) == ("open", "open")
    bench.wait(2)
    assert (silent.state, dripping.state) == ("aborted", "aborted")
    assert silent.take() == dripping.take() == b""


async def test_the_second_head_has_its_own_time() -> None:
    bench = Bench()
    channel, _ = bench.exchange(GET % b"")
    bench.wait(60)
    channel.protocol.data_received(b"GET / ")
    bench.wait(31)
    assert channel.state == "open"
    bench.wait(2)
    assert channel.state == "aborted"


async def test_an_idle_connection_is_closed() -> None:
    bench = Bench()
    channel, _ = bench.exchange(GET % b"")
    bench.wait(89)
    assert channel.state == "open"
    bench.wait(3)
    assert channel.state == "closed"


async def test_a_slow_body_is_answered_408() -> None:
    bench = Bench()
    for head in (b"Content-Length: 100", b"Transfer-Encoding: chunked"):
        channel, _ = bench.exchange(b"POST / HTTP/1.1\r\nHost: h\r\n" + head + b"\r\n\r\n")
        for _ in range(59):
            channel.protocol.data_received(b"1" if head.startswith(b"C") else b"1\r\nx\r\n")
            bench.wait(1)
        assert channel.take() == b""
        bench.wait(2)
        assert status_of(channel.take()) == 408
        bench.wait(7)
        assert channel.state == "aborted"
    assert bench.requests == []


async def test_a_client_that_does_not_read_is_cut_off() -> None:
    bench = Bench(lambda request: Response(200, [], [b"x" * 100_000] * 100))
    channel = bench.connect()
    channel.is_reading_client = False
    channel.protocol.data_received(GET % b"")
    bench.wait(29)
    assert channel.state == "open"
    bench.wait(3)
    assert channel.state == "aborted"


async def test_a_client_that_reads_now_and_then_is_kept() -> None:
    bench = Bench(lambda request: Response(200, [], [b"x" * 100_000] * 20))
    channel = bench.connect()
    channel.is_reading_client = False
    channel.protocol.data_received(GET % b"")
    for _ in range(5):
        bench.wait(25)
        channel.catch_up(is_slow=True)
    assert channel.state == "open"
    assert len(channel.take()) > 5 * 256 * 1024


async def test_a_small_answer_that_nobody_reads_does_not_keep_the_connection() -> None:
    bench = Bench()
    channel = bench.connect()
    channel.is_reading_client = False
    channel.protocol.data_received(GET % b"")
    bench.wait(92)
    assert channel.state == "aborted"


async def test_a_stream_lives_as_long_as_its_client_reads() -> None:
    stream = RecordingStream()
    bench = Bench(lambda request: stream)
    channel, _ = bench.exchange(GET % b"")
    bench.wait(10_000)
    assert channel.state == "open"
    channel.is_reading_client = False
    assert stream.writer is not None
    stream.writer.write(b"x" * 300_000)
    assert stream.writer.is_paused
    bench.wait(32)
    assert channel.state == "aborted"
    assert stream.events == ["opened", "closed"]


@pytest.mark.parametrize("wanted_s, given_s", [(0.0, 60), (5.0, 5), (500.0, 60)])
async def test_a_request_that_takes_too_long_is_cancelled(wanted_s: float, given_s: int) -> None:
    gate: asyncio.Future[Response] = asyncio.get_running_loop().create_future()

    async def answer(request: Request) -> Response:
        try:
            return await gate
        except asyncio.CancelledError:
            assert request.is_late
            return Response(504, [], b"too late")

    def begin(request: Request) -> Awaitable[Response]:
        request.timeout_s = wanted_s
        return answer(request)

    bench = Bench(begin)
    channel, _ = bench.exchange(GET % b"")
    await settle()
    bench.wait(given_s - 1)
    await settle()
    assert channel.take() == b""
    bench.wait(2)
    await settle()
    assert channel.take().endswith(b"too late")
    gate.cancel()
    assert channel.state == "open"


async def test_the_sweep_rests_while_there_is_no_connection() -> None:
    bench = Bench()
    channel = bench.connect()
    channel.abort()
    bench.wait(1)
    date = bench.server.date_line
    bench.now += 1000
    _, answer = bench.exchange(GET % b"")
    assert 0 <= bench.server.now - bench.now <= 1
    assert date.startswith(b"Date: ")
    assert b"\r\nDate: " in answer


async def test_a_streams_client_that_has_stopped_reading_is_cut_off_sooner() -> None:
    stream = RecordingStream()
    bench = Bench(lambda request: stream)
    channel = bench.connect()
    channel.protocol.data_received(GET % b"")
    assert stream.writer is not None
    channel.is_reading_client = False
    stream.writer.write(b"x" * 1_000_000)
    bench.wait(6)
    assert channel.state == "open"
    bench.wait(3)
    assert channel.state == "aborted"
    assert stream.events[-1] == "closed"


async def test_a_streams_client_that_reads_slowly_is_kept() -> None:
    stream = RecordingStream()
    bench = Bench(lambda request: stream)
    channel = bench.connect()
    channel.protocol.data_received(GET % b"")
    assert stream.writer is not None
    channel.is_reading_client = False
    stream.writer.write(b"x" * 1_000_000)
    for _ in range(6):
        bench.wait(6)
        channel.take_some(50_000)
    assert stream.writer.is_paused
    assert channel.state == "open"
    bench.wait(10)
    assert channel.state == "aborted"
