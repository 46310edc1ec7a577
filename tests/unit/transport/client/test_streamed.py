"""Answers that are given on while they come."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient, Server
from quarterdeck.transport.client.streamed import WINDOW_BYTES, StreamedAnswer
from support.origin import Handler, Origin, serving
from support.ports import free_port
from support.waiting import PATIENCE_S

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nx-a: 2\r\n\r\n"


def ask(client: HTTPClient, origin: Origin, *, is_head: bool = False) -> StreamedAnswer:
    server = Server("127.0.0.1", origin.port, "127.0.0.1", None)
    return client.stream(server, GET, is_head=is_head, is_repeatable=True)


def sending(*pieces: bytes, keeps: bool = True) -> Handler:
    async def handle(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            origin.requests += 1
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
            if not keeps:
                return

    return handle


class Taker:
    """Who takes an answer: `pieces`, and how it ended."""

    def __init__(self, answer: StreamedAnswer) -> None:
        self.pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self.ended: asyncio.Future[CallFailed | None] = asyncio.get_running_loop().create_future()
        answer.deliver(self.pieces.put_nowait, self.ended.set_result)


async def test_pieces_come_one_by_one_and_the_connection_is_kept() -> None:
    more = asyncio.Event()

    async def handle(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(CHUNKED + b"3\r\none\r\n")
            await more.wait()
            writer.write(b"3\r\ntwo\r\n0\r\n\r\n")

    async with serving(handle) as origin, asyncio.timeout(PATIENCE_S):
        client = HTTPClient()
        for _ in range(2):
            more.clear()
            answer = ask(client, origin)
            await answer.head()
            assert (answer.status, answer.length) == (200, -1)
            assert [value for name, value in answer.fields if name == "x-a"] == ["1", "2"]
            taker = Taker(answer)
            assert await taker.pieces.get() == b"one"
            more.set()
            assert await taker.pieces.get() == b"two"
            assert await taker.ended is None
        client.close()
    assert origin.connections == 1


async def test_a_body_of_known_length_is_read() -> None:
    async with serving(sending(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab", b"cd")) as origin:
        client = HTTPClient()
        answer = ask(client, origin)
        await answer.head()
        assert answer.length == 4
        assert await answer.read(10) == b"abcd"
        with pytest.raises(CallFailed, match="response body exceeds 3 bytes"):
            await ask(client, origin).read(3)
        client.close()


async def test_nothing_follows_the_head_of_a_head_request() -> None:
    async with serving(sending(b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n")) as origin:
        client = HTTPClient()
        for _ in range(3):
            answer = ask(client, origin, is_head=True)
            await answer.head()
            assert (answer.length, await answer.read(1)) == (400, b"")
        client.close()
    assert origin.connections == 1


async def test_nobody_waits_for_what_is_not_taken() -> None:
    """A server may send what fits into the window and the sockets on the way, and no more."""
    size = 100 * WINDOW_BYTES
    sent = 0
    is_stuck = asyncio.Event()

    async def handle(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        while sent < size:
            writer.write(bytes(WINDOW_BYTES))
            try:
                async with asyncio.timeout(0.5):
                    await writer.drain()
            except TimeoutError:
                is_stuck.set()
                await writer.drain()
            sent += WINDOW_BYTES
        await reader.read()

    async with serving(handle) as origin, asyncio.timeout(PATIENCE_S):
        client = HTTPClient()
        answer = ask(client, origin)
        await answer.head()
        await is_stuck.wait()
        assert sent < size / 2
        assert len(await answer.read(size)) == size
        client.close()


async def test_a_break_is_told_behind_what_came() -> None:
    async with serving(sending(CHUNKED + b"3\r\none\r\n", keeps=False)) as origin, asyncio.timeout(PATIENCE_S):
        client = HTTPClient()
        answer = ask(client, origin)
        await answer.head()
        taker = Taker(answer)
        failure = await taker.ended
        assert failure is not None
        assert (failure.text, failure.has_status) == ("unexpected EOF", True)
        assert await taker.pieces.get() == b"one"
        client.close()


async def test_no_head_is_a_failure_of_the_call() -> None:
    async with serving(sending(b"", keeps=False)) as origin:
        client = HTTPClient()
        with pytest.raises(CallFailed, match="EOF"):
            await ask(client, origin).head()
        client.close()


async def test_who_gives_up_closes_the_connection() -> None:
    gone = asyncio.Event()

    async def handle(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(CHUNKED)
        await reader.read()
        gone.set()

    async with serving(handle) as origin, asyncio.timeout(PATIENCE_S):
        client = HTTPClient()
        answer = ask(client, origin)
        await answer.head()
        answer.abort()
        await gone.wait()
        client.close()


SWITCHING = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: lines\r\n\r\n"


async def test_an_upgraded_connection_goes_both_ways_until_it_ends() -> None:
    sent: asyncio.Queue[bytes] = asyncio.Queue()

    async def handle(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(SWITCHING + b"at once")
        while piece := await reader.read(65536):
            sent.put_nowait(piece)

    async with serving(handle) as origin, asyncio.timeout(PATIENCE_S):
        client = HTTPClient()
        answer = client.upgrade(Server("127.0.0.1", origin.port, "127.0.0.1", None), GET)
        await answer.head()
        assert (answer.status, answer.is_sent) == (101, True)
        answer.open_up(lambda _: None)
        taker = Taker(answer)
        assert await taker.pieces.get() == b"at once"
        answer.write(b"one")
        assert await sent.get() == b"one"
        answer.write(b"x" * 1_000_000)
        answer.end()
        size = 0
        while size < 1_000_000:
            size += len(await sent.get())
        answer.write(b"too late")
        client.close()


async def test_an_upgrade_that_finds_nobody_was_not_sent() -> None:
    gone = Server("127.0.0.1", free_port(), "127.0.0.1", None)
    client = HTTPClient()
    answer = client.upgrade(gone, GET)
    with pytest.raises(CallFailed, match="connection refused"):
        await answer.head()
    assert not answer.is_sent
    client.close()
