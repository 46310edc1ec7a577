"""A server with everything but an API: for tests of sockets, TLS, authentication and the life of the process.

As a program: `python tiny_server.py serve --data-dir DIR …`, the flags of quarterdeck.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvloop

from quarterdeck.apimachinery import errors
from quarterdeck.authentication import tokenfile
from quarterdeck.authentication.authenticator import Authenticator
from quarterdeck.authentication.bearer import BearerMethod
from quarterdeck.authentication.tokenfile import TokenFile
from quarterdeck.authentication.union import Agnostic
from quarterdeck.authentication.x509 import CertificateMethod
from quarterdeck.cmd import main as commands
from quarterdeck.cmd import options
from quarterdeck.metrics.registry import Registry
from quarterdeck.server import health, lifecycle
from quarterdeck.server.config import Config
from quarterdeck.server.gcschedule import LostCycles
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Request, Response, Stream, StreamWriter, frame_chunk
from quarterdeck.transport.server import HTTPServer, bind
from quarterdeck.transport.tls import TLSContext
from support.waiting import PATIENCE_S

HANG_S = 120.0


class Ticking(Stream):
    """Writes as much as the client takes, straight to the socket where that can be done."""

    open_count = 0

    def __init__(self, pieces_max: int) -> None:
        super().__init__(200, [])
        self._left = pieces_max
        self._is_closed = False

    def opened(self, writer: StreamWriter) -> None:
        self._writer = writer
        Ticking.open_count += 1
        self._pump()

    def resumed(self) -> None:
        self._pump()

    def closed(self) -> None:
        self._left = 0
        Ticking.open_count -= not self._is_closed
        self._is_closed = True

    def _pump(self) -> None:
        piece = frame_chunk(b"0123456789abcdef" * 64)
        while self._left and not self._writer.is_paused:
            self._left -= 1
            rest = piece
            descriptor, sealer, _ = self._writer.direct()
            if descriptor >= 0 and sealer is None:
                try:
                    rest = piece[os.write(descriptor, piece) :]
                except BlockingIOError:
                    rest = piece
            if rest:
                self._writer.write_chunks(rest)
        if not self._left:
            self._writer.end()


_AUDIENCES = ("tests",)


class TinyServer:
    """/echo answers the body, /slow after a while, /stream/N a stream of N pieces, /streams how many of these are open,
    /whoami the user."""

    def __init__(self, config: Config | None = None, authorities: bytes = b"") -> None:
        methods = [CertificateMethod(authorities)] if authorities else []
        if config is not None and config.token_auth_file is not None:
            methods.append(
                BearerMethod(Agnostic(TokenFile(tokenfile.read(config.token_auth_file)), _AUDIENCES), _AUDIENCES)
            )
        self._authenticator = Authenticator(methods)
        self.health_checks = health.build_checks(health.always_healthy, health.always_healthy, {})
        self.metrics = Registry()
        self.large_body_refused = None
        self.lost = LostCycles()

    async def start(self) -> None:
        print("started", flush=True)

    def on_ready(self) -> None: ...

    async def leave(self) -> None: ...

    async def stop(self) -> None:
        print("stopped", flush=True)

    def application(self, request: Request) -> Response | Awaitable[Response]:
        try:
            user = self._authenticator.authenticate(request, [])
        except errors.Unauthorized:
            return Response(401, [], b"Unauthorized")
        answer = health.answer(request.path, request.query, self.health_checks)
        if answer is not None:
            return answer
        if request.path == "/slow":
            return _answer_later(request)
        if request.path.startswith("/stream/"):
            return Ticking(int(request.path.removeprefix("/stream/")))
        if request.path == "/streams":
            return Response(200, [], b"%d" % Ticking.open_count)
        if request.path == "/echo":
            return Response(200, [], request.body)
        return Response(200, [], user.name.encode() if user is not None else b"")


async def _answer_later(request: Request) -> Response:
    await asyncio.sleep(0.5)
    return Response(200, [], b"late")


async def build(config: Config) -> TinyServer:
    return TinyServer(config, lifecycle.client_authorities(config))


@contextmanager
def running(
    limits: Limits, tls: tuple[Path, Path] | tuple[Path, Path, list[Path]] | None = None, authorities: bytes = b""
) -> Iterator[int]:
    """A server in a thread; its port. `tls`: the arguments of TLSContext."""
    started, ports = threading.Event(), []

    async def serve() -> None:
        server = HTTPServer(TinyServer(authorities=authorities).application, limits)
        listener = bind("127.0.0.1", 0)
        ports.append(listener.getsockname()[1])
        await server.listen(listener, TLSContext(*tls) if tls else None)
        stop = asyncio.Event()
        ports.append((asyncio.get_running_loop(), stop))
        started.set()
        await stop.wait()
        await server.drain(1)

    thread = threading.Thread(target=lambda: uvloop.run(serve()), daemon=True)
    thread.start()
    assert started.wait(PATIENCE_S)
    loop, stop = ports[1]
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE_S)


def read_all(connection: socket.socket, timeout_s: float = 10) -> bytes:
    """Everything until the server closes."""
    connection.settimeout(timeout_s)
    data = b""
    while piece := connection.recv(1 << 20):
        data += piece
    return data


def kept_s(port: int, sent: bytes) -> float:
    """How long the server keeps a connection on which that was sent, and nothing else. From before it is there, so that
    the server's own time is no longer. Fails where the server never closes it."""
    begin = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=HANG_S) as connection:
        connection.sendall(sent)
        try:
            read_all(connection, HANG_S)
        except ConnectionResetError:
            pass
    return time.monotonic() - begin


if __name__ == "__main__":
    sys.exit(commands.run(options.build_config(options.build_parser().parse_args()), build))
