"""Bytes of request bodies are bounded over all connections."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Request, Response
from support.http1 import Bench

SIZE = 100_000
HEAD = b"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n"
CHUNKED = b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
LIMITS = Limits(body_bytes_max=2 * SIZE, all_bodies_bytes_max=4 * SIZE)


def answer(_request: Request) -> Response:
    return Response(200, [], b"")


async def test_a_body_that_is_one_too_many_is_refused_until_others_are_answered() -> None:
    bench = Bench(answer, LIMITS)
    channels = [bench.exchange(HEAD)[0] for _ in range(4)]
    _, refused = bench.exchange(HEAD)
    assert refused.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
    assert b"\r\nRetry-After: 1\r\n" in refused
    assert refused.endswith(b"Too many requests, please try again later.\n")
    assert channels[0].protocol is not None
    channels[0].protocol.data_received(b"x" * SIZE)
    assert channels[0].take().startswith(b"HTTP/1.1 200")
    assert bench.exchange(HEAD)[1] == b""


async def test_small_bodies_are_taken_all_the_same() -> None:
    bench = Bench(answer, LIMITS)
    for _ in range(4):
        bench.exchange(HEAD)
    _, answered = bench.exchange(HEAD.replace(b"100000", b"3") + b"abc")
    assert answered.startswith(b"HTTP/1.1 200")


async def test_a_chunked_body_counts_as_the_largest_until_it_is_there() -> None:
    bench = Bench(answer, LIMITS)
    first, _ = bench.exchange(CHUNKED)
    bench.exchange(CHUNKED)
    assert bench.exchange(CHUNKED)[1].startswith(b"HTTP/1.1 429")
    assert first.protocol is not None
    first.protocol.data_received(b"3\r\nabc\r\n0\r\n\r\n")
    assert first.take().startswith(b"HTTP/1.1 200")
    assert bench.exchange(CHUNKED)[1] == b""


async def test_a_client_that_leaves_takes_its_body_along() -> None:
    bench = Bench(answer, LIMITS)
    channels = [bench.exchange(HEAD)[0] for _ in range(4)]
    channels[1].close()
    assert bench.exchange(HEAD)[1] == b""
    assert bench.exchange(HEAD)[1].startswith(b"HTTP/1.1 429")


@pytest.mark.parametrize("leaves", [False, True])
async def test_a_body_is_held_while_its_request_is_worked_on(leaves: bool) -> None:
    done = asyncio.Event()

    async def work(_request: Request) -> Response:
        await done.wait()
        return Response(200, [], b"")

    bench = Bench(work, LIMITS)
    channels = [bench.exchange(HEAD + b"x" * SIZE)[0] for _ in range(4)]
    await asyncio.sleep(0)
    if leaves:
        channels[0].close()  # its write goes on
    assert bench.exchange(HEAD)[1].startswith(b"HTTP/1.1 429")
    done.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert all(not bench.exchange(HEAD)[1] for _ in range(4))
