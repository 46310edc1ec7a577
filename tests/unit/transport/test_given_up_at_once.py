"""Clients that leave in the same moment in which they have asked: nothing of their requests stays behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from quarterdeck.transport.limits import HTTP2Settings, Limits
from quarterdeck.transport.messages import Request, Response
from support import http2
from support.http1 import GET, Bench, settle, status_of
from unit.transport.test_parked_answers import Parking

FEW_STREAMS = Limits(http2=HTTP2Settings(streams_max=2))


class Waiting:
    """An application that answers `/now` at once, and all else when it may `go` on."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.go = asyncio.Event()

    def __call__(self, request: Request) -> Response | Awaitable[Response]:
        if request.path == "/now":
            return Response(200, [], b"now")
        return self._wait(request)

    async def _wait(self, request: Request) -> Response:
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.told.append("late" if request.is_late else "gone")
            if request.is_late:
                return Response(504, [])
            raise
        return Response(200, [])


class Seats:
    """An application whose writes wait for a seat before they begin."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.seat = asyncio.Event()

    async def __call__(self, request: Request) -> Response:
        request.is_queued = True
        try:
            await self.seat.wait()
            request.is_queued = False
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.told.append("left the queue" if request.is_queued else "was cut")
            raise
        self.told.append("wrote")
        return Response(200, [])


def give_up(client: http2.Client, *, method: str = "GET") -> None:
    """A request and its reset: two records of TLS that come together."""
    number = client.request("/wait", method=method)
    client.h2.reset_stream(number)
    client.send()


async def test_reads_that_were_given_up_do_not_count_against_their_connection() -> None:
    waiting = Waiting()
    client = http2.connect(waiting, FEW_STREAMS)
    for _ in range(8):
        give_up(client)
        await settle()
    assert client.get("/now").status == 200
    assert waiting.told == ["gone"] * 8


async def test_what_makes_an_answer_for_http1_is_told_that_nobody_takes_it() -> None:
    waiting = Waiting()
    channel, _ = Bench(waiting).exchange(GET % b"wait")
    channel.abort()
    await settle()
    assert waiting.told == ["gone"]


async def test_a_request_that_is_late_before_it_has_begun_is_answered() -> None:
    waiting = Waiting()
    bench = Bench(waiting, Limits(request_timeout_s=5))
    channel, _ = bench.exchange(GET % b"wait")
    bench.wait(7)
    await settle()
    assert status_of(channel.take()) == 504
    client = http2.connect(waiting, Limits(request_timeout_s=5))
    number = client.request("/wait")
    client.bench.wait(7)
    await settle()
    assert client.of(number).status == 504


@pytest.mark.parametrize("ends", ["failed", "answered"])
async def test_a_parked_read_is_counted_once_however_it_ends(ends: str) -> None:
    """Else more could be under way at a time for one connection than it may have."""
    parking = Parking()
    writes = Waiting()

    def answer(request: Request) -> Response | Awaitable[Response]:
        return parking(request) if request.method == "GET" else writes(request)

    client = http2.connect(answer, FEW_STREAMS)
    for at in range(3):
        give_up(client)
        parked = parking.parked[at]
        assert parked.is_cancelled
        assert parked.failed is not None
        if ends == "failed":
            parked.failed()
        else:
            parked.answer(b"late")
    for _ in range(4):
        give_up(client, method="POST")
        await settle()
    assert client.get("/now").reset == 11  # ENHANCE_YOUR_CALM
    writes.go.set()
    await settle()
    assert client.get("/now", method="POST").status == 200


@pytest.mark.parametrize("protocol", ["http1", "http2"])
async def test_a_write_that_gets_its_seat_as_its_client_leaves_does_not_begin(protocol: str) -> None:
    """Cut in the middle its outcome would be unknown."""
    seats = Seats()
    if protocol == "http1":
        channel, _ = Bench(seats).exchange(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
        await settle()
        seats.seat.set()
        channel.abort()
    else:
        client = http2.connect(seats)
        number = client.request("/x", method="POST")
        await settle()
        seats.seat.set()
        client.h2.reset_stream(number)
        client.send()
    await settle()
    assert seats.told == ["left the queue"]


async def test_an_answer_that_comes_after_its_client_has_gone_ends_its_request() -> None:
    """What the request holds, a seat perhaps, is given back."""
    parking = Parking()
    ended: list[str] = []
    client = http2.connect(parking, FEW_STREAMS)
    number = client.request("/x")
    parking.parked[0].request.on_end = lambda: ended.append("x")
    client.h2.reset_stream(number)
    client.send()
    assert ended == []
    parking.parked[0].answer(b"late")
    assert ended == ["x"]
