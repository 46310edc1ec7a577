"""HTTP/2 on the client's side: against this server's own session, and against bytes that `h2` and `hpack` make."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import h2.config
import h2.connection
import h2.events
import h2.settings
import hpack
import pytest

from quarterdeck._kernels import http2, http2client
from quarterdeck._kernels.http2client import ClientSession
from quarterdeck._kernels.http2stream import Stream

FIELDS = ((b"accept", b"application/json"), (b"authorization", b"Bearer x"))
DATE = b"Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    gc.collect()
    before = http2client.count_alive()
    yield
    gc.collect()
    assert http2client.count_alive() == before


@dataclass
class Got:
    """What has come for one stream."""

    status: int = 0
    body: bytearray = field(default_factory=bytearray)
    ended: bool = False
    reset: int | None = None


@dataclass
class Seen:
    """`receive` in pieces of any size comes to the same."""

    session: ClientSession
    got: dict[int, Got] = field(default_factory=dict)

    def take(self, data: bytes, piece: int = 0) -> None:
        for at in range(0, len(data), piece or len(data) or 1):
            self.note(self.session.receive(data[at : at + (piece or len(data))]))

    def note(self, events: list[http2client.Event]) -> None:
        for kind, stream, value in events:
            got = self.got.setdefault(stream, Got())
            assert not got.ended
            assert got.reset is None
            if isinstance(value, bytes):
                assert kind == http2client.DATA
                got.body += value
            elif kind == http2client.HEAD:
                assert not got.status
                got.status = value
            elif kind == http2client.END:
                got.ended = True
            else:
                got.reset = value


class Pair:
    """A client and this server's session; `answer` is called for each whole request."""

    def __init__(self, streams_max: int = 250, piece: int = 0) -> None:
        self.client = Seen(ClientSession(b"https", b"example:1"))
        self.server = http2.Session(lambda: None, streams_max, 65536, 100, 10_000_000, 65536)
        self.piece = piece
        self.requests: list[Stream] = []

    def answer(self, stream: Stream) -> None:
        method, path, query, headers, body = stream.take_request(True)
        assert headers["host"] == "example:1"
        assert headers["authorization"] == "Bearer x"
        told = f"{method} {path} {query} {headers.get('content-length')} ".encode() + body
        self.server.answer(stream, 201, [("X", "y")], len(told), DATE, True, told)

    def run(self, *, answers: bool = True) -> None:
        """Until neither has anything to say."""
        while True:
            data = self.client.session.take_output()
            self.client.note(self.client.session.take_events())
            for kind, stream in self.server.receive(data):
                if kind == http2.REQUEST:
                    self.requests.append(stream)
                    if answers:
                        self.answer(stream)
            back = self.server.take(1 << 16)
            self.client.take(back, self.piece)
            if not data and not back:
                return


@pytest.mark.parametrize("piece", [0, 1, 7, 10_000])
def test_requests_and_their_answers(piece: int) -> None:
    pair = Pair(piece=piece)
    session = pair.client.session
    assert not session.is_greeted
    large = random.Random(1).randbytes(300_000)  # more than the server's window
    sent = [
        session.submit(b"GET", b"/a?b=c", FIELDS, b""),
        session.submit(b"POST", b"/d", (*FIELDS, (b"content-type", b"text/plain")), b"hello"),
        session.submit(b"PUT", b"/e", FIELDS, large),
    ]
    assert sent == [1, 3, 5]
    pair.run()
    assert pair.client.session.is_greeted
    assert session.streams_max == 250
    assert not session.is_leaving
    assert not session.is_over
    assert [pair.client.got[stream] for stream in sent] == [
        Got(201, bytearray(b"GET /a b=c None "), ended=True),
        Got(201, bytearray(b"POST /d  5 hello"), ended=True),
        Got(201, bytearray(b"PUT /e  300000 " + large), ended=True),
    ]


def test_more_requests_than_streams_wait_for_their_turn() -> None:
    pair = Pair(streams_max=3)
    pair.run()
    for number in range(50):
        pair.client.session.submit(b"GET", b"/%d" % number, FIELDS, b"")
    pair.run()
    assert len(pair.client.got) == 50
    assert all(got.ended and got.status == 201 for got in pair.client.got.values())
    assert pair.client.session.streams_max == 3


