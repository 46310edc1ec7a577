"""HTTP/1.1 over a real socket: what net/http's server answers at the edges, and clients that misbehave."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator

import pytest

from quarterdeck.transport.limits import Limits
from support import tiny_server
from support.waiting import PATIENCE_S, wait_for

FAST = Limits(
    head_timeout_s=1,
    idle_timeout_s=2,
    body_timeout_s=1,
    write_timeout_s=1,
    stream_write_timeout_s=1,
    linger_timeout_s=1,
)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with tiny_server.running(FAST) as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def send(port: int, data: bytes) -> bytes:
    with connect(port) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return tiny_server.read_all(connection)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET /livez HTTP/1.1\r\n\r\n", b"400 Bad Request: missing required Host header"),
        (b"GET /livez HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", b"400 Bad Request"),
        (b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", b"400 Bad Request"),
        (b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\nabcd", b"400 Bad Request"),
        (b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4, 4\r\n\r\nabcd", b"400 Bad Request"),
        (b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", b"501 Not Implemented"),
        (
            b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n",
            b"400 Bad Request: invalid header name",
        ),
        (
            b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            b"400 Bad Request",
        ),
        (b"GET /live\x00z HTTP/1.1\r\nHost: a\r\n\r\n", b"400 Bad Request"),
        (b"GET /livez HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n", b"400 Bad Request"),
        (b"GET /livez\r\n\r\n", b"400 Bad Request"),
        (b"PRI * HTTP/2.1\r\n\r\nSM\r\n\r\n", b"505 HTTP Version Not Supported: unsupported protocol version"),
        (b"GET /livez HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n", b"200 OK"),
        (b"GET /livez HTTP/1.1\nHost: a\n\n", b"200 OK"),
        (b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", b"200 OK"),
        (b"FROB /livez HTTP/1.1\r\nHost: a\r\n\r\n", b"200 OK"),
        (b"GET http://other/livez HTTP/1.1\r\nHost: a\r\n\r\n", b"200 OK"),
    ],
)
def test_edges_of_a_head(port: int, data: bytes, status: bytes) -> None:
    assert send(port, data).splitlines()[0] == b"HTTP/1.1 " + status


def test_an_upload_that_is_too_large_gets_its_answer(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("POST", "/echo", body=b"x" * (20 << 20))
    answer = connection.getresponse()
    assert answer.status == 413
    assert b"limit is 3145728" in answer.read()


def test_large_bodies_go_both_ways(port: int) -> None:
    body = bytes(range(256)) * 12288
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    for headers, payload in (({}, body), ({"Transfer-Encoding": "chunked"}, iter([body[:1000], body[1000:]]))):
        connection.request("POST", "/echo", body=payload, headers=headers, encode_chunked=bool(headers))
        assert connection.getresponse().read() == body


def test_a_stream_arrives_whole_and_the_connection_lives_on(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    for _ in range(2):
        connection.request("GET", "/stream/5000")
        assert connection.getresponse().read() == b"0123456789abcdef" * 64 * 5000
    connection.request("GET", "/livez")
    assert connection.getresponse().read() == b"ok"


@pytest.mark.parametrize(
    ("sent", "at_least_s"),
    [
        (b"", 1),
        (b"GET / HT", 1),
        (b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", 2),
        (b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc", 1),
        (b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", 1),
    ],
)
def test_slow_clients_are_let_go(port: int, sent: bytes, at_least_s: float) -> None:
    assert tiny_server.kept_s(port, sent) >= at_least_s


def test_a_client_that_does_not_read_does_not_hold_others_up(port: int) -> None:
    with connect(port) as deaf:
        deaf.sendall(b"GET /stream/1000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        for _ in range(3):
            assert b"200 OK" in send(port, b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        deaf.settimeout(tiny_server.HANG_S)
        # The server gives up on its own.
        streams = b"GET /streams HTTP/1.1\r\nHost: a\r\n\r\n"
        wait_for(lambda: send(port, streams).endswith(b"\r\n0"), patience_s=tiny_server.HANG_S)
        received = 0
        try:
            while piece := deaf.recv(1 << 20):
                received += len(piece)
        except ConnectionResetError:
            pass
        assert received < 100_000_000


def test_a_client_that_leaves_in_the_middle_does_no_harm(port: int) -> None:
    for path in (b"/stream/100000", b"/slow", b"/echo"):
        with connect(port) as connection:
            connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: a\r\n\r\n")
            connection.recv(1) if path != b"/slow" else None
    assert b"200 OK" in send(port, b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")


def test_what_was_asked_before_the_end_of_input_is_answered(port: int) -> None:
    data = b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
    assert send(port, data).count(b"HTTP/1.1 200 OK") == 2
