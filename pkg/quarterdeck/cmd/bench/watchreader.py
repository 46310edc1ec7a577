"""Reads watches over HTTP/1.1, each on a connection of its own, and counts their events."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import struct
import sys
from collections.abc import Iterator
from typing import Final

from quarterdeck.cmd.client import open_socket
from quarterdeck.cmd.kubeconfig import Target

# An event is one line of compact JSON (apimachinery/pkg/runtime/serializer/streaming); no other brace ends a line.
END_OF_EVENT: Final = b"}\n"
BRACE: Final = END_OF_EVENT[0]
NEWLINE: Final = END_OF_EVENT[1]
_LAST_CHUNK: Final = b"0\r\n\r\n"
# SO_TIMESTAMPNS, which Python does not name: data is read with the time (of CLOCK_REALTIME) at which it came.
_TIMESTAMP: Final = 35
_TIMESPEC: Final = struct.Struct("@ll")
_BUFFER_BYTES: Final = 1 << 20
_COMPARED_MAX: Final = 4096
_NOTHING: Final = b"\0"  # no event looks like this


class WatchersError(Exception):
    """The watches did not open, or not everything came in time."""


def open_reader(target: Target, paths: list[str]) -> Reader:
    """Raises WatchersError, OSError."""
    reader = Reader()
    for connection, rest in _open(target, paths):
        reader.add(connection, rest)
    return reader


def _open(target: Target, paths: list[str]) -> Iterator[tuple[socket.socket, bytes]]:
    """Each watch's connection, with what of its body came along with the head."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in target.headers.items())
    connections = []
    for path in paths:
        connection = open_socket(target)
        connection.sendall(
            f"GET {target.root}{path} HTTP/1.1\r\nHost: {target.host}:{target.port}\r\n"
            f"Accept: application/json\r\n{lines}\r\n".encode()
        )
        connections.append(connection)
    for connection in connections:
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                break
            data += piece
        head, _, rest = data.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise WatchersError(f"a watch was answered {data[:300].decode(errors='replace')!r}")
        yield connection, rest


class Reader:
    """`total` counts the events of all watches; `arrived_ns` is the latest time (time.time_ns) at which data came that
    `read_with_times` has read."""

    def __init__(self) -> None:
        self.total = 0
        self.arrived_ns = 0
        # While one socket asks for times the kernel keeps noting them; it begins some time after the first one asks.
        self._asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        if sys.platform == "linux":
            self._asking.setsockopt(socket.SOL_SOCKET, _TIMESTAMP, True)
        self._poll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        self._braces: set[int] = set()  # whose last byte was a brace: the newline may come next
        self._buffer = bytearray(_BUFFER_BYTES)
        # What was read last, if it is short and a next event may follow it, and how many events ended in it.
        self._last = _NOTHING
        self._events_of_last = 0

    def add(self, connection: socket.socket, received: bytes) -> None:
        """Read from this connection too; `received` came with its head."""
        connection.setblocking(False)
        descriptor = connection.fileno()
        self._sockets[descriptor] = connection
        self._poll.register(descriptor, select.EPOLLIN)
        if received:
            self._buffer[: len(received)] = received
            self._count(descriptor, len(received))

    def read(self) -> int:
        """Take what is there. How many sockets had something. Raises WatchersError where one has ended."""
        ready = self._look()
        sockets, buffer, braces = self._sockets, self._buffer, self._braces
        for descriptor, _ in ready:
            connection = sockets[descriptor]
            try:
                size = connection.recv_into(buffer)
            except (BlockingIOError, ssl.SSLWantReadError):
                continue
            # Most watchers get the same bytes as the one before: to compare them is cheaper than to look into them.
            last = self._last
            if size == len(last) and buffer.startswith(last) and descriptor not in braces:
                self.total += self._events_of_last
            else:
                self._count(descriptor, size)
            if isinstance(connection, ssl.SSLSocket):
                self._read_decrypted(connection)
        return len(ready)

    def _read_decrypted(self, connection: ssl.SSLSocket) -> None:
        """What TLS has decrypted already, epoll does not tell."""
        with contextlib.suppress(ssl.SSLWantReadError):
            while connection.pending():
                self._count(connection.fileno(), connection.recv_into(self._buffer))

    def note_times(self, is_wanted: bool) -> None:
        """From now on the kernel notes when data comes."""
        for connection in self._sockets.values():
            connection.setsockopt(socket.SOL_SOCKET, _TIMESTAMP, is_wanted)

    def read_with_times(self) -> None:
        for descriptor, _ in self._look():
            size, notes, *_ = self._sockets[descriptor].recvmsg_into([self._buffer], 64)
            self._count(descriptor, size)
            for level, kind, data in notes:
                if level == socket.SOL_SOCKET and kind == _TIMESTAMP:
                    seconds, nanoseconds = _TIMESPEC.unpack(data)
                    self.arrived_ns = max(self.arrived_ns, seconds * 1_000_000_000 + nanoseconds)

    def _look(self) -> list[tuple[int, int]]:
        return self._poll.poll(0, len(self._sockets))

    def _count(self, descriptor: int, size: int) -> None:
        buffer, braces = self._buffer, self._braces
        if not size or _is_last_chunk(buffer, size):
            raise WatchersError("the server ended a watch")
        events = buffer.count(END_OF_EVENT, 0, size)
        self.total += events
        if braces and descriptor in braces:
            braces.discard(descriptor)
            self.total += buffer[0] == NEWLINE
        self._last = _NOTHING
        if buffer[size - 1] == BRACE:
            braces.add(descriptor)
        elif size <= _COMPARED_MAX:
            self._last, self._events_of_last = bytes(memoryview(buffer)[:size]), events


def _is_last_chunk(buffer: bytearray, size: int) -> bool:
    """Whether the body ends with what was read. Its connection may be kept."""
    begin = size - len(_LAST_CHUNK)
    return buffer.endswith(_LAST_CHUNK, 0, size) and (begin == 0 or buffer[begin - 1] == NEWLINE)
