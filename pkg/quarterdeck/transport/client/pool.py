"""Calls of other servers over kept connections: bounded for each server, in answers' size and in time.

No redirect is followed. A kept connection may turn out to have been closed by the server while the request was on its
way: a call that may be repeated is then made once more, on a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Final, NamedTuple

from quarterdeck.transport.client import failures
from quarterdeck.transport.client.answers import Answer, AnswerParser
from quarterdeck.transport.client.connection import ClientConnection
from quarterdeck.transport.client.failures import DEADLINE, CallFailed
from quarterdeck.transport.client.streamed import StreamedAnswer
from quarterdeck.transport.client.trust import Trust

CONNECTIONS_PER_SERVER_MAX: Final = 128
IDLE_PER_SERVER_MAX: Final = 25
IDLE_S: Final = 60.0
_HANDSHAKE_S: Final = 10.0
_SWEEP_S: Final = 5.0

Parse = Callable[[ClientConnection], AnswerParser]
"""What takes the answer that comes on a connection: a new one for each attempt."""


class Server(NamedTuple):
    """`host` and `port` are dialed; `name` is what the certificate has to be for; None for `trusted` is no TLS."""

    host: str
    port: int
    name: str
    trusted: Trust | None


class _ServerConnections:
    """The connections to one server."""

    __slots__ = ("count", "idle", "waiters")

    def __init__(self) -> None:
        self.count = 0
        self.idle: list[ClientConnection] = []
        self.waiters: deque[asyncio.Future[ClientConnection | None]] = deque()


class HTTPClient:
    """Belongs to the event loop that runs while it is called."""

    def __init__(self, *, connections_per_server_max: int = CONNECTIONS_PER_SERVER_MAX) -> None:
        self._connections_max = connections_per_server_max
        self._by_server: dict[Server, _ServerConnections] = {}
        self._sweep: asyncio.TimerHandle | None = None
        self._is_closed = False

    async def post(
        self,
        server: Server,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        *,
        timeout_s: float,
        answer_bytes_max: int,
        is_repeatable: bool = False,
    ) -> Answer:
        """Whatever the status is. `path` with its query, as it goes on the wire. Raises CallFailed; when it is
        cancelled, or late, its connection is closed."""
        request = build_request("POST", path, headers, body)
        return await self._call_in_time(server, request, timeout_s, answer_bytes_max, is_repeatable=is_repeatable)

    async def get(
        self, server: Server, path: str, headers: Mapping[str, str], *, timeout_s: float, answer_bytes_max: int
    ) -> Answer:
        """As `post`. It may be asked again where a kept connection breaks."""
        request = build_request("GET", path, headers, b"")
        return await self._call_in_time(server, request, timeout_s, answer_bytes_max, is_repeatable=True)

    def stream(self, server: Server, request: bytes, *, is_head: bool, is_repeatable: bool) -> StreamedAnswer:
        """An answer that is given on while it comes, for as long as that takes. `request`: as it goes on the wire;
        `is_head`: no body follows whatever is told of one. Belongs to its caller, who aborts what is not wanted."""
        answer = StreamedAnswer(is_head=is_head)
        answer.begin(self._call(server, request, answer.parse, is_repeatable=is_repeatable))
        return answer

    def upgrade(self, server: Server, request: bytes) -> StreamedAnswer:
        """As `stream`, for a request to speak another protocol, on a connection of its own. A server that agrees
        (101) takes and gives bytes until either side ends."""
        answer = StreamedAnswer(is_head=False, is_upgrade=True)
        answer.begin(self._call_anew(server, request, answer.parse))
        return answer

    def close(self) -> None:
        """No call is under way any more, or its end does not matter."""
        self._is_closed = True
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for connections in list(self._by_server.values()):
            for connection in list(connections.idle):
                connection.close()

    async def _call_in_time(
        self, server: Server, request: bytes, timeout_s: float, answer_bytes_max: int, *, is_repeatable: bool
    ) -> Answer:
        try:
            async with asyncio.timeout(timeout_s):
                return await self._call(
                    server, request, lambda _: AnswerParser(answer_bytes_max), is_repeatable=is_repeatable
                )
        except TimeoutError:
            raise CallFailed(DEADLINE) from None

    async def _call(self, server: Server, request: bytes, parse: Parse, *, is_repeatable: bool) -> Answer:
        async with self._connection(server, may_be_kept=True) as (connection, is_kept):
            try:
                return await connection.send(request, parse(connection))
            except CallFailed as failure:
                if not (is_kept and is_repeatable and failure.is_unanswered):
                    raise
        return await self._call_anew(server, request, parse)

    async def _call_anew(self, server: Server, request: bytes, parse: Parse) -> Answer:
        async with self._connection(server, may_be_kept=False) as (connection, _):
            return await connection.send(request, parse(connection))

    # Connections.

    @contextlib.asynccontextmanager
    async def _connection(self, server: Server, *, may_be_kept: bool) -> AsyncIterator[tuple[ClientConnection, bool]]:
        connections = self._by_server.get(server)
        if connections is None:
            connections = self._by_server[server] = _ServerConnections()
        kept = await self._take(connections, may_be_kept=may_be_kept)
        connection = kept
        try:
            if connection is None:
                connection = await self._open(server)
            yield connection, kept is not None
        except BaseException:
            if connection is not None:
                connection.abort()
            raise
        finally:
            self._give_back(server, connections, connection)

    async def _take(self, connections: _ServerConnections, *, may_be_kept: bool) -> ClientConnection | None:
        """An idle connection, or None: a new one may be opened."""
        while connections.idle:
            connection = connections.idle.pop()
            if may_be_kept and connection.is_usable():
                return connection
            connection.close()
            connections.count -= 1
        if connections.count < self._connections_max:
            connections.count += 1
            return None
        waiter: asyncio.Future[ClientConnection | None] = asyncio.get_running_loop().create_future()
        connections.waiters.append(waiter)
        try:
            given = await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._pass_on(connections, waiter.result())
            raise
        if given is not None and not (may_be_kept and given.is_usable()):
            given.close()
            return None
        return given

    async def _open(self, server: Server) -> ClientConnection:
        loop = asyncio.get_running_loop()
        first: CallFailed | None = None
        for host in await _resolve(server.host, server.port):
            connection = ClientConnection(server.trusted, server.name, partial(self._forget, server))
            try:
                await loop.create_connection(partial(_same, connection), host, server.port)
            except OSError as error:
                first = first or CallFailed(failures.describe_dial(error, host, server.port))
            except BaseException:
                connection.abort()
                raise
            else:
                await _finish_handshake(connection)
                return connection
        assert first is not None
        raise first

    def _give_back(self, server: Server, connections: _ServerConnections, connection: ClientConnection | None) -> None:
        usable = connection is not None and not connection.is_closed and not self._is_closed
        if usable:
            assert connection is not None
            keep_s = IDLE_S
            if connection.keep_alive_s is not None:
                keep_s = min(keep_s, connection.keep_alive_s - 1)
            connection.idle_until = asyncio.get_running_loop().time() + keep_s
            usable = keep_s > 0
        if connection is not None and not usable:
            connection.close()
        self._pass_on(connections, connection if usable else None)
        if not connections.count and self._by_server.get(server) is connections:
            del self._by_server[server]

    def _pass_on(self, connections: _ServerConnections, connection: ClientConnection | None) -> None:
        """To who waits longest, else to the idle ones."""
        while connections.waiters:
            waiter = connections.waiters.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        if connection is None or len(connections.idle) >= IDLE_PER_SERVER_MAX:
            connections.count -= 1
            if connection is not None:
                connection.close()
            return
        connections.idle.append(connection)
        if self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_later(_SWEEP_S, self._drop_idle)

    def _forget(self, server: Server, closed: ClientConnection) -> None:
        """A connection has ended; one that is in use is dropped when it is given back."""
        connections = self._by_server.get(server)
        if connections is not None and closed in connections.idle:
            connections.idle.remove(closed)
            connections.count -= 1
            if not connections.count:
                del self._by_server[server]

    def _drop_idle(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connections in list(self._by_server.values()):
            for connection in [idle for idle in connections.idle if idle.idle_until <= now]:
                connection.close()
        self._sweep = loop.call_later(_SWEEP_S, self._drop_idle) if self._by_server else None


def _same(connection: ClientConnection) -> ClientConnection:
    return connection


async def _finish_handshake(connection: ClientConnection) -> None:
    try:
        async with asyncio.timeout(_HANDSHAKE_S):
            await connection.opened()
    except TimeoutError:
        connection.abort()
        raise CallFailed("net/http: TLS handshake timeout") from None
    except BaseException:
        connection.abort()
        raise


async def _resolve(host: str, port: int) -> list[str]:
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise CallFailed(failures.describe_dial(error, host, port)) from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def build_request(method: str, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
    """A request with its length; `headers` hold Host and no line ends. Raises ValueError."""
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if body or method != "GET":
        lines.append(f"Content-Length: {len(body)}")
    for line in lines:
        if "\r" in line or "\n" in line or "\0" in line:
            raise ValueError(f"a line of a request holds a line end: {line[:64]!r}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
