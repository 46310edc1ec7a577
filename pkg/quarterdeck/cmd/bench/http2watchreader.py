"""Reads watches over HTTP/2, many on each connection, and counts their events."""

from __future__ import annotations

import contextlib
import select
import ssl
from typing import Final

from quarterdeck._kernels import http2client
from quarterdeck.cmd.bench import http2session
from quarterdeck.cmd.bench.watchreader import BRACE, END_OF_EVENT, NEWLINE, WatchersError
from quarterdeck.cmd.client import open_socket
from quarterdeck.cmd.kubeconfig import Target

_READ_BYTES: Final = 1 << 18
# Of one connection, before it is the turn of the next one: TLS gives out one record, of 16 KiB, at a time.
_READS_MAX: Final = 64
_QUOTED_BYTES_MAX: Final = 300


def open_reader(target: Target, paths: list[str], streams: int) -> HTTP2Reader:
    """A watch for each path, so many of them on one connection. Raises WatchersError, RequestError, OSError."""
    http2session.offer(target)
    count = -(-len(paths) // streams)
    connections = [_Connection(target) for _ in range(count)]
    for number, connection in enumerate(connections):
        connection.begin(target, paths[number::count])
    for connection in connections:
        connection.wait_until_open()
    return HTTP2Reader(connections)


class HTTP2Reader:
    def __init__(self, connections: list[_Connection]) -> None:
        self._poll = select.epoll()
        self._connections = {connection.fileno(): connection for connection in connections}
        for descriptor in self._connections:
            self._poll.register(descriptor, select.EPOLLIN)

    @property
    def total(self) -> int:
        """Events of all watches."""
        return sum(connection.total for connection in self._connections.values())

    def read(self) -> int:
        """Take what is there. How many connections had something. Raises WatchersError where a watch has ended."""
        ready = self._poll.poll(0, len(self._connections))
        for descriptor, _ in ready:
            self._connections[descriptor].read()
        return len(ready)


class _Connection:
    def __init__(self, target: Target) -> None:
        self.total = 0
        self._session = http2session.build_session(target)
        self._unopened: set[int] = set()
        self._refused: dict[int, int] = {}  # statuses, until the first bytes of the answer have come
        self._braces: set[int] = set()  # whose last byte was a brace: the newline may come next
        self._unsent = b""
        self._socket = open_socket(target)
        if isinstance(self._socket, ssl.SSLSocket):
            http2session.check_offer(target, self._socket.selected_alpn_protocol())

    def fileno(self) -> int:
        return self._socket.fileno()

    def begin(self, target: Target, paths: list[str]) -> None:
        """Send the requests, once the server has said how many it takes."""
        self._socket.sendall(self._session.take_output())
        while not (self._session.is_greeted or self._session.is_over) and (data := self._socket.recv(_READ_BYTES)):
            self._take(self._session.receive(data))
        http2session.check_session(target, self._session, len(paths))
        fields = http2session.build_fields(target)
        for path in paths:
            self._unopened.add(self._session.submit(b"GET", (target.root + path).encode(), fields, b""))
        self._socket.sendall(self._session.take_output())

    def wait_until_open(self) -> None:
        """Until all are answered; from then on `read` does not wait."""
        while self._unopened:
            self._receive(self._socket.recv(_READ_BYTES))
            self._socket.sendall(self._session.take_output())
        self._socket.setblocking(False)

    def read(self) -> None:
        with contextlib.suppress(BlockingIOError, ssl.SSLWantReadError):
            for _ in range(_READS_MAX):
                self._receive(self._socket.recv(_READ_BYTES))
        self._send()

    def _send(self) -> None:
        """Windows that are opened again, and answers to pings. What the socket does not take waits."""
        self._unsent += self._session.take_output()
        if self._unsent:
            with contextlib.suppress(BlockingIOError, ssl.SSLWantWriteError):
                self._unsent = self._unsent[self._socket.send(self._unsent) :]

    def _receive(self, data: bytes) -> None:
        if not data:
            raise WatchersError("the server closed a connection of watches")
        self._take(self._session.receive(data))
        if self._session.is_over:
            raise WatchersError("the server ended a connection of watches")

    def _take(self, events: list[http2client.Event]) -> None:
        braces = self._braces
        for kind, stream_id, value in events:
            if isinstance(value, bytes):
                self.total += value.count(END_OF_EVENT)
                if stream_id in braces:
                    braces.discard(stream_id)
                    self.total += value[0] == NEWLINE
                if value[-1] == BRACE:
                    braces.add(stream_id)
                if self._refused:
                    self._refuse(stream_id, value)
            elif kind == http2client.HEAD:
                if value == 200:
                    self._unopened.discard(stream_id)
                else:
                    self._refused[stream_id] = value
            elif kind == http2client.END:
                self._refuse(stream_id, b"")
                raise WatchersError("the server ended a watch")
            else:
                raise WatchersError(f"the server reset a watch: {http2session.name_reason(value)}")

    def _refuse(self, stream_id: int, body: bytes) -> None:
        if status := self._refused.get(stream_id):
            text = body[:_QUOTED_BYTES_MAX].decode(errors="replace")
            raise WatchersError(f"a watch was answered {status} {text!r}")
