"""What the bench makes of servers of HTTP/2 that end streams and connections, and of events in any pieces."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from quarterdeck._kernels import http2
from quarterdeck._kernels.http2stream import Stream
from quarterdeck.cmd.bench import http2connection
from quarterdeck.cmd.bench.channel import Channel
from quarterdeck.cmd.bench.http2watchreader import open_reader
from quarterdeck.cmd.bench.messages import Answer, Request, Unreachable
from quarterdeck.cmd.bench.watchers import Watchers
from quarterdeck.cmd.bench.watchreader import WatchersError
from quarterdeck.cmd.client import RequestError
from quarterdeck.cmd.kubeconfig import Target
from support.waiting import PATIENCE_S, wait_for

DATE = b"Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
EVENT = b'{"type":"MODIFIED","object":{"a":{}}}\n'


class Origin:
    """One connection at the server. `act` is called for each request, with its path; `send` sends what was said."""

    def __init__(self, connection: socket.socket, act: Callable[[Origin, Stream, str], None]) -> None:
        self.connection = connection
        self.session = http2.Session(lambda: None, 100, 65536, 100, 1_000_000, 65536)
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self._act = act
        self._sending = threading.Lock()

    def serve(self) -> None:
        self.send()
        while not self.session.is_over and (data := self._receive()):
            for kind, stream in self.session.receive(data):
                if kind == http2.REQUEST:
                    method, path, _, headers, body = stream.take_request(True)
                    self.requests.append((method, path, headers, body))
                    self._act(self, stream, path)
            self.send()
        self.connection.close()

    def _receive(self) -> bytes:
        try:
            return self.connection.recv(65536)
        except OSError:  # `act` has closed it
            return b""

    def answer(self, stream: Stream, status: int, body: bytes) -> None:
        self.session.answer(stream, status, [], len(body), DATE, True, body)

    def send(self) -> None:
        with self._sending:
            while self.connection.fileno() >= 0 and (data := self.session.take(65536)):
                self.connection.sendall(data)


def target_of(port: int) -> Target:
    """By prior knowledge: there is no TLS."""
    return Target(f"http://127.0.0.1:{port}", "127.0.0.1", port, "", None, "", {"Authorization": "Bearer x"})


@contextmanager
def serving(act: Callable[[Origin, Stream, str], None]) -> Iterator[tuple[Target, list[Origin]]]:
    listener = socket.create_server(("127.0.0.1", 0))
    origins: list[Origin] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            origins.append(Origin(connection, act))
            threading.Thread(target=origins[-1].serve, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    port = listener.getsockname()[1]
    try:
        yield (
            Target(f"http://127.0.0.1:{port}", "127.0.0.1", port, "", None, "", {"Authorization": "Bearer x"}),
            origins,
        )
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for origin in origins:
            origin.connection.close()


def behave(origin: Origin, stream: Stream, path: str) -> None:
    """As the path says."""
    if path == "/reset":
        stream.reset(http2.INTERNAL_ERROR)
    elif path == "/close":
        origin.connection.shutdown(socket.SHUT_RDWR)
        origin.connection.close()
    elif path == "/leave":
        origin.session.leave()
        origin.answer(stream, 200, b"last")
    elif path == "/refuse":
        origin.session.terminate(http2.ENHANCE_YOUR_CALM)
    elif path != "/never":
        origin.answer(stream, 201, path.encode() * 10_000)


def ask(target: Target, *paths: str, streams: int = 10) -> list[Answer | BaseException]:
    """All at a time, on one channel; then one more, which finds a connection that takes it."""

    async def run() -> list[Answer | BaseException]:
        channel = Channel(lambda: http2connection.connect(target, streams))
        await channel.open()
        requests = [channel.exchange(Request("POST", path, "text/plain", b"x")) for path in paths]
        found = await asyncio.gather(*requests, return_exceptions=True)
        found.append(await channel.exchange(Request("GET", "/z")))
        channel.close()
        return found

    return asyncio.run(run())


LARGE = (201, b"/a" * 10_000)
AFTER = (201, b"/z" * 10_000)


def test_what_a_request_says() -> None:
    with serving(behave) as (target, origins):
        assert ask(target, "/a") == [LARGE, AFTER]
        wanted = {"host": f"127.0.0.1:{target.port}", "accept": "application/json", "authorization": "Bearer x"}
        body = {"content-type": "text/plain", "content-length": "1"}
        assert origins[0].requests == [("POST", "/a", wanted | body, b"x"), ("GET", "/z", wanted, b"")]


def test_a_stream_that_is_reset_is_one_failure() -> None:
    with serving(behave) as (target, origins):
        one, reset, other, after = ask(target, "/a", "/reset", "/a")
        assert (one, other, after) == (LARGE, LARGE, AFTER)
        assert isinstance(reset, RequestError)
        assert str(reset) == "the server reset a stream: INTERNAL_ERROR"
        assert len(origins) == 1


@pytest.mark.parametrize("end", ["/close", "/refuse"])
def test_a_connection_that_is_lost_fails_what_was_under_way(end: str) -> None:
    with serving(behave) as (target, origins):
        *lost, after = ask(target, "/never", "/never", end)
        assert [str(error) for error in lost] == ["the server closed a connection: without an answer"] * 3
        assert all(isinstance(error, RequestError) and not isinstance(error, Unreachable) for error in lost)
        assert after == AFTER
        assert len(origins) == 2


def test_a_server_that_leaves_answers_what_it_has_and_is_connected_to_anew() -> None:
    with serving(behave) as (target, origins):
        assert ask(target, "/a", "/leave") == [LARGE, (200, b"last"), AFTER]
        assert len(origins) == 2


SETTINGS = bytes.fromhex("000000040000000000")
LEAVE = bytes.fromhex("0000080700000000007fffffff00000000")  # GOAWAY; what has begun is answered
LEAVE_AT_ONCE = bytes.fromhex("00000807000000000000000000" + "00000000")  # and nothing that has begun is
REFUSE = bytes.fromhex("00000403000000000100000007")  # RST_STREAM of the first request


class Wire:
    """A transport to nowhere."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


