"""Requests and answers over HTTP/2: what HTTP2Protocol does, without a socket. The client is the `h2` package."""

from __future__ import annotations

import asyncio
import gc
import zlib
from collections.abc import Iterator

import pytest
from hpack import NeverIndexedHeaderTuple

from quarterdeck._kernels import http2, http2stream, watchobject
from quarterdeck.transport.limits import HTTP2Settings, Limits
from quarterdeck.transport.messages import LazyBody, Request, Response
from support import watch_hubs
from support.http1 import RecordingStream, settle
from support.http2 import connect
from support.waiting import until


def count_alive() -> tuple[int, int]:
    return http2.count_alive(), http2stream.count_alive()


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    gc.collect()
    before = count_alive()
    yield
    gc.collect()
    assert count_alive() == before


@pytest.fixture(autouse=True)
def _settled(_nothing_is_left: None, runner: asyncio.Runner) -> Iterator[None]:
    """What a test has left to the loop is done before the loop is closed."""
    yield
    runner.run(settle())


async def test_a_request_and_its_answer() -> None:
    seen: list[Request] = []

    def answer(request: Request) -> Response:
        seen.append(request)
        return Response(201, [("Content-Type", "text/plain"), ("Connection", "close"), ("X-Two", "a\r\nb")], b"hello")

    client = connect(answer)
    got = client.get("/a%20b/c?x=1&y", method="POST", body=b"body", headers=[("x-one", "1")])
    assert (got.status, got.body, got.is_ended) == (201, b"hello", True)
    assert got.headers["content-type"] == "text/plain"
    assert got.headers["content-length"] == "5"
    assert got.headers["x-two"] == "a  b"
    assert got.headers["date"].endswith(" GMT")
    assert "connection" not in got.headers
    (request,) = seen
    assert (request.method, request.path, request.query, request.body) == ("POST", "/a%20b/c", "x=1&y", b"body")
    assert request.headers["host"] == "h"
    assert request.headers["x-one"] == "1"
    assert request.connection.remote_address == "192.0.2.1"


async def test_repeated_fields_are_joined_and_kept_apart() -> None:
    client = connect()
    fields = [("impersonate-group", "a, b"), ("impersonate-group", "c"), ("cookie", "x=1"), ("cookie", "y=2")]
    once = [("accept", "a, b"), ("accept", "c")]
    client.get(headers=[*fields, ("host", "other"), *once])
    headers = client.bench.requests[0].headers
    assert (headers["accept"], headers["\naccept"]) == ("a, b", "a, b\nc")
    assert headers["impersonate-group"] == "a, b, c"
    assert headers["\nimpersonate-group"] == "a, b\nc"
    assert headers["cookie"] == "x=1; y=2"
    assert headers["host"] == "h"


async def test_blanks_around_a_value_are_no_part_of_it() -> None:
    """Go's clients send them, as in `Bearer ` where they have no token."""
    client = connect()
    client.h2.config.normalize_outbound_headers = False
    for _ in range(2):  # the second time as it was remembered
        client.get(headers=[("authorization", "Bearer "), ("x-one", "\t a b \t"), ("x-none", "  ")])
        headers = client.bench.requests[-1].headers
        assert headers == {"host": "h", "authorization": "Bearer", "x-one": "a b", "x-none": ""}


async def test_fields_that_come_again_and_others_between() -> None:
    """More of them than a connection remembers, in changing order, and values that are and are not in HPACK's table."""
    client = connect()
    for number in range(120):
        sent = {f"x-{number * step % 45}": f"{number % 7}-{step}" for step in range(1, 20)}
        sent["x-long"] = "y" * (1000 + 100 * (number % 40))
        client.get(f"/{number % 3}", headers=[*sent.items(), NeverIndexedHeaderTuple("x-secret", f"s{number % 2}")])
        request = client.bench.requests[-1]
        assert request.path == f"/{number % 3}"
        assert request.headers == {"host": "h", **sent, "x-secret": f"s{number % 2}"}


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
async def test_answers_without_a_body(method: str, status: int) -> None:
    client = connect(lambda request: Response(status, [], b"abc" if method == "HEAD" else b""))
    got = client.get(method=method)
    assert (got.status, got.body, got.is_ended) == (status, b"", True)
    assert got.headers.get("content-length") == ("3" if method == "HEAD" else None)


