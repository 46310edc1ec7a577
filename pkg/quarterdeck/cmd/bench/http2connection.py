"""One HTTP/2 connection of the load: many requests at a time, each on a stream of its own.

The kernel (ext/http2client.pyx) makes frames of requests and events of frames. What is to be sent of all requests
leaves once in a turn of the loop. It needs no bound: each request waits for its answer before there is another one.
"""

from __future__ import annotations

import asyncio
from typing import Final, cast

from quarterdeck._kernels import http2client
from quarterdeck.cmd.bench import http2session
from quarterdeck.cmd.bench.messages import Answer, Request, Unreachable
from quarterdeck.cmd.client import RequestError
from quarterdeck.cmd.kubeconfig import Target

_CONNECT_TIMEOUT_S: Final = 30.0


class _Exchange:
    __slots__ = ("answered", "parts", "status")

    def __init__(self, answered: asyncio.Future[Answer]) -> None:
        self.answered = answered
        self.status = 0
        self.parts: list[bytes] = []


class Connection(asyncio.Protocol):
    """`greeted` is done when the server has sent its settings, or will not."""

    def __init__(self, target: Target) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._session = http2session.build_session(target)
        self._fields = http2session.build_fields(target)
        self._exchanges: dict[int, _Exchange] = {}
        self._is_planned = False
        self.greeted: asyncio.Future[None] = self._loop.create_future()

    @property
    def is_usable(self) -> bool:
        return self._transport is not None and not self._session.is_leaving

    async def exchange(self, request: Request) -> Answer:
        fields = self._fields
        if request.content_type:
            fields = (*fields, (b"content-type", request.content_type.encode()))
        if self._transport is None:
            raise RequestError("the server has closed a connection")
        try:
            stream_id = self._session.submit(request.method.encode(), request.path.encode(), fields, request.body)
        except ConnectionError as error:
            raise RequestError(str(error)) from error
        exchange = self._exchanges[stream_id] = _Exchange(self._loop.create_future())
        self._plan()
        try:
            return await exchange.answered
        except asyncio.CancelledError:
            if self._exchanges.pop(stream_id, None) is not None:
                self._session.cancel(stream_id)
                self._plan()
            raise

    def check(self, target: Target, streams: int) -> None:
        """Raises Unreachable where not so many requests may be under way."""
        http2session.check_session(target, self._session, streams)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # - asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are none by inheritance
        self._plan()

    def data_received(self, data: bytes) -> None:
        self._tell(self._session.receive(data))
        if self._session.is_greeted and not self.greeted.done():
            self.greeted.set_result(None)
        self._plan()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(f"the server closed a connection: {exc or 'without an answer'}")

    # - what goes out and what has come

    def _plan(self) -> None:
        """Behind those who have just been answered: their next requests leave with it."""
        if not self._is_planned:
            self._is_planned = True
            self._loop.call_soon(self._send)

    def _send(self) -> None:
        self._is_planned = False
        transport = self._transport
        if transport is None:
            return
        if data := self._session.take_output():
            transport.write(data)
        self._tell(self._session.take_events())
        if self._session.is_over:
            self._end("the server's answer is no HTTP/2")
            transport.close()

    def _tell(self, events: list[http2client.Event]) -> None:
        for kind, stream_id, value in events:
            exchange = self._exchanges.get(stream_id)
            if exchange is None:
                continue  # nobody waits for it any more
            if isinstance(value, bytes):
                exchange.parts.append(value)
            elif kind == http2client.HEAD:
                exchange.status = value
            else:
                del self._exchanges[stream_id]
                if exchange.answered.done():
                    continue
                if kind == http2client.END:
                    exchange.answered.set_result((exchange.status, b"".join(exchange.parts)))
                else:
                    exchange.answered.set_exception(http2session.build_error(value))

    def _end(self, reason: str) -> None:
        """Nothing comes any more."""
        self._transport = None
        if not self.greeted.done():
            self.greeted.set_result(None)
        for exchange in self._exchanges.values():
            if not exchange.answered.done():
                exchange.answered.set_exception(RequestError(reason))
        self._exchanges.clear()


async def connect(target: Target, streams: int) -> Connection:
    """A connection on which so many requests may be under way. Raises Unreachable."""
    try:
        async with asyncio.timeout(_CONNECT_TIMEOUT_S):
            return await _connect(target, streams)
    except OSError as error:
        raise Unreachable(f"cannot reach {target.url}: {str(error) or 'no answer in time'}") from error


async def _connect(target: Target, streams: int) -> Connection:
    transport, connection = await asyncio.get_running_loop().create_connection(
        lambda: Connection(target),
        target.host,
        target.port,
        ssl=target.tls,
        server_hostname=target.server_name if target.tls is not None else None,
    )
    try:
        if target.tls is not None:
            http2session.check_offer(target, transport.get_extra_info("ssl_object").selected_alpn_protocol())
        await connection.greeted
        connection.check(target, streams)
    except BaseException:
        connection.close()
        raise
    return connection
