"""What the loads of `quarterdeck bench` stand on: histograms, answers in pieces, objects that fit a schema."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quarterdeck.cmd.bench.channel import Channel
from quarterdeck.cmd.bench.connection import Connection
from quarterdeck.cmd.bench.histogram import Histogram
from quarterdeck.cmd.bench.messages import Request, Unreachable
from quarterdeck.cmd.bench.payload import make_value, of_padding
from quarterdeck.cmd.bench.workload import Actor
from quarterdeck.cmd.client import RequestError
from quarterdeck.cmd.kubeconfig import Target


def test_a_histogram_tells_quantiles_within_two_percent() -> None:
    histogram, other = Histogram(), Histogram()
    for number in range(1, 1001):
        (histogram if number % 2 else other).add(number / 1000)
    histogram.merge(other)
    assert histogram.total == 1000
    for share in (0.001, 0.5, 0.9, 0.99, 1.0):
        assert share <= histogram.quantile_s(share) <= share * 1.021
    assert Histogram().quantile_s(0.5) == 0
    assert Histogram().draw() == []
    rows = histogram.draw()
    assert sum(int(row.split()[4]) for row in rows) == 1000
    assert [float(row.split()[2]) for row in rows] == sorted(float(row.split()[2]) for row in rows)


class Wire:
    """A transport that keeps what is written."""

    connection: Connection

    def __init__(self) -> None:
        self.sent = b""
        self.is_closed = False

    def write(self, data: bytes) -> None:
        self.sent += data

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True


TARGET = Target("http://127.0.0.1:1", "127.0.0.1", 1, "", None, "", {"X-One": "1"})
HEAD = b" HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAccept: application/json\r\nX-One: 1\r\n"
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n"


async def exchange(pieces: list[bytes]) -> tuple[int, bytes]:
    connection, wire = Connection(TARGET), Wire()
    connection.connection_made(wire)  # type: ignore[arg-type]
    answer = asyncio.ensure_future(connection.exchange(Request("PUT", "/a", "text/plain", b"abc")))
    await asyncio.sleep(0)
    assert wire.sent == b"PUT /a" + HEAD + b"Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc"
    for piece in pieces:
        connection.data_received(piece)
    if not pieces:
        connection.connection_lost(None)
    return await answer


@pytest.mark.parametrize(("text", "status"), [(PLAIN, 200), (CHUNKED, 201)])
def test_an_answer_may_come_in_any_pieces(text: bytes, status: int) -> None:
    for size in (1, 2, 7, len(text)):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert asyncio.run(exchange(pieces)) == (status, b"hello")


@pytest.mark.parametrize("pieces", [[], [b"nonsense\r\n\r\n"], [b"x" * 70_000], [CHUNKED.replace(b"3\r\n", b"z\r\n")]])
def test_what_is_no_answer_is_an_error(pieces: list[bytes]) -> None:
    with pytest.raises(RequestError):
        asyncio.run(exchange(pieces))


def test_a_channel_connects_again_until_that_fails() -> None:
    wires: list[Wire] = []
    request = Request("GET", "/")

    async def connect() -> Connection:
        if len(wires) == 2:
            raise Unreachable("nobody is there")
        wires.append(Wire())
        connection = Connection(TARGET)
        connection.connection_made(wires[-1])  # type: ignore[arg-type]
        wires[-1].connection = connection
        return connection

    async def run() -> None:
        channel = Channel(connect)
        await channel.open()
        for at in range(2):
            waiting = asyncio.ensure_future(channel.exchange(request))
            await asyncio.sleep(0.01)
            wires[at].connection.connection_lost(None)
            with pytest.raises(RequestError, match="closed a connection: without an answer"):
                await waiting
        for _ in range(2):
            with pytest.raises(Unreachable, match="nobody is there"):
                await channel.exchange(request)

    asyncio.run(run())
    assert len(wires) == 2


def test_an_answer_that_nobody_waits_for_ends_its_connection() -> None:
    async def run() -> None:
        connection, wire = Connection(TARGET), Wire()
        connection.connection_made(wire)  # type: ignore[arg-type]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await connection.exchange(Request("GET", "/"))
        assert wire.is_closed
        assert not connection.is_usable

    asyncio.run(run())


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer", "minimum": 3, "exclusiveMinimum": True, "multipleOf": 5}, 5),
        ({"type": "integer", "maximum": -2}, -2),
        ({"type": "number"}, 1.0),
        ({"type": "string", "minLength": 3}, "xxx"),
        ({"type": "string", "format": "date", "maxLength": 10}, "2026-01-01"),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2}, [True, True]),
        ({"type": "object", "properties": {"a": {"default": 7}}}, {"a": 7}),
        ({"type": "object", "additionalProperties": {"enum": ["b"]}}, {"key": "b"}),
        ({"x-kubernetes-int-or-string": True}, 1),
        ({"x-kubernetes-preserve-unknown-fields": True}, {}),
    ],
)
def test_values_that_fit_a_schema(schema: dict[str, Any], value: object) -> None:
    assert make_value(schema) == value


def test_each_operation_of_the_mixture_counts() -> None:
    """A deletion that would leave nothing for the others makes room for a creation."""
    actor = Actor(TARGET, of_padding(1), "mixed", namespace="default", prefix="run", page=3)

    def drive(operation: Any) -> int:
        count, answer = 0, None
        while True:
            try:
                step = operation.send(answer)
            except StopIteration:
                return count
            count += bool(step.verb)
            answer = (200, b'{"metadata":{}}')

    assert drive(actor.prepare(1)) == 0
    assert all(drive(actor.operation()) >= 1 for _ in range(500))