def test_no_stream_stalls_for_another() -> None:
    """Streams that never end take more than their windows, one after the other."""
    pair = Pair()
    watching, other = (pair.client.session.submit(b"GET", b"/watch", FIELDS, b"") for _ in range(2))
    pair.run(answers=False)
    for stream in pair.requests:
        pair.server.answer(stream, 200, [], -1, DATE, has_body=True)
    piece = b"x" * 1_000_000
    for _ in range(20):
        for stream in pair.requests:
            stream.write(piece)
            pair.run()
    assert {number: len(got.body) for number, got in pair.client.got.items()} == {
        watching: 20_000_000,
        other: 20_000_000,
    }
    pair.requests[0].end()
    pair.requests[1].reset(http2.CANCEL)
    pair.run()
    assert pair.client.got[watching].ended
    assert pair.client.got[other].reset == http2.CANCEL


def test_a_request_that_nobody_waits_for_is_given_up() -> None:
    pair = Pair()
    stream = pair.client.session.submit(b"GET", b"/", FIELDS, b"")
    pair.run(answers=False)
    pair.client.session.cancel(stream)
    pair.client.session.cancel(stream + 2)  # nobody's
    pair.run()
    assert pair.server.streams_count == 0
    assert pair.client.got[stream].reset == http2.CANCEL
    pair.client.session.cancel(stream)
    assert pair.client.session.take_output() == b""


def test_a_server_that_leaves_answers_what_it_has() -> None:
    pair = Pair()
    first = pair.client.session.submit(b"GET", b"/1", FIELDS, b"")
    pair.run(answers=False)
    late = pair.client.session.submit(b"GET", b"/2", FIELDS, b"")  # on its way when the server says so
    pair.server.leave()
    pair.client.take(pair.server.take(1 << 16))
    assert pair.client.session.is_leaving
    with pytest.raises(ConnectionError, match="takes no more requests"):
        pair.client.session.submit(b"GET", b"/3", FIELDS, b"")
    pair.run(answers=False)
    assert pair.client.got[late].reset == http2.REFUSED_STREAM
    assert not pair.client.session.is_over
    pair.answer(pair.requests[0])
    pair.run()
    assert pair.client.got[first].ended
    assert pair.client.session.is_over


def test_what_is_no_http2_ends_the_connection() -> None:
    for text in (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", bytes(9), b"\xff" * 40):
        session = ClientSession(b"http", b"h")
        session.submit(b"GET", b"/", FIELDS, b"")
        session.take_output()
        assert session.receive(text) == []
        session.take_output()
        assert session.is_over
        assert not session.is_greeted


def test_wrong_arguments_are_refused() -> None:
    session = ClientSession(b"https", b"h")
    with pytest.raises(ValueError, match="too many fields"):
        session.submit(b"GET", b"/", FIELDS * 17, b"")
    wrong: Any = ((b"a", "b"),)
    with pytest.raises(TypeError):
        session.submit(b"GET", b"/", wrong, b"")
    assert session.submit(b"GET", b"/", FIELDS * 16, b"x") == 1


# - against other implementations


class Other:
    """The `h2` package as the server."""

    def __init__(self) -> None:
        self.client = Seen(ClientSession(b"https", b"example"))
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.h2.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 7})
        self.events: list[Any] = []

    def run(self) -> None:
        while True:
            data = self.client.session.take_output()
            self.client.note(self.client.session.take_events())
            for event in self.h2.receive_data(data):
                self.events.append(event)
                if isinstance(event, h2.events.DataReceived):
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            back = self.h2.data_to_send()
            self.client.take(back)
            if not data and not back:
                return


