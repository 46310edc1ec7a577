"""Connections that are handed on to an extension server, through a real server and TLS on both sides."""

from __future__ import annotations

import select
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.aggregation import World
from support.extension_server import BASE, ITEMS
from support.waiting import PROCESS_PATIENCE_S

pytestmark = pytest.mark.e2e

_PIECE = 1 << 16
_LINE = b"x" * (_PIECE - 1) + b"\n"


def _held_by_sockets_max() -> int:
    """Bytes. The kernel lets buffers grow, to 32 MiB each on some machines; between the client and itself there are the
    two ends of two connections, both ways."""
    largest = [int((Path("/proc/sys/net/ipv4") / name).read_text().split()[-1]) for name in ("tcp_rmem", "tcp_wmem")]
    return 4 * sum(largest)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("world"))
    try:
        made.register()
        yield made
    finally:
        made.close()


class Upgraded:
    """A client that asks for another protocol at a path; `head` is the answer's."""

    def __init__(
        self, world: World, path: str = f"{BASE}/switched", protocol: str = "capitals", more: str = ""
    ) -> None:
        http = world.open()
        http.connect()
        assert isinstance(http.sock, ssl.SSLSocket)
        self.socket = http.sock
        self.socket.settimeout(PROCESS_PATIENCE_S)
        head = f"GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\nConnection: Upgrade\r\n"
        self.socket.sendall(f"{head}Upgrade: {protocol}\r\n\r\n{more}".encode())
        self.file = self.socket.makefile("rb")
        self.head = b"".join(iter(self.file.readline, b"\r\n")).decode()

    # One thread does both: OpenSSL must not read and write a connection at once.

    def send(self, data: memoryview) -> int:
        """Without waiting: how much was taken."""
        try:
            return self.socket.send(data[:_PIECE]) if data else 0
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            return 0

    def receive(self) -> bytes:
        """Without waiting: what is there."""
        try:
            data = self.socket.recv(_PIECE)
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            return b""
        assert data, "the connection has ended"
        return data

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def test_bytes_pass_both_ways(world: World) -> None:
    client = Upgraded(world, more="first\n")
    assert client.head.startswith("HTTP/1.1 101 Switching Protocols\r\n")
    assert "Upgrade: capitals\r\n" in client.head
    assert "Connection: Upgrade\r\n" in client.head
    assert client.file.readline() == b"HELLO\n", "what came right behind the head"
    assert client.file.readline() == b"FIRST\n"
    for _ in range(3):
        client.socket.sendall(b"again\n")
        assert client.file.readline() == b"AGAIN\n"
    _, path, sent = world.extension.requests[-1]
    fields = {name.lower(): value for name, value in sent}
    assert (path, fields["x-remote-user"], fields["upgrade"]) == (f"{BASE}/switched", "admin", "capitals")
    assert "authorization" not in fields
    client.socket.sendall(b"bye\n")
    assert client.file.readline() == b"BYE\n"
    assert client.file.read() == b"", "the server has ended it"
    client.close()


def test_a_client_that_leaves_ends_it(world: World) -> None:
    path = f"{BASE}/switched?left=1"
    client = Upgraded(world, path)
    assert client.file.readline() == b"HELLO\n"
    client.close()
    while world.extension.left.get(timeout=PROCESS_PATIENCE_S) != path:
        pass  # another test's


def test_who_does_not_read_holds_the_server_up_and_loses_nothing(world: World) -> None:
    client = Upgraded(world)
    assert client.file.readline() == b"HELLO\n"
    client.socket.setblocking(False)
    most, sent = _held_by_sockets_max() + 64 * _PIECE, 0
    while sent < most and select.select([], [client.socket], [], 1.0)[1]:
        sent += client.send(memoryview(_LINE)[sent % _PIECE :])
    assert sent < most, "everything was taken although nobody read"
    expected = (sent // _PIECE + 8) * _PIECE  # whole lines, some of them still to be sent
    taken = 0
    while taken < expected:
        if more := client.receive():
            assert more.upper() == more
            taken += len(more)
            continue
        writers = [client.socket] if sent < expected else []
        assert any(select.select([client.socket], writers, [], PROCESS_PATIENCE_S))
        if sent < expected:
            sent += client.send(memoryview(_LINE)[sent % _PIECE :])
    assert taken == sent
    client.close()


def test_what_the_server_refuses_comes_as_an_answer(world: World) -> None:
    client = Upgraded(world, f"{BASE}/not-switched", more="GET /apis/secret HTTP/1.1\r\n\r\n")
    assert client.head.startswith("HTTP/1.1 403 Forbidden\r\n")
    client.close()
    assert not [path for _, path, _ in world.extension.requests if path == "/apis/secret"]


def test_an_answer_that_is_neither_is_refused(world: World) -> None:
    client = Upgraded(world, ITEMS)
    assert client.head.startswith("HTTP/1.1 503 ")
    assert client.file.readline() == b"invalid upgrade response: status code 200\n"
    client.close()


def test_requests_that_would_hide_in_an_upgrade_are_answered_one_by_one(world: World) -> None:
    client = Upgraded(world, ITEMS, protocol="h2c")
    assert client.head.startswith("HTTP/1.1 200 OK\r\n")
    client.close()
    fields = {name.lower() for name, _ in world.extension.requests[-1][2]}
    assert not fields & {"upgrade", "connection"}


def test_who_may_not_gets_no_tunnel(world: World) -> None:
    answer = world.call("GET", f"{BASE}/switched", token="jane", Connection="Upgrade", Upgrade="capitals")
    assert answer[0] == 403


def test_it_is_told_in_the_audit(world: World) -> None:
    client = Upgraded(world, f"{BASE}/switched?audited")
    assert client.file.readline() == b"HELLO\n"
    client.socket.sendall(b"bye\n")
    client.file.read()
    client.close()
    assert world.audited(f"{BASE}/switched?audited", "ResponseComplete") == ["RequestReceived", "ResponseComplete"]
    assert world.events(f"{BASE}/switched?audited")[-1]["responseStatus"]["code"] == 101
