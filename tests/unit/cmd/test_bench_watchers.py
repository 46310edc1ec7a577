"""Those who read the watches of a bench keep up with what comes while nothing is expected, and notice an end."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quarterdeck.cmd.bench.watchers import Watchers
from quarterdeck.cmd.bench.watchreader import WatchersError
from quarterdeck.cmd.kubeconfig import Target
from quarterdeck.transport.messages import frame_chunk
from support.certificates import Certificate
from support.origin import LOCALHOST, certificate_for, server_context
from support.waiting import PATIENCE_S

EVENT = b'{"type":"MODIFIED","object":{"padding":"' + b"x" * 4000 + b'"}}\n'
LAST_CHUNK = b"0\r\n\r\n"


@contextmanager
def serving(folder: Path, stream: Callable[[ssl.SSLSocket], None]) -> Iterator[Target]:
    """One watch over TLS, whose body is what `stream` writes; its connection stays open after that."""
    authority = Certificate("an authority", is_authority=True)
    context = server_context(certificate_for(*LOCALHOST, issuer=authority), folder)
    listener = socket.create_server(("127.0.0.1", 0))
    left: list[ssl.SSLSocket] = []

    def serve() -> None:
        connection = context.wrap_socket(listener.accept()[0], server_side=True)
        left.append(connection)
        request = b""
        while b"\r\n\r\n" not in request:
            request += connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        stream(connection)

    threading.Thread(target=serve, daemon=True).start()
    trusted = ssl.create_default_context(cadata=authority.pem.decode())
    port = listener.getsockname()[1]
    try:
        yield Target(f"https://127.0.0.1:{port}", "127.0.0.1", port, "", trusted, "127.0.0.1", {})
    finally:
        listener.close()
        for connection in left:
            connection.close()


def test_what_nobody_expects_yet_is_read_all_the_same(tmp_path: Path) -> None:
    """Far more than sockets hold, a TLS record for each: the other side of a watch that is not read gives it up."""
    count, is_sent = 6000, threading.Event()

    def stream(connection: ssl.SSLSocket) -> None:
        for _ in range(count):
            connection.sendall(frame_chunk(EVENT))
        is_sent.set()

    with serving(tmp_path, stream) as target:
        watchers = Watchers(target, ["/watch"], PATIENCE_S)
        try:
            assert is_sent.wait(PATIENCE_S)
            watchers.expect(count)
            watchers.wait()
        finally:
            watchers.close()


@pytest.mark.parametrize("end", [(LAST_CHUNK,), (frame_chunk(EVENT) + LAST_CHUNK,), (frame_chunk(EVENT), LAST_CHUNK)])
def test_a_watch_that_ends_on_a_kept_connection_is_told(tmp_path: Path, end: tuple[bytes, ...]) -> None:
    def stream(connection: ssl.SSLSocket) -> None:
        for piece in end:
            connection.sendall(piece)

    with serving(tmp_path, stream) as target:
        watchers = Watchers(target, ["/watch"], PATIENCE_S)
        try:
            with pytest.raises(WatchersError, match="the server ended a watch"):
                watchers.expect(2)
                watchers.wait()
        finally:
            watchers.close()
