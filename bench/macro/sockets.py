"""Loopback connections whose other ends are drained by a child process: what the watcher benchmarks send into.

Under TLS the child shakes hands and then reads the records without decrypting them: the sending side is measured.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import resource
import select
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

Greet = Callable[[socket.socket], None]


def raise_file_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _drain(address: tuple[str, int], count: int, ready: multiprocessing.connection.Connection, is_tls: bool) -> None:
    """Connect `count` times and read whatever comes; "count" on the pipe is answered with the bytes so far."""
    raise_file_limit()
    sockets = {}
    poll = select.epoll()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for _ in range(count):
        client = socket.create_connection(address)
        if is_tls:
            secure = context.wrap_socket(client)
            client = socket.socket(fileno=secure.detach())
        client.setblocking(False)
        sockets[client.fileno()] = client
        poll.register(client.fileno(), select.EPOLLIN)
    poll.register(ready.fileno(), select.EPOLLIN)
    ready.send("connected")
    total = 0
    buffer = bytearray(1 << 20)
    while True:
        for fd, _ in poll.poll():
            if fd == ready.fileno():
                try:
                    if ready.recv() == "stop":
                        return
                except EOFError:
                    return
                ready.send(total)
                continue
            with contextlib.suppress(BlockingIOError, ConnectionError):
                size = sockets[fd].recv_into(buffer)
                total += size
                if not size:
                    poll.unregister(fd)


class Drain:
    """The readers, in a process of their own."""

    def __init__(
        self, pipe: multiprocessing.connection.Connection, sockets: list[socket.socket], process_id: int
    ) -> None:
        self._pipe = pipe
        self._process_id = process_id
        self.sockets = sockets

    @contextlib.contextmanager
    def resting(self) -> Iterator[None]:
        """Nobody reads within: a reader that sleeps has to be woken by who sends to it, and one that is awake competes
        with it for the sockets, so that the cost of a send hangs on how fast the reader is."""
        os.kill(self._process_id, signal.SIGSTOP)
        while Path(f"/proc/{self._process_id}/stat").read_text().rsplit(")", 1)[1].split()[0] != "T":
            time.sleep(0.0005)
        try:
            yield
        finally:
            os.kill(self._process_id, signal.SIGCONT)

    def received(self) -> int:
        self._pipe.send("count")
        return int(self._pipe.recv())


@contextlib.contextmanager
def drained_connections(count: int, *, is_tls: bool = False, greet: Greet | None = None) -> Iterator[Drain]:
    """`greet` shakes hands on each accepted socket."""
    raise_file_limit()
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    listener.settimeout(20)
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(
        target=_drain, args=(listener.getsockname(), count, theirs, is_tls), daemon=True
    )
    child.start()
    theirs.close()
    sockets = []
    for _ in range(count):
        accepted, _ = listener.accept()
        if greet is not None:
            greet(accepted)
        accepted.setblocking(False)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sockets.append(accepted)
    assert ours.recv() == "connected"
    try:
        assert child.pid is not None
        yield Drain(ours, sockets, child.pid)
    finally:
        ours.send("stop")
        child.join()
        for accepted in sockets:
            accepted.close()
        listener.close()


def load_floor() -> ctypes.CDLL:
    """Compile and load floor_send.c."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        sys.exit("the floor is a C program: a compiler is needed")
    target = Path(tempfile.mkdtemp()) / "floor_send.so"
    source = Path(__file__).with_name("floor_send.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(target)], check=True)
    library = ctypes.CDLL(str(target))
    library.send_to_all.restype = ctypes.c_long
    library.send_to_all.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_char_p, ctypes.c_size_t]
    pointers = [ctypes.c_void_p] * 3
    rest = [ctypes.c_long, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
    library.seal_and_send_to_all.restype = ctypes.c_long
    library.seal_and_send_to_all.argtypes = [*pointers, *rest]
    return library