def test_h2_answers() -> None:
    other = Other()
    session = other.client.session
    whole = session.submit(b"POST", b"/a", FIELDS, b"b" * 100_000)
    cut = session.submit(b"GET", b"/b", FIELDS, b"")
    other.run()
    assert session.streams_max == 7
    (head, _) = (event for event in other.events if isinstance(event, h2.events.RequestReceived))
    wanted = [(":method", "POST"), (":scheme", "https"), (":authority", "example"), (":path", "/a")]
    assert [(str(name), str(value)) for name, value in head.headers] == [
        *wanted,
        ("accept", "application/json"),
        ("authorization", "Bearer x"),
        ("content-length", "100000"),
    ]
    received = b"".join(event.data for event in other.events if isinstance(event, h2.events.DataReceived))
    assert received == b"b" * 100_000
    other.h2.send_headers(whole, [(":status", "103"), ("link", "x")])
    other.h2.send_headers(whole, [(":status", "200"), ("content-type", "text/plain")])
    other.h2.send_data(whole, b"one")
    other.h2.send_data(whole, b"", pad_length=5)
    other.h2.send_headers(whole, [("x-trailer", "y")], end_stream=True)
    other.h2.send_headers(cut, [(":status", "404"), ("content-length", "10")])
    other.h2.send_data(cut, b"short", end_stream=True)
    other.run()
    assert other.client.got[whole] == Got(200, bytearray(b"one"), ended=True)
    got = other.client.got[cut]
    assert (got.status, got.ended, got.reset) == (404, False, http2.PROTOCOL_ERROR)  # it promised more


def test_an_answer_before_all_was_sent_is_an_answer() -> None:
    other = Other()
    session = other.client.session
    refused = session.submit(b"POST", b"/", FIELDS, b"x" * 1_000_000)
    other.h2.receive_data(session.take_output())  # no window is opened again
    other.h2.send_headers(refused, [(":status", "413")], end_stream=True)
    other.h2.reset_stream(refused, 0)
    other.client.take(other.h2.data_to_send())
    assert other.client.got == {refused: Got(413, ended=True)}


def test_a_goaway_resets_what_the_server_has_not_begun() -> None:
    other = Other()
    taken, not_taken = (other.client.session.submit(b"GET", b"/", FIELDS, b"") for _ in range(2))
    other.run()
    other.h2.close_connection(error_code=0, last_stream_id=taken)
    other.client.take(other.h2.data_to_send())
    assert other.client.got == {not_taken: Got(reset=http2.REFUSED_STREAM)}
    assert other.client.session.is_leaving
    assert not other.client.session.is_over


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [("content-type", "a/b")],
        [(":status", "20")],
        [(":status", "2000")],
        [(":status", "abc")],
        [(":status", "200"), (":status", "200")],
        [("a", "b"), (":status", "200")],
        [(":path", "/")],
    ],
)
def test_a_head_that_is_none_resets_its_stream(fields: list[tuple[str, str]]) -> None:
    seen = Seen(ClientSession(b"https", b"h"))
    seen.session.submit(b"GET", b"/", FIELDS, b"")
    seen.session.take_output()
    seen.take(frame(4, 0, 0, b"") + frame(1, 5, 1, hpack.Encoder().encode(fields)))
    seen.session.take_output()
    seen.note(seen.session.take_events())
    assert seen.got[1].reset == http2.PROTOCOL_ERROR
    assert not seen.got[1].ended


@pytest.mark.parametrize("seed", range(20))
def test_whatever_comes_it_goes_on_or_is_over(seed: int) -> None:
    """Frames whole, broken and out of place: no stream is told of after its end, and nothing is left."""
    rng = random.Random(seed)
    seen = Seen(ClientSession(b"https", b"h"))
    head = hpack.Encoder().encode([(":status", "200")])
    seen.take(frame(4, 0, 0, b""))
    for _ in range(300):
        if rng.random() < 0.3 and not seen.session.is_leaving and not seen.session.is_over:
            seen.session.submit(b"POST", b"/", FIELDS, b"x" * rng.choice([0, 10, 100_000]))
        kind = rng.choice([0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        stream = rng.choice([0, 1, 3, 5, 7, 9, 11, 2])
        payload = head if kind == 1 and rng.random() < 0.9 else rng.randbytes(rng.choice([0, 4, 5, 6, 8, 100]))
        seen.take(frame(kind, rng.choice([0, 1, 4, 5, 8, 0xFF]), stream, payload), rng.choice([0, 1, 5]))
        if rng.random() < 0.5:
            seen.session.take_output()
            seen.note(seen.session.take_events())
        if seen.session.is_over:
            seen.session = ClientSession(b"https", b"h")
            seen.got.clear()
            seen.take(frame(4, 0, 0, b""))
