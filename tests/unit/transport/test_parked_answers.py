"""Answers that come by a call: in order, once, and not to clients that have left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any

import pytest

from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Parked, Request, Response
from support import http2
from support.http1 import GET, Bench, body_of, settle, status_of


class Later(Parked):
    def __init__(self, request: Request) -> None:
        self.request = request
        self.is_cancelled = False
        self.done: Callable[[Response], None] | None = None
        self.failed: Callable[[], None] | None = None

    def begin(self, done: Callable[[Response], None], failed: Callable[[], None]) -> None:
        self.done, self.failed = done, failed

    def cancel(self) -> None:
        self.is_cancelled = True
        if self.request.is_late:
            self.answer(b"late", 504)

    def answer(self, body: bytes, status: int = 200) -> None:
        assert self.done is not None
        self.done(Response(status, [], body))

    def __await__(self) -> Generator[Any, Any, Response]:
        raise AssertionError("nobody has to wait")


class Parking:
    """An application that answers what is not `/now` later."""

    def __init__(self) -> None:
        self.parked: list[Later] = []

    def __call__(self, request: Request) -> Response | Later:
        if request.path == "/now":
            return Response(200, [], b"now")
        self.parked.append(Later(request))
        return self.parked[-1]


async def test_what_follows_on_a_connection_waits_for_the_answer() -> None:
    parking = Parking()
    channel, at_once = Bench(parking).exchange(GET % b"a" + GET % b"now" + GET % b"b" + GET % b"now")
    assert (at_once, len(parking.parked)) == (b"", 1)
    parking.parked[0].answer(b"first")
    answers = channel.take()
    assert answers.index(b"first") < answers.index(b"now")
    assert answers.count(b"now") == 1
    parking.parked[1].answer(b"second")
    answers = channel.take()
    assert answers.index(b"second") < answers.index(b"now")
    channel.protocol.data_received(GET % b"now")
    assert body_of(channel.take()) == b"now"


async def test_a_client_that_does_not_read_its_answer_is_served_on_when_it_does() -> None:
    parking = Parking()
    channel, _ = Bench(parking).exchange(GET % b"a" + GET % b"now")
    channel.high, channel.is_reading_client = 1, False
    parking.parked[0].answer(b"first")
    assert body_of(channel.take()) == b"first"
    channel.catch_up()
    assert body_of(channel.take()) == b"now"


async def test_a_client_that_leaves_takes_its_request_along() -> None:
    parking = Parking()
    channel, _ = Bench(parking).exchange(GET % b"a")
    channel.abort()
    assert parking.parked[0].is_cancelled


async def test_one_that_is_late_is_answered() -> None:
    parking = Parking()
    bench = Bench(parking, Limits(request_timeout_s=5))
    channel, _ = bench.exchange(GET % b"a")
    bench.wait(7)
    assert status_of(channel.take()) == 504
    channel.protocol.data_received(GET % b"now")
    assert body_of(channel.take()) == b"now"


async def test_where_there_is_no_answer_the_connection_is_cut() -> None:
    parking = Parking()
    channel, _ = Bench(parking).exchange(GET % b"a")
    assert parking.parked[0].failed is not None
    parking.parked[0].failed()
    assert channel.state == "aborted"
    assert not parking.parked[0].is_cancelled


async def test_streams_of_http2_are_answered_as_they_are_ready() -> None:
    parking = Parking()
    client = http2.connect(parking)
    first, second = client.request("/a"), client.request("/b")
    parking.parked[1].answer(b"second")
    await settle()
    client.read()
    assert (client.of(second).body, client.of(first).is_ended) == (b"second", False)
    parking.parked[0].answer(b"first")
    await settle()
    client.read()
    assert client.of(first).body == b"first"


@pytest.mark.parametrize("how", ["reset", "lost"])
async def test_a_client_of_http2_that_leaves_takes_its_request_along(how: str) -> None:
    parking = Parking()
    client = http2.connect(parking)
    number = client.request("/a")
    if how == "reset":
        client.h2.reset_stream(number)
        client.send()
    else:
        client.channel.abort()
    assert parking.parked[0].is_cancelled


async def test_one_of_http2_that_is_late_or_has_no_answer() -> None:
    parking = Parking()
    client = http2.connect(parking, Limits(request_timeout_s=5))
    late = client.request("/a")
    client.bench.wait(7)
    await settle()
    client.read()
    assert client.of(late).status == 504
    failed = client.request("/b")
    assert parking.parked[1].failed is not None
    parking.parked[1].failed()
    await settle()
    client.read()
    assert client.of(failed).reset == 2
    await asyncio.sleep(0)
