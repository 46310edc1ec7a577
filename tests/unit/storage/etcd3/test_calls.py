"""gRPC calls of one member, with grpcio as the server: messages of any size, ends of any kind, nothing left behind."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from grpc import (
    StatusCode,
    aio,
    method_handlers_generic_handler,
    stream_stream_rpc_method_handler,
    unary_unary_rpc_method_handler,
)

from quarterdeck._kernels import grpccalls
from quarterdeck.storage.etcd3.calls import CallError
from quarterdeck.storage.etcd3.member import Member
from support.waiting import PATIENCE_S

SIZES = [0, 1, 4, 5, 16_379, 16_384, 65_530, 1_000_000, 20_000_000]
_UNBOUNDED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    gc.collect()
    before = grpccalls.count_alive()
    yield
    gc.collect()
    assert grpccalls.count_alive() == before


class Service:
    """`Echo` answers what it gets, `Fail` refuses, `Hang` answers when it is told to, `Many` answers each number with
    so many messages of 100 KB."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()
        self.sent = 0

    async def echo(self, request: bytes, context: Any) -> bytes:
        return request

    async def fail(self, request: bytes, context: Any) -> bytes:
        await context.abort(StatusCode.FAILED_PRECONDITION, "größer als\n100 %")
        raise AssertionError

    async def hang(self, request: bytes, context: Any) -> bytes:
        self.asked.set()
        await self.go_on.wait()
        return b"at last"

    async def many(self, requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        async for request in requests:
            for number in range(int(request)):
                yield b"%07d" % number + b"x" * 100_000
                self.sent += 1

    def handler(self) -> Any:
        unary = {"Echo": self.echo, "Fail": self.fail, "Hang": self.hang}
        handlers: dict[str, Any] = {name: unary_unary_rpc_method_handler(call) for name, call in unary.items()}
        handlers["Many"] = stream_stream_rpc_method_handler(self.many)
        return method_handlers_generic_handler("t.T", handlers)


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Service, Member, aio.Server]]:
    service = Service()
    server = aio.server(options=_UNBOUNDED)
    server.add_generic_rpc_handlers((service.handler(),))
    server.add_insecure_port(f"unix:{folder / 'socket'}")
    await server.start()
    member = Member(f"unix://{folder / 'socket'}", None)
    try:
        yield service, member, server
    finally:
        service.go_on.set()
        await member.close()
        await server.stop(None)


async def test_messages_of_any_size_many_at_a_time(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, member, _):
        messages = [bytes([number % 251]) * size for number, size in enumerate(SIZES * 3)]
        answers = await asyncio.gather(*(member.unary(b"/t.T/Echo", message, 60) for message in messages))
        assert answers == messages


async def test_an_error_keeps_its_code_and_text(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, member, _):
        for path, code, text in (
            (b"/t.T/Fail", "FAILED_PRECONDITION", "größer als\n100 %"),
            (b"/t.T/None", "UNIMPLEMENTED", "Method not found!"),
        ):
            with pytest.raises(CallError) as raised:
                await member.unary(path, b"", 60)
            assert (raised.value.code, raised.value.text, raised.value.was_sent) == (code, text, True)


async def test_a_call_ends_at_its_deadline_and_others_go_on(tmp_path: Path) -> None:
    async with serving(tmp_path) as (service, member, _):
        waiting = asyncio.ensure_future(member.unary(b"/t.T/Hang", b"", 60))
        await service.asked.wait()
        with pytest.raises(CallError) as raised:
            await member.unary(b"/t.T/Hang", b"", 0.05)
        assert raised.value.code == "DEADLINE_EXCEEDED"
        assert raised.value.was_sent
        service.go_on.set()
        assert await waiting == b"at last"


async def test_a_given_up_call_is_cancelled_there(tmp_path: Path) -> None:
    async with serving(tmp_path) as (service, member, _):
        task = asyncio.ensure_future(member.unary(b"/t.T/Hang", b"", 60))
        await service.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await member.unary(b"/t.T/Echo", b"still here", 60) == b"still here"


