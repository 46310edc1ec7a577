"""The way to one member of etcd: a connection that is made when it is needed, and made anew when it is lost.

Who comes while it is made waits for it. After a failure nobody tries again for a moment, which grows with each: calls
fail at once then, and certainly were not sent.

Source: grpc/doc/connection-backoff.md; etcd client/v3/client.go.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quarterdeck.storage.etcd3.calls import UNAVAILABLE, CallError, Connection, Owner, Streaming
from quarterdeck.storage.etcd3.settings import Settings

if TYPE_CHECKING:
    from quarterdeck._kernels.grpccall import Call

CONNECT_S: Final = 5.0
_PAUSE_S: Final = 0.1
_PAUSE_S_MAX: Final = 1.0
_PORTS: Final = {"http": 80, "https": 443}


class Member:
    """`server` is a URL: http, https, or unix with the path of a socket."""

    def __init__(self, server: str, tls: ssl.SSLContext | None) -> None:
        self._parts = urlsplit(server)
        self._tls = tls if self._parts.scheme == "https" else None
        self._connection: Connection | None = None
        self._connecting: asyncio.Task[Connection] | None = None
        self._pause_s = 0.0
        self._again_s = 0.0  # before, nobody tries
        self._failure = ""

    def unary(self, path: bytes, message: bytes, timeout_s: float) -> Awaitable[bytes]:
        """Raises CallError."""
        connection = self._connection
        if connection is None or not connection.is_usable:
            return self._connect_and_ask(path, message, timeout_s)
        return connection.unary(path, message, timeout_s)

    def begin(self, path: bytes, message: bytes, timeout_s: float, owner: Owner) -> Call | None:
        """None where there is no connection yet, or it takes no more."""
        connection = self._connection
        if connection is None or not connection.is_usable:
            return None
        try:
            return connection.begin(path, message, timeout_s, owner)
        except CallError:
            return None

    async def _connect_and_ask(self, path: bytes, message: bytes, timeout_s: float) -> bytes:
        loop = asyncio.get_running_loop()
        begin_s = loop.time()
        connection = await self._connect(timeout_s)
        return await connection.unary(path, message, max(0.001, timeout_s - (loop.time() - begin_s)))

    async def stream(self, path: bytes) -> Streaming:
        """Raises CallError."""
        connection = self._connection
        if connection is None or not connection.is_usable:
            connection = await self._connect(CONNECT_S)
        return connection.stream(path)

    async def close(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.wait([self._connecting])
        if self._connection is not None:
            await self._connection.close()

    async def _connect(self, timeout_s: float) -> Connection:
        if self._connecting is None:
            loop = asyncio.get_running_loop()
            if loop.time() < self._again_s:
                raise CallError(UNAVAILABLE, self._failure, was_sent=False)
            self._connecting = loop.create_task(self._open())
            self._connecting.add_done_callback(self._opened)
        done, _ = await asyncio.wait([self._connecting], timeout=timeout_s)
        if not done:
            raise CallError(UNAVAILABLE, self._describe("i/o timeout"), was_sent=False)
        task = done.pop()
        if task.cancelled():
            raise CallError(UNAVAILABLE, "the client is closing", was_sent=False)
        if (error := task.exception()) is not None:
            raise CallError(UNAVAILABLE, self._describe(_reason(error)), was_sent=False) from error
        return task.result()

    def _opened(self, task: asyncio.Task[Connection]) -> None:
        self._connecting = None
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._connection = task.result()
            self._pause_s = 0.0
            return
        self._pause_s = min(max(_PAUSE_S, 2 * self._pause_s), _PAUSE_S_MAX)
        self._again_s = asyncio.get_running_loop().time() + self._pause_s
        self._failure = self._describe(_reason(error))

    async def _open(self) -> Connection:
        """Raises OSError, TimeoutError."""
        async with asyncio.timeout(CONNECT_S):
            connection = await self._dial()
            try:
                await connection.greeted
            except asyncio.CancelledError:
                await connection.close()
                raise
        if not connection.is_usable:
            raise ConnectionError("error reading server preface: EOF")
        return connection

    async def _dial(self) -> Connection:
        parts = self._parts
        loop = asyncio.get_running_loop()
        if parts.scheme == "unix":
            return (await loop.create_unix_connection(lambda: Connection("http", "localhost"), parts.path))[1]
        port = parts.port or _PORTS[parts.scheme]
        host = parts.hostname or ""
        return (
            await loop.create_connection(lambda: Connection(parts.scheme, parts.netloc), host, port, ssl=self._tls)
        )[1]

    def _describe(self, reason: str) -> str:
        parts = self._parts
        network, address = ("unix", parts.path) if parts.scheme == "unix" else ("tcp", parts.netloc)
        return f'connection error: desc = "transport: Error while dialing: dial {network} {address}: {reason}"'


def _reason(error: BaseException) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connect: connection refused"
    if isinstance(error, TimeoutError):
        return "i/o timeout"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


def build_tls(settings: Settings) -> ssl.SSLContext | None:
    """None where no server wants TLS. Raises OSError (ssl.SSLError among them)."""
    if not any(urlsplit(server).scheme == "https" for server in settings.servers):
        return None
    context = ssl.create_default_context(cafile=settings.authority_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["h2"])
    if settings.cert_file is not None:
        context.load_cert_chain(settings.cert_file, settings.key_file)
    return context
