"""Whatever a client sends in HTTP/2, in whatever pieces: the server goes on or ends the connection, and keeps nothing.

Frames are drawn whole, broken and out of place, between answers of every kind, streams that are written and cut, and
clients that do not read. In the end the connection is closed: every stream has been told so once, and no byte of a
body, no place of a watch and no object of the kernel is left over.
"""

from __future__ import annotations

import asyncio
import gc
import random

import uvloop
from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import http2, http2stream
from quarterdeck.transport.http2 import HTTP2Protocol
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import ConnectionInfo, LazyBody, Request, Response
from support.http1 import Bench, FakeChannel, RecordingStream, settle

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PATHS = ("/", "/large", "/lazy", "/late", "/watch", "/packed")
LIMITS = Limits(body_bytes_max=50_000, head_bytes_max=8000, fields_max=30, all_bodies_bytes_max=120_000)


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def field(name: str, value: str) -> bytes:
    return b"\x00" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()


class World:
    """One connection and what its application does, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.streams: list[RecordingStream] = []
        self.bench = Bench(self.answer, LIMITS)
        self.channel = FakeChannel()
        self.next_stream = 1
        protocol = HTTP2Protocol(self.bench.server)
        self.channel.protocol = protocol
        self.bench.server.admit(protocol)
        protocol.begin(self.channel, ConnectionInfo("192.0.2.1", is_secure=True), -1)

    def answer(self, request: Request) -> Response | asyncio.Future[Response]:
        if request.path == "/large":
            return Response(200, [("X", "y")], b"x" * self.rng.choice([70_000, 400_000]))
        if request.path == "/lazy":
            return Response(200, [], LazyBody(300_000, lambda: iter([b"x" * 100_000] * 3)))
        if request.path == "/packed":
            return Response(200, [], b"x" * 200_000, compressible=True)
        if request.path == "/watch":
            self.streams.append(RecordingStream())
            return self.streams[-1]
        if request.path == "/late":
            return asyncio.ensure_future(self.later(request))
        return Response(self.rng.choice([200, 204, 304, 404]), [], b"")

    async def later(self, request: Request) -> Response:
        for _ in range(self.rng.randrange(4)):
            await asyncio.sleep(0)
        return Response(200, [], request.body)

    def head(self, stream: int) -> bytes:
        rng = self.rng
        fields = field(":method", rng.choice(["GET", "POST", "HEAD", "CONNECT"])) + field(":scheme", "https")
        fields += field(":path", rng.choice(PATHS)) + field(":authority", "h")
        for name, value in (
            ("accept-encoding", "gzip"),
            ("expect", "100-continue"),
            ("content-length", "7"),
            ("te", "x"),
        ):
            if rng.random() < 0.15:
                fields += field(name, value)
        flags = rng.choice([5, 5, 4, 1, 0])
        return frame(1, flags, stream, fields)

    def draw(self) -> bytes:
        """A frame, mostly one that is allowed."""
        rng = self.rng
        old = rng.randrange(1, self.next_stream + 2, 2)
        kind = rng.randrange(12)
        if kind <= 4:
            stream, self.next_stream = self.next_stream, self.next_stream + 2
            return self.head(stream if rng.random() < 0.97 else old)
        if kind <= 6:
            return frame(0, rng.choice([0, 1]), old, b"b" * rng.choice([0, 7, 1000, 16_384]))
        if kind == 7:
            return frame(3, 0, old, b"\0\0\0\x08")
        if kind == 8:
            return frame(8, 0, rng.choice([0, old]), rng.choice([1, 1000, 100_000]).to_bytes(4, "big"))
        if kind == 9:
            return frame(4, 0, 0, b"\0\x04" + rng.choice([0, 100, 65_535]).to_bytes(4, "big"))
        if kind == 10:
            return frame(6, 0, 0, b"12345678")
        payload = rng.randbytes(rng.randrange(12))
        return frame(rng.randrange(12), rng.randrange(256), rng.choice([0, old]), payload)

    def act(self) -> None:
        """Something happens on this side."""
        rng, channel = self.rng, self.channel
        what = rng.randrange(6)
        live = [stream.writer for stream in self.streams if stream.writer is not None]
        if what == 0 and live:
            rng.choice(live).write(b"w" * rng.choice([0, 100, 30_000]))
        elif what == 1 and live:
            rng.choice(live).end()
        elif what == 2 and live:
            rng.choice(live).abort()
        elif what == 3:
            channel.is_reading_client = False
        elif what == 4:
            channel.catch_up()
        else:
            self.bench.wait(rng.choice([1, 3]))

    async def run(self, steps: int) -> None:
        rng, channel = self.rng, self.channel
        waiting = PREFACE + frame(4, 0, 0, b"")
        for _ in range(steps):
            if channel.state != "open":
                break
            for _ in range(rng.randrange(4)):
                waiting += self.draw()
            if rng.random() < 0.05 and waiting:
                at = rng.randrange(len(waiting))
                waiting = waiting[:at] + bytes((rng.randrange(256),)) + waiting[at + 1 :]
            cut = len(waiting) if rng.random() < 0.7 else rng.randrange(len(waiting) + 1)
            channel.protocol.data_received(waiting[:cut])
            waiting = waiting[cut:]
            if channel.state == "open" and rng.random() < 0.5:
                self.act()
            if rng.random() < 0.5:
                await asyncio.sleep(0)
            channel.take()
        await settle()
        if channel.state == "open":
            channel.close()
        # Bodies that are compressed beside the loop come to their end there.
        while len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(0)
        await settle()


async def check(seed: int, steps: int) -> None:
    world = World(seed)
    await world.run(steps)
    server = world.bench.server
    assert server.streams_count == 0
    assert server.body_bytes == 0
    assert server.connections_count == 0
    for stream in world.streams:
        assert stream.events.count("closed") == 1
    await server.drain(1)


def run(seed: int, steps: int) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(check(seed, steps))


@given(st.integers(0, 1 << 32), st.integers(1, 60))
@settings(deadline=None, max_examples=150)
def test_nothing_a_client_sends_leaves_anything_behind(seed: int, steps: int) -> None:
    gc.collect()
    before = http2.count_alive(), http2stream.count_alive()
    run(seed, steps)
    gc.collect()
    assert (http2.count_alive(), http2stream.count_alive()) == before