async def test_many_requests_are_answered_each_when_it_is_ready() -> None:
    gates: dict[str, asyncio.Future[Response]] = {}

    def answer(request: Request) -> asyncio.Future[Response]:
        gates[request.path] = asyncio.get_running_loop().create_future()
        return gates[request.path]

    client = connect(answer)
    first, second = client.request("/1"), client.request("/2")
    gates["/2"].set_result(Response(200, [], b"two"))
    await settle()
    assert client.of(second).body == b"two"
    assert not client.of(first).headers
    gates["/1"].set_result(Response(200, [], b"one"))
    await settle()
    assert client.of(first).body == b"one"


@pytest.mark.parametrize("size", [65_536, 65_537, 1_000_000])
async def test_large_answers_come_whole(size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    pieces = [body[at : at + 10_000] for at in range(0, size, 10_000)]
    client = connect(lambda request: Response(200, [], body[:size] if request.path == "/whole" else pieces))
    for path in ("/whole", "/pieces"):
        stream = client.request(path)
        for _ in range(100):
            await settle()
            if client.of(stream).is_ended:
                break
        assert client.of(stream).body[:size] == body[:size]
        assert client.of(stream).headers["content-length"] == str(len(client.of(stream).body))


async def test_large_answers_are_compressed_where_that_is_taken() -> None:
    text = b"0123456789" * 50_000
    client = connect(lambda request: Response(200, [], text, compressible=True))
    stream = client.request(headers=[("accept-encoding", "gzip")])
    await until(lambda: client.of(stream).is_ended)
    got = client.of(stream)
    assert got.headers["content-encoding"] == "gzip"
    assert zlib.decompress(got.body, 31) == text


async def test_a_client_that_does_not_read_holds_a_bounded_part_of_a_large_answer() -> None:
    made = 0

    def make() -> Iterator[bytes]:
        nonlocal made
        for _ in range(1000):
            made += 10_000
            yield b"x" * 10_000

    client = connect(lambda request: Response(200, [], LazyBody(10_000_000, make)))
    client.takes = False
    client.request()
    for _ in range(50):
        await settle()
    assert made < 1_000_000
    client.takes = True
    while not client.of(1).is_ended:
        await settle()
    assert len(client.of(1).body) == 10_000_000


async def test_a_stream_that_is_not_read_holds_up_no_other() -> None:
    client = connect(lambda request: Response(200, [], b"x" * (300_000 if request.path == "/large" else 3)))
    client.h2.acknowledge_received_data = lambda size, stream: (  # type: ignore[method-assign]
        client.h2.increment_flow_control_window(size) if size else None
    )
    large = client.request("/large")
    await settle()
    assert not client.of(large).is_ended, "its window is used up"
    assert client.get("/small").is_ended


async def test_watches_are_written_as_they_live() -> None:
    stream = RecordingStream()
    client = connect(lambda request: stream)
    number = client.request()
    assert stream.events == ["opened"]
    assert client.of(number).status == 200
    assert stream.writer is not None
    stream.writer.write(b"one")
    await settle()
    assert client.of(number).body == b"one"
    stream.writer.write(b"two")
    stream.writer.end()
    await settle()
    assert (client.of(number).body, client.of(number).is_ended) == (b"onetwo", True)
    assert stream.events == ["opened", "closed"]
    stream.writer.write(b"late")
    stream.writer.end()
    stream.writer.abort()
    assert client.bench.server.streams_count == 0


@pytest.mark.parametrize("how", ["reset", "connection", "abort", "drain"])
async def test_a_watch_is_closed_exactly_once(how: str) -> None:
    stream = RecordingStream()
    client = connect(lambda request: stream)
    number = client.request()
    if how == "reset":
        client.h2.reset_stream(number)
        client.send()
    elif how == "connection":
        client.channel.close()
    elif how == "abort":
        assert stream.writer is not None
        stream.writer.abort()
        await settle()
        assert client.of(number).reset == http2.INTERNAL_ERROR
    else:
        assert await client.bench.server.drain(5)
        assert client.of(number).is_ended
        assert client.channel.state == "closed"
    assert stream.events == ["opened", "closed"]
    assert client.bench.server.streams_count == 0


async def test_a_watch_whose_client_is_behind_is_paused_and_resumed() -> None:
    stream = RecordingStream()
    client = connect(lambda request: stream)
    client.takes = False
    client.request()
    writer = stream.writer
    assert writer is not None
    for _ in range(10):
        writer.write(b"x" * 16_000)
        await settle()
    assert writer.is_paused
    client.takes = True
    client.read()
    await settle()
    assert not writer.is_paused
    assert stream.events == ["opened", "resumed"]


async def test_a_watch_whose_client_takes_nothing_is_given_up() -> None:
    stream = RecordingStream()
    client = connect(lambda request: stream)
    client.takes = False
    client.request()
    assert stream.writer is not None
    for _ in range(20):
        stream.writer.write(b"x" * 16_000)
    await settle()
    client.bench.wait(5)
    assert stream.events == ["opened"]
    client.bench.wait(10)
    await settle()
    assert stream.events == ["opened", "closed"]


async def test_a_watch_that_the_fan_out_finds_full_is_held_and_given_up_in_the_end() -> None:
    hub = watch_hubs.build(lambda form, kind, change, first: b"x" * 20_000, lambda entry: None, 1000, 1 << 30)
    stream = RecordingStream()
    client = connect(lambda request: stream)
    client.takes = False
    number = client.request()
    assert stream.writer is not None
    watcher = hub.open(watchobject.Selection(), "form")
    hub.release(watcher, *stream.writer.direct())
    for revision in range(1, 41):
        entry = watchobject.Entry("ns/a", "ns", b"x", revision, 1, {}, {})
        hub.publish(watchobject.Change(entry, None, revision))
        assert hub.flush(10, 1 << 20) == []
        await settle()
    assert stream.writer.is_paused
    assert watcher.lag
    assert not watcher.is_live
    assert not hub.has_work
    client.bench.wait(5)
    assert stream.events == ["opened"]
    client.bench.wait(10)
    await settle()
    assert stream.events == ["opened", "closed"]
    client.takes = True
    assert client.of(number).reset == http2.CANCEL
    hub.close(watcher)


async def test_an_event_for_a_thousand_watches_on_ten_connections_is_ten_writes() -> None:
    hub = watch_hubs.build(lambda form, kind, change, first: b"x" * 500, lambda entry: None, 1000, 1 << 30)
    streams: list[RecordingStream] = []

    def answer(request: Request) -> Response:
        streams.append(RecordingStream())
        return streams[-1]

    clients = [connect(answer) for _ in range(10)]
    for client in clients:
        for _ in range(100):
            client.request()
    watchers = []
    for stream in streams:
        assert stream.writer is not None
        watchers.append(hub.open(watchobject.Selection(), "form"))
        hub.release(watchers[-1], *stream.writer.direct())
    await settle()
    writes: list[int] = []
    for client in clients:
        write = client.channel.write
        client.channel.write = lambda data, write=write: (writes.append(len(data)), write(data))  # type: ignore[misc]
    hub.publish(watchobject.Change(watchobject.Entry("ns/a", "ns", b"x", 1, 1, {}, {}), None, 1))
    assert hub.flush(2000, 1 << 20) == []
    await settle()
    assert len(writes) == 10
    for client in clients:
        assert all(client.of(number).body == b"x" * 500 for number in range(1, 201, 2))
    for watcher in watchers:
        hub.close(watcher)


async def test_a_read_is_cancelled_with_its_stream_and_a_write_is_not() -> None:
    ended: list[str] = []

    async def answer(request: Request) -> Response:
        try:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            ended.append(f"{request.method} cancelled")
            raise
        ended.append(f"{request.method} done")
        return Response(200, [])

    client = connect(answer)
    for method in ("GET", "POST"):
        number = client.request(method=method)
        await asyncio.sleep(0)
        client.h2.reset_stream(number)
        client.send()
    await settle()
    assert sorted(ended) == ["GET cancelled", "POST done"]


async def test_a_late_request_is_told_so() -> None:
    async def answer(request: Request) -> Response:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            assert request.is_late
        return Response(504, [], b"late")

    client = connect(answer, Limits(request_timeout_s=5))
    number = client.request()
    await settle()
    client.bench.wait(7)
    await settle()
    assert client.of(number).status == 504


# Bodies.


async def test_bodies_in_pieces() -> None:
    client = connect(lambda request: Response(200, [], request.body))
    body = bytes(range(256)) * 1000
    number = client.request(method="POST", body=body[:1000], ends=False)
    client.h2.send_data(number, body[1000:2000])
    client.send()
    for at in range(2000, len(body), 16_000):
        client.h2.send_data(number, body[at : at + 16_000])
        client.send()
    client.h2.send_headers(number, [("trailer", "ignored")], end_stream=True)
    client.send()
    for _ in range(20):
        await settle()
    assert client.of(number).body == body


async def test_a_client_that_waits_for_leave_to_send_gets_it() -> None:
    client = connect(lambda request: Response(200, [], request.body))
    number = client.request(method="POST", headers=[("expect", "100-continue")], ends=False)
    assert client.of(number).informational == ["100"]
    client.h2.send_data(number, b"body", end_stream=True)
    client.send()
    assert client.of(number).body == b"body"


@pytest.mark.parametrize("is_declared", [True, False])
async def test_bodies_that_are_too_large_are_refused(is_declared: bool) -> None:
    limits = Limits(body_bytes_max=100_000)
    client = connect(lambda request: Response(200, []), limits)
    headers = [("content-length", "200000")] if is_declared else []
    number = client.request(method="POST", body=b"x" * 60_000, headers=headers, ends=False)
    if not is_declared:
        assert not client.of(number).headers
        client.h2.send_data(number, b"x" * 5_000)
        client.send()
        client.h2.send_data(number, b"x" * 16_000)
        client.h2.send_data(number, b"x" * 16_000)
        client.h2.send_data(number, b"x" * 16_000)
        client.send()
    got = client.of(number)
    assert got.status == 413
    assert b"Request entity too large: limit is 100000" in got.body
    assert client.bench.requests == []
    assert client.bench.server.body_bytes == 0
    client.bench.wait(7)
    await settle()
    assert client.of(number).reset == http2.NO_ERROR


async def test_all_bodies_together_are_bounded() -> None:
    limits = Limits(all_bodies_bytes_max=150_000)
    client = connect(lambda request: Response(200, []), limits)
    headers = [("content-length", "100000")]
    first = client.request(method="POST", headers=headers, ends=False)
    second = client.request(method="POST", headers=[*headers, ("expect", "100-continue")], ends=False)
    assert client.of(second).status == 429
    assert client.of(second).informational == []
    client.h2.reset_stream(first)
    client.send()
    assert client.bench.server.body_bytes == 0


async def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    client = connect(None, Limits(body_timeout_s=5))
    number = client.request(method="POST", ends=False)
    client.bench.wait(7)
    await settle()
    assert client.of(number).status == 408


# The end of connections.


async def test_an_idle_connection_is_closed() -> None:
    client = connect()
    client.get()
    client.bench.wait(93)
    assert client.channel.state == "open"
    await until(lambda: client.channel.state == "closed")
    client.read()
    assert client.goaways


async def test_a_connection_that_is_used_now_and_then_stays() -> None:
    client = connect()
    for _ in range(10):
        assert client.get().status == 200
        client.bench.wait(60)
    assert client.goaways == []


async def test_a_client_may_be_asked_to_connect_anew() -> None:
    client = connect(None, Limits(http2=HTTP2Settings(goaway_chance=1.0)))
    assert client.get().status == 200
    assert client.goaways == [(2**31 - 1, http2.NO_ERROR)]


async def test_who_does_not_speak_http2_is_cut_off() -> None:
    client = connect()
    client.channel.protocol.data_received(b"\x00\x00\x01\x00\x00\x00\x00\x00\x00x")  # DATA on stream 0
    client.read()
    assert client.goaways[-1][1] == http2.PROTOCOL_ERROR
    assert client.channel.state == "closed"


async def test_connect_is_refused() -> None:
    client = connect()
    number = client.h2.get_next_available_stream_id()
    client.h2.send_headers(number, [(":method", "CONNECT"), (":authority", "elsewhere:1")], end_stream=True)
    client.send()
    assert client.of(number).status == 405
    assert client.bench.requests == []


# Misuse.


async def test_a_head_with_too_many_bytes_or_fields_is_refused() -> None:
    client = connect(None, Limits(head_bytes_max=5000, fields_max=20))
    for headers in ([("x-large", "y" * 6000)], [(f"x-{n}", "") for n in range(30)]):
        got = client.get(headers=headers)
        assert got.status == 431
    assert client.get().status == 200


async def test_streams_that_are_given_up_at_once_end_the_connection() -> None:
    client = connect(lambda request: asyncio.get_running_loop().create_future())
    for _ in range(1100):
        if client.channel.state != "open":
            break
        number = client.h2.get_next_available_stream_id()
        client.h2.send_headers(
            number, [(":method", "GET"), (":scheme", "https"), (":authority", "h"), (":path", "/")], end_stream=True
        )
        client.h2.reset_stream(number)
        client.channel.protocol.data_received(client.h2.data_to_send())
    client.read()
    assert client.goaways[-1][1] == http2.ENHANCE_YOUR_CALM
    await settle()


@pytest.mark.parametrize(
    "frame",
    [
        b"\x00\x00\x08\x06\x00\x00\x00\x00\x00" + b"p" * 8,  # PING
        b"\x00\x00\x00\x04\x00\x00\x00\x00\x00",  # SETTINGS
        b"\x00\x00\x05\x02\x00\x00\x00\x00\x01\x00\x00\x00\x00\x10",  # PRIORITY
        b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x01",  # WINDOW_UPDATE
    ],
    ids=["ping", "settings", "priority", "window"],
)
async def test_floods_of_useless_frames_end_the_connection(frame: bytes) -> None:
    client = connect()
    for _ in range(200):
        if client.channel.state == "open":
            client.channel.protocol.data_received(frame * 100)
            client.channel.take()
    assert client.channel.state == "closed"


async def test_pings_now_and_then_are_no_flood() -> None:
    client = connect(lambda request: RecordingStream())
    client.request()
    for _ in range(30):
        for _ in range(40):
            client.channel.protocol.data_received((b"\x00\x00\x08\x06\x00\x00\x00\x00\x00" + b"p" * 8) * 50)
        client.bench.now += 61
        client.bench.server.sweep()
        client.read()
    assert (client.channel.state, client.goaways) == ("open", [])


async def test_a_flood_of_continuations_ends_the_connection() -> None:
    client = connect()
    client.channel.protocol.data_received(b"\x00\x00\x00\x01\x00\x00\x00\x00\x01")
    for _ in range(2000):
        if client.channel.state == "open":
            client.channel.protocol.data_received(b"\x00\x00\x00\x09\x00\x00\x00\x00\x01" * 50)
    assert client.channel.state == "closed"


async def test_more_streams_than_allowed_end_the_connection() -> None:
    client = connect(lambda request: asyncio.get_running_loop().create_future())
    client.h2.remote_settings.max_concurrent_streams = 1000
    client.h2.remote_settings.acknowledge()
    for _ in range(250):
        client.request()
    assert len(client.bench.requests) == 250
    client.request()
    assert client.goaways[-1][1] == http2.PROTOCOL_ERROR
    assert len(client.bench.requests) == 250