async def meet(target: Target, frame: bytes, *, is_sent: bool) -> Answer:
    """The answer to a request that the frame meets: on its way, or before it has left."""
    wired = http2connection.Connection(target)
    wired.connection_made(Wire())  # type: ignore[arg-type]
    wired.data_received(SETTINGS)
    connections = [wired]

    async def connect() -> http2connection.Connection:
        return connections.pop() if connections else await http2connection.connect(target, 10)

    channel = Channel(connect)
    asking = asyncio.ensure_future(channel.exchange(Request("POST", "/a", "text/plain", b"x")))
    for _ in range(3 if is_sent else 1):
        await asyncio.sleep(0)
    wired.data_received(frame)
    try:
        return await asking
    finally:
        channel.close()


@pytest.mark.parametrize(("frame", "is_sent"), [(LEAVE, False), (LEAVE_AT_ONCE, False), (LEAVE_AT_ONCE, True)])
def test_a_request_that_a_leaving_server_has_not_taken_goes_to_another_connection(frame: bytes, is_sent: bool) -> None:
    with serving(behave) as (target, origins):
        assert asyncio.run(meet(target, frame, is_sent=is_sent)) == LARGE
        assert [path for _, path, _, _ in origins[0].requests] == ["/a"]


def test_a_request_that_is_refused_by_a_server_that_stays_fails() -> None:
    with serving(behave) as (target, origins), pytest.raises(RequestError, match="reset a stream: REFUSED_STREAM"):
        asyncio.run(meet(target, REFUSE, is_sent=True))
    assert origins == []


def test_a_request_that_nobody_waits_for_any_more_is_given_up() -> None:
    with serving(behave) as (target, origins):

        async def run() -> None:
            connection = await http2connection.connect(target, 10)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await connection.exchange(Request("GET", "/never"))
            assert await connection.exchange(Request("GET", "/a")) == LARGE
            assert origins[0].session.streams_count == 0
            connection.close()

        asyncio.run(run())


def test_who_offers_too_little_is_unreachable() -> None:
    with serving(behave) as (target, _):
        with pytest.raises(Unreachable, match="allows 100 streams a connection, 101 are wanted"):
            ask(target, streams=101)
        with pytest.raises(Unreachable, match="allows 100 streams a connection, 101 are wanted"):
            open_reader(target, ["/"] * 101, 200)


@pytest.mark.parametrize("text", [b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", b""])
def test_a_server_of_something_else_is_unreachable(text: bytes) -> None:
    def act() -> None:
        for _ in range(2):
            connection, _ = listener.accept()
            connection.recv(65536)
            connection.sendall(text)
            connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=act, daemon=True).start()
        target = target_of(listener.getsockname()[1])
        with pytest.raises(Unreachable, match="does not speak HTTP/2"):
            ask(target)
        with pytest.raises(Unreachable, match="does not speak HTTP/2"):
            open_reader(target, ["/"], 1)


# - watches


def begin_watch(origin: Origin, stream: Stream, path: str) -> None:
    if path == "/forbidden":
        origin.answer(stream, 403, b"not you")
        return
    origin.session.answer(stream, 200, [], -1, DATE, True)
    stream.owner = path
    streams.append((origin, stream))


streams: list[tuple[Origin, Stream]] = []


@pytest.fixture(autouse=True)
def _no_streams() -> Iterator[None]:
    streams.clear()
    yield
    streams.clear()


def write(data: bytes) -> None:
    """To all watches."""
    for origin, stream in streams:
        stream.write(data)
        origin.send()


@pytest.mark.parametrize("size", [1, 2, 3, len(EVENT) - 1, len(EVENT), 100_000])
def test_events_are_counted_however_they_are_cut(size: int) -> None:
    with serving(begin_watch) as (target, origins):
        reader = open_reader(target, ["/watch"] * 7, 3)
        assert len(origins) == 3
        text = EVENT * (20_000 if size > 1000 else 2)
        for begin in range(0, len(text), size):
            write(text[begin : begin + size])
            if size > 1000:
                reader.read()
        wanted = 7 * text.count(b"\n")
        wait_for(lambda: reader.read() >= 0 and reader.total >= wanted)
        assert reader.total == wanted


@pytest.mark.parametrize("text", ["ended a watch", "reset a watch: INTERNAL_ERROR", "closed a connection of watches"])
def test_a_watch_that_ends_is_told(text: str) -> None:
    with serving(begin_watch) as (target, _):
        watchers = Watchers(target, ["/watch"] * 5, PATIENCE_S, streams=2)
        try:
            watchers.expect(5)
            write(EVENT)
            watchers.wait()
            watchers.expect(5)
            origin, stream = streams[0]
            if text == "ended a watch":
                stream.end()
            elif text == "reset a watch: INTERNAL_ERROR":
                stream.reset(http2.INTERNAL_ERROR)
            else:
                origin.connection.shutdown(socket.SHUT_RDWR)
            origin.send()
            with pytest.raises(WatchersError, match=f"the server {text}"):
                watchers.wait()
        finally:
            watchers.close()


def test_a_watch_that_is_refused_is_told() -> None:
    with serving(begin_watch) as (target, _), pytest.raises(WatchersError, match="answered 403 'not you'"):
        Watchers(target, ["/watch", "/forbidden"], PATIENCE_S, streams=2)
