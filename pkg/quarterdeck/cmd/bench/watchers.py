"""Thousands of watches in a process of their own, which counts their events and tells when the last one has come.

The reader wants as little of the machine as it can, since it shares it with a server that is measured on the same
machine: it does not sleep in epoll_wait, where each of the server's sends would have to wake it, but looks every
half millisecond, takes what is there, and reads each socket once for all that it holds.

Still, to read from thousands of sockets takes as long as to send to them, and while both is done side by side each goes
at about half its pace. So there is another way to look (`expect_arrival`): the reader stays away until the server is
through, and then takes the times at which the kernel got the data for each socket.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import select
import socket
import ssl
import struct
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Final

from quarterdeck.cmd.client import RequestError, open_socket
from quarterdeck.cmd.kubeconfig import Target

# An event is one line of compact JSON (apimachinery/pkg/runtime/serializer/streaming); no other brace ends a line.
_END: Final = b"}\n"
_BRACE: Final = _END[0]
_NEWLINE: Final = _END[1]
_LAST_CHUNK: Final = b"0\r\n\r\n"
_LOOK_S: Final = 0.0005
_IDLE_S: Final = 0.05  # while nothing is expected
_STAY_AWAY_S: Final = 0.1
# SO_TIMESTAMPNS, which Python does not name: data is read with the time (of CLOCK_REALTIME) at which it came.
_TIMESTAMP: Final = 35
_TIMESPEC: Final = struct.Struct("@ll")
_BUFFER_BYTES: Final = 1 << 20
_COMPARED_MAX: Final = 4096
_NOTHING: Final = b"\0"  # no event looks like this
_FILES_RESERVED: Final = 256


class WatchersError(Exception):
    """The watches did not open, or not everything came in time."""


class Watchers:
    """Opens a watch for each path. `open_s`: how long that took. `tells_arrival`: the kernel's times can be had."""

    def __init__(self, target: Target, paths: list[str], timeout_s: float) -> None:
        self.tells_arrival = target.tls is None and sys.platform == "linux"
        self._timeout_s = timeout_s
        self._wanted = 0
        self._pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        self._child = context.Process(target=_serve, args=(target, paths, theirs), daemon=True)
        begin = time.monotonic()
        self._child.start()
        theirs.close()
        self._receive(max(timeout_s, len(paths) * 0.05))
        self.open_s = time.monotonic() - begin

    def expect(self, events: int) -> None:
        """Count on that many more events."""
        self._want(events, is_quiet=False)

    def expect_arrival(self, events: int) -> None:
        """The same, and nothing is read for a while. Returns when the times are being noted."""
        self._want(events, is_quiet=True)
        self._receive(self._timeout_s)

    def wait(self) -> float:
        """When the last expected event was read, or has arrived where that was asked for (time.monotonic)."""
        return self._receive(self._timeout_s)

    def close(self) -> None:
        self._child.kill()
        self._child.join()
        self._pipe.close()

    def _want(self, events: int, *, is_quiet: bool) -> None:
        self._wanted += events
        with contextlib.suppress(OSError):  # the child has ended: why, it has told
            self._pipe.send((self._wanted, is_quiet))

    def _receive(self, timeout_s: float) -> float:
        try:
            answer: object = self._pipe.recv() if self._pipe.poll(timeout_s) else "not everything came in time"
        except EOFError:
            answer = "their process has ended"
        if not isinstance(answer, float):
            raise WatchersError(f"the watches failed: {answer}")
        return answer


def raise_file_limit(wanted: int) -> None:
    """Allow so many connections. Raises WatchersError where the system does not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _FILES_RESERVED
    if soft != resource.RLIM_INFINITY and soft < needed:
        if hard != resource.RLIM_INFINITY and hard < needed:
            raise WatchersError(f"{wanted} watches need {needed} open files, the limit is {hard} (ulimit -Hn)")
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


# - the child


def _serve(target: Target, paths: list[str], pipe: Connection) -> None:
    try:
        raise_file_limit(len(paths))
        reader = Reader()
        for connection, rest in _open(target, paths):
            reader.add(connection, rest)
        pipe.send(time.monotonic())
        _read_for(pipe, reader)
    except (OSError, WatchersError, RequestError) as error:
        with contextlib.suppress(OSError):
            pipe.send(str(error))


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


def _read_for(pipe: Connection, reader: Reader) -> None:
    """Read until the other side is gone."""
    while True:
        try:
            wanted, is_quiet = pipe.recv() if pipe.poll(_IDLE_S) else (0, False)
        except EOFError:
            return
        if not wanted:
            # All that is there, since TLS gives out a record at a time: who reads less is given up by the server.
            while reader.read() and not pipe.poll():
                pass
        elif is_quiet:
            reader.note_times(True)
            pipe.send(time.monotonic())
            pipe.send(_wait_for_arrival(reader, wanted))
        else:
            pipe.send(_wait_for(reader, wanted))


def _wait_for(reader: Reader, wanted: int) -> float:
    while reader.total < wanted:
        if not reader.read() and reader.total < wanted:
            time.sleep(_LOOK_S)
    return time.monotonic()


def _wait_for_arrival(reader: Reader, wanted: int) -> float:
    reader.arrived_ns = 0
    while reader.total < wanted:
        time.sleep(_STAY_AWAY_S)
        reader.read_with_times()
    reader.note_times(False)
    return time.monotonic() - (time.time_ns() - reader.arrived_ns) / 1e9


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
        events = buffer.count(_END, 0, size)
        self.total += events
        if braces and descriptor in braces:
            braces.discard(descriptor)
            self.total += buffer[0] == _NEWLINE
        self._last = _NOTHING
        if buffer[size - 1] == _BRACE:
            braces.add(descriptor)
        elif size <= _COMPARED_MAX:
            self._last, self._events_of_last = bytes(memoryview(buffer)[:size]), events


def _is_last_chunk(buffer: bytearray, size: int) -> bool:
    """Whether the body ends with what was read. Its connection may be kept."""
    begin = size - len(_LAST_CHUNK)
    return buffer.endswith(_LAST_CHUNK, 0, size) and (begin == 0 or buffer[begin - 1] == _NEWLINE)
