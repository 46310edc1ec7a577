"""gRPC calls over one connection to one member: what they wait for, how they end.

The kernel (ext/grpccalls.pyx) makes frames of calls and calls of frames. What is to be sent of all calls leaves once in
a turn of the loop.

Source: grpc/doc/PROTOCOL-HTTP2.md, statuscodes.md, keepalive.md; the words of failures are grpc-go's, which is how
kube-apiserver tells of them (internal/transport/http2_client.go).
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Final, Protocol, cast
from urllib.parse import unquote

from quarterdeck._kernels import grpccalls

if TYPE_CHECKING:
    from quarterdeck._kernels.grpccall import Call

KEEPALIVE_S: Final = 30.0
"""After so long without a byte the member is asked whether it lives, while a call is open."""
KEEPALIVE_TIMEOUT_S: Final = 10.0
DEADLINE: Final = "DEADLINE_EXCEEDED"
UNAVAILABLE: Final = "UNAVAILABLE"
_OK: Final = 0
_CODES: Final = (
    *("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS"),
    *("PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED"),
    *("INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"),
)
# What a stream that is given up stands for, by HTTP/2's reason.
_RESETS: Final = {7: UNAVAILABLE, 8: "CANCELLED", 11: "RESOURCE_EXHAUSTED", 12: "PERMISSION_DENIED"}
_HTTP: Final = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "UNIMPLEMENTED"}
_BUSY: Final = frozenset((429, 502, 503, 504))


class CallError(Exception):
    """`code`: gRPC's, in capitals. `was_sent`: the call may have had an effect."""

    def __init__(self, code: str, text: str, *, was_sent: bool = True) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.was_sent = was_sent


class Owner(Protocol):
    """Who is told that something of a call has come, or that it is over."""

    def touched(self, call: Call) -> None: ...


class Unary:
    """One message for one message."""

    __slots__ = ("future",)

    def __init__(self, future: asyncio.Future[bytes]) -> None:
        self.future = future

    def touched(self, call: Call) -> None:
        if not call.is_over or self.future.done():
            return
        answer = call.take()
        if call.status == _OK and answer is not None:
            self.future.set_result(answer)
        else:
            self.future.set_exception(_error_of(call))