async def test_a_server_that_stops_lets_calls_end_and_takes_new_ones_when_it_is_back(tmp_path: Path) -> None:
    async with serving(tmp_path) as (service, member, server):
        waiting = asyncio.ensure_future(member.unary(b"/t.T/Hang", b"", 60))
        await service.asked.wait()
        stopping = asyncio.ensure_future(server.stop(60))
        service.go_on.set()
        assert await waiting == b"at last"
        await stopping
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    await member.unary(b"/t.T/Echo", b"", 60)
                except CallError as error:
                    assert error.code == "UNAVAILABLE"
                    if not error.was_sent:
                        break
                await asyncio.sleep(0.01)
        async with serving(tmp_path), asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    assert await member.unary(b"/t.T/Echo", b"again", 60) == b"again"
                    break
                except CallError:
                    await asyncio.sleep(0.01)


async def test_a_call_whose_server_is_lost_may_have_happened(tmp_path: Path) -> None:
    async with serving(tmp_path) as (service, member, server):
        waiting = asyncio.ensure_future(member.unary(b"/t.T/Hang", b"", 60))
        await service.asked.wait()
        await server.stop(None)
        with pytest.raises(CallError) as raised:
            await waiting
        assert raised.value.was_sent


async def test_nobody_is_there(tmp_path: Path) -> None:
    member = Member("http://127.0.0.1:1", None)
    for _ in range(2):  # the second is not even tried
        with pytest.raises(CallError) as raised:
            await member.unary(b"/t.T/Echo", b"", 60)
        assert raised.value.code == "UNAVAILABLE"
        assert not raised.value.was_sent
        dialing = "Error while dialing: dial tcp 127.0.0.1:1: connect: connection refused"
        assert raised.value.text == f'connection error: desc = "transport: {dialing}"'
    await member.close()


async def test_who_says_nothing_is_no_member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quarterdeck.storage.etcd3.member.CONNECT_S", 0.05)
    taken: list[asyncio.StreamWriter] = []
    listener = await asyncio.start_unix_server(lambda _, writer: taken.append(writer), tmp_path / "socket")
    member = Member(f"unix://{tmp_path / 'socket'}", None)
    with pytest.raises(CallError) as raised:
        await member.unary(b"/t.T/Echo", b"", 60)
    assert (raised.value.code, raised.value.was_sent) == ("UNAVAILABLE", False)
    await member.close()
    for writer in taken:
        writer.close()
    listener.close()


async def test_who_speaks_something_else_is_no_member(tmp_path: Path) -> None:
    def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    listener = await asyncio.start_unix_server(answer, tmp_path / "socket")
    member = Member(f"unix://{tmp_path / 'socket'}", None)
    with pytest.raises(CallError) as raised:
        await member.unary(b"/t.T/Echo", b"", 60)
    assert raised.value.code == "UNAVAILABLE"
    await member.close()
    listener.close()


async def test_a_slow_reader_is_sent_no_more_than_it_takes(tmp_path: Path) -> None:
    async with serving(tmp_path) as (service, member, _):
        stream = await member.stream(b"/t.T/Many")
        stream.write(b"300")
        first = await stream.read()
        assert first is not None
        settled = -1
        while service.sent != settled:  # the server stops sending, with most of it still to come
            settled = service.sent
            await asyncio.sleep(0.2)
        assert settled < 250
        got = [first, *[await stream.read() for _ in range(299)]]
        assert [message[:7] for message in got if message] == [b"%07d" % number for number in range(300)]
        stream.write(b"1")
        assert await stream.read() is not None
        stream.cancel()


async def test_a_stream_tells_of_a_lost_server(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, member, server):
        stream = await member.stream(b"/t.T/Many")
        stream.write(b"1")
        assert await stream.read() is not None
        reading = asyncio.ensure_future(stream.read())
        await asyncio.sleep(0)
        await server.stop(None)
        with pytest.raises(CallError):
            await reading
