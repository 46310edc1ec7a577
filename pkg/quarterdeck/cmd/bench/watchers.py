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
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Final

from quarterdeck.cmd.bench.client import RequestError, open_socket
from quarterdeck.cmd.bench.kubeconfig import Target

# An event is one line of compact JSON (apimachinery/pkg/runtime/serializer/streaming); no other brace ends a line.
_END: Final = b"}\n"
_BRACE: Final = _END[0]
_NEWLINE: Final = _END[1]
_LOOK_S: Final = 0.0005
_IDLE_S: Final = 0.05  # while nothing is expected
_STAY_AWAY_S: Final = 0.1
# SO_TIMESTAMPNS, which Python does not name: data is read with the time (of CLOCK_REALTIME) at which it came.
_TIMESTAMP: Final = 35
_TIMESPEC: Final = struct.Struct("@ll")
_BUFFER_BYTES: Final = 1 << 20
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
        """So many more are going to come."""
        self._wanted += events
        self._pipe.send((self._wanted, False))

    def expect_arrival(self, events: int) -> None:
        """The same, and nothing is read for a while. Returns when the times are being noted."""
        self._wanted += events
        self._pipe.send((self._wanted, True))
        self._receive(self._timeout_s)

    def wait(self) -> float:
        """When the last expected event was read, or has arrived where that was asked for (time.monotonic)."""
        return self._receive(self._timeout_s)

    def close(self) -> None:
        self._child.kill()
        self._child.join()
        self._pipe.close()

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
        reader = _Reader(target, paths)
        pipe.send(time.monotonic())
        reader.run(pipe)
    except (OSError, WatchersError, RequestError) as error:
        with contextlib.suppress(OSError):
            pipe.send(str(error))


class _Reader:
    """`total` counts the events of all watches; `arrived_ns` is the last of the kernel's times that were asked for."""

    def __init__(self, target: Target, paths: list[str]) -> None:
        self.total = 0
        self.arrived_ns = 0
        self._poll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        self._braces: set[int] = set()  # whose last byte was a brace: the newline may come next
        self._buffer = bytearray(_BUFFER_BYTES)
        self._open(target, paths)

    def _open(self, target: Target, paths: list[str]) -> None:
        lines = "".join(f"{name}: {value}\r\n" for name, value in target.headers.items())
        for path in paths:
            connection = open_socket(target)
            connection.sendall(
                f"GET {target.root}{path} HTTP/1.1\r\nHost: {target.host}:{target.port}\r\n"
                f"Accept: application/json\r\n{lines}\r\n".encode()
            )
            self._sockets[connection.fileno()] = connection
        for descriptor, connection in self._sockets.items():
            data = b""
            while b"\r\n\r\n" not in data:
                piece = connection.recv(65536)
                if not piece:
                    break
                data += piece
            head, _, rest = data.partition(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise WatchersError(f"a watch was answered {data[:300].decode(errors='replace')!r}")
            self._buffer[: len(rest)] = rest
            self._count(descriptor, len(rest))
            connection.setblocking(False)
            self._poll.register(descriptor, select.EPOLLIN)

    def run(self, pipe: Connection) -> None:
        """Read until the other side is gone."""
        while True:
            try:
                wanted, is_quiet = pipe.recv() if pipe.poll(_IDLE_S) else (0, False)
            except EOFError:
                return
            if not wanted:
                self._take(self._read)
            elif is_quiet:
                self._ask_for_times(True)
                pipe.send(time.monotonic())
                pipe.send(self._wait_for_arrival(wanted))
            else:
                pipe.send(self._wait_for(wanted))

    def _wait_for(self, wanted: int) -> float:
        while self.total < wanted:
            if not self._take(self._read) and self.total < wanted:
                time.sleep(_LOOK_S)
        return time.monotonic()

    def _wait_for_arrival(self, wanted: int) -> float:
        self.arrived_ns = 0
        while self.total < wanted:
            time.sleep(_STAY_AWAY_S)
            self._take(self._read_with_time)
        self._ask_for_times(False)
        return time.monotonic() - (time.time_ns() - self.arrived_ns) / 1e9

    def _ask_for_times(self, is_wanted: bool) -> None:
        for connection in self._sockets.values():
            connection.setsockopt(socket.SOL_SOCKET, _TIMESTAMP, is_wanted)

    def _take(self, read: Callable[[int], None]) -> int:
        """Read what is there. How many sockets had something."""
        ready = self._poll.poll(0, len(self._sockets))
        for descriptor, _ in ready:
            read(descriptor)
        return len(ready)

    def _read(self, descriptor: int) -> None:
        connection = self._sockets[descriptor]
        try:
            size = connection.recv_into(self._buffer)
            self._count(descriptor, size)
            # What TLS has decrypted already, epoll does not tell.
            while size and isinstance(connection, ssl.SSLSocket) and connection.pending():
                self._count(descriptor, connection.recv_into(self._buffer))
        except (BlockingIOError, ssl.SSLWantReadError):
            return
        if not size:
            raise WatchersError("the server ended a watch")

    def _read_with_time(self, descriptor: int) -> None:
        size, notes, *_ = self._sockets[descriptor].recvmsg_into([self._buffer], 64)
        if not size:
            raise WatchersError("the server ended a watch")
        self._count(descriptor, size)
        for level, kind, data in notes:
            if level == socket.SOL_SOCKET and kind == _TIMESTAMP:
                seconds, nanoseconds = _TIMESPEC.unpack(data)
                self.arrived_ns = max(self.arrived_ns, seconds * 1_000_000_000 + nanoseconds)

    def _count(self, descriptor: int, size: int) -> None:
        if not size:
            return
        buffer, braces = self._buffer, self._braces
        self.total += buffer.count(_END, 0, size)
        if braces and descriptor in braces:
            braces.discard(descriptor)
            self.total += buffer[0] == _NEWLINE
        if buffer[size - 1] == _BRACE:
            braces.add(descriptor)