class Streaming:
    """Messages both ways, for one reader."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._arrived: asyncio.Future[None] | None = None
        call.owner = self

    def write(self, message: bytes) -> None:
        self._call.send(message, is_last=False)

    async def read(self) -> bytes | None:
        """The next message; None at the end of a stream that ended well. Raises CallError."""
        while (message := self._call.take()) is None:
            if self._call.is_over:
                if self._call.status == _OK:
                    return None
                raise _error_of(self._call)
            self._arrived = asyncio.get_running_loop().create_future()
            await self._arrived
        return message

    def cancel(self) -> None:
        self._call.cancel()

    def touched(self, _: Call) -> None:
        if self._arrived is not None and not self._arrived.done():
            self._arrived.set_result(None)


class Connection(asyncio.Protocol):
    """`greeted` is done when the member has said something, or the connection is lost."""

    def __init__(self, scheme: str, authority: str) -> None:
        self._calls = grpccalls.Calls(self._plan, scheme.encode(), authority.encode())
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._is_paused = False
        self._is_planned = False
        self._is_receiving = False
        self._is_lost = False
        self._heard = 0  # how often something has come
        self._timer: asyncio.TimerHandle | None = None
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self.greeted: asyncio.Future[None] = self._loop.create_future()

    @property
    def is_usable(self) -> bool:
        """Whether new calls are taken."""
        return not (self._is_lost or self._calls.is_broken or self._calls.is_leaving)

    async def unary(self, path: bytes, message: bytes, timeout_s: float) -> bytes:
        """Raises CallError."""
        future: asyncio.Future[bytes] = self._loop.create_future()
        call = self.begin(path, message, timeout_s, Unary(future))
        timer = self._loop.call_later(timeout_s, _expire, future)
        try:
            return await future
        finally:
            timer.cancel()
            if not call.is_over:
                call.cancel()

    def begin(self, path: bytes, message: bytes, timeout_s: float, owner: Owner) -> Call:
        """The same for an `owner` that waits by itself; `timeout_s` is what the member is told. Raises CallError."""
        call = self._begin(path, timeout_s)
        call.owner = owner
        call.send(message, is_last=True)
        return call

    def stream(self, path: bytes) -> Streaming:
        """Raises CallError."""
        return Streaming(self._begin(path, 0))

    def _begin(self, path: bytes, timeout_s: float) -> Call:
        try:
            call = self._calls.begin(path, b"%dS" % math.ceil(timeout_s) if timeout_s else b"")
        except ConnectionError as error:
            raise CallError(UNAVAILABLE, str(error), was_sent=False) from error
        if self._timer is None:
            self._timer = self._loop.call_later(KEEPALIVE_S, self._look, self._heard)
        return call

    async def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()
            await self._ended

    # The transport's calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._plan()

    def data_received(self, data: bytes) -> None:
        if not self._heard and not self.greeted.done():
            self.greeted.set_result(None)
        self._heard += 1
        self._receive(data)
        if self._calls.is_broken:
            self._abort()
        elif self._calls.is_leaving and not self._calls.open_count:
            self._close()

    def pause_writing(self) -> None:
        self._is_paused = True

    def resume_writing(self) -> None:
        self._is_paused = False
        self._send()

    def connection_lost(self, error: Exception | None) -> None:
        self._is_lost = True
        if not self.greeted.done():
            self.greeted.set_result(None)
        if self._timer is not None:
            self._timer.cancel()
        self._tell(self._calls.close())
        self._ended.set_result(None)

    # Inside.

    def _receive(self, data: bytes) -> None:
        """What the connection itself has to say to that (of windows, of pings) is planned behind what those who are
        told have planned: a question that they put in the next turn leaves with it."""
        was_planned = self._is_planned
        self._is_receiving = True
        try:
            self._tell(self._calls.receive(data))
        finally:
            self._is_receiving = False
            if self._is_planned and not was_planned:
                self._loop.call_soon(self._send)

    @staticmethod
    def _tell(calls: list[Call]) -> None:
        for call in calls:
            if call.owner is not None:
                call.owner.touched(call)

    def _plan(self) -> None:
        if not self._is_planned:
            self._is_planned = True
            if not self._is_receiving:
                self._loop.call_soon(self._send)

    def _send(self) -> None:
        self._is_planned = False
        transport = self._transport
        if transport is None or self._is_paused or self._is_lost:
            return
        data = self._calls.take()
        if data:
            transport.write(data)
        self._tell(self._calls.take_touched())

    def _look(self, heard: int) -> None:
        """Whether the member still says something."""
        self._timer = None
        if not self._calls.open_count:
            return
        if self._heard != heard:
            self._timer = self._loop.call_later(KEEPALIVE_S, self._look, self._heard)
            return
        self._calls.ping()
        self._timer = self._loop.call_later(KEEPALIVE_TIMEOUT_S, self._give_up, heard)

    def _give_up(self, heard: int) -> None:
        self._timer = None
        if self._heard == heard:
            self._abort()
        else:
            self._look(heard)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def _expire(future: asyncio.Future[bytes]) -> None:
    if not future.done():
        future.set_exception(CallError(DEADLINE, "context deadline exceeded"))


def _error_of(call: Call) -> CallError:
    """Of a call that is over."""
    if call.status > _OK:
        code = _CODES[call.status] if call.status < len(_CODES) else "UNKNOWN"
        return CallError(code, unquote(call.details.decode("latin-1"), errors="replace"))
    if call.status == _OK:
        return CallError("INTERNAL", "the server has answered without a message")
    if call.reset:
        code = _RESETS.get(call.reset, "INTERNAL")
        text = f"stream terminated by RST_STREAM with error code: {call.reset}"
        return CallError(code, text, was_sent=call.reset != grpccalls.REFUSED_STREAM)
    if call.http_status > 0 and call.http_status != 200:
        code = UNAVAILABLE if call.http_status in _BUSY else _HTTP.get(call.http_status, "UNKNOWN")
        return CallError(code, f"unexpected HTTP status code received from server: {call.http_status}")
    return CallError(UNAVAILABLE, "error reading from server: EOF")
