"""Thousands of watches in a process of their own, which counts their events and tells when the last one has come.

The reader wants as little of the machine as it can, since it shares it with a server that is measured on the same
machine: it does not sleep in epoll_wait, where each of the server's sends would have to wake it, but looks every
half millisecond, takes what is there, and reads each socket once for all that it holds.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import select
import socket
import ssl
import time
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
_BUFFER_BYTES: Final = 1 << 20
_FILES_RESERVED: Final = 256


class WatchersError(Exception):
    """The watches did not open, or not everything came in time."""


class Watchers:
    """Opens a watch for each path. `open_s`: how long that took."""

    def __init__(self, target: Target, paths: list[str], timeout_s: float) -> None:
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
        self._pipe.send(self._wanted)

    def wait(self) -> float:
        """When the last expected event was read (time.monotonic)."""
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
    """`total` counts the events of all watches."""

    def __init__(self, target: Target, paths: list[str]) -> None:
        self.total = 0
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
        wanted = 0
        poll, read, total_of_sockets = self._poll.poll, self._read, len(self._sockets)
        while True:
            ready = poll(0, total_of_sockets)
            for descriptor, _ in ready:
                read(descriptor)
            if wanted and self.total >= wanted:
                pipe.send(time.monotonic())
                wanted = 0
            if pipe.poll(0 if wanted else _IDLE_S):
                try:
                    wanted = pipe.recv()
                except EOFError:
                    return
            elif wanted and not ready:
                time.sleep(_LOOK_S)

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
