"""One connection to another server: one request at a time, plain or through TLS.

    NEW ──handshake──> IDLE ──request──> BUSY ──answer──> IDLE
                         └── anything unasked for, an end ──┴──> CLOSED

It keeps no time: who calls it does, and aborts it.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from collections.abc import Callable
from typing import Final, cast

from quarterdeck.transport import keep_alive
from quarterdeck.transport.client import failures, trust
from quarterdeck.transport.client.answers import Answer, AnswerParser, read_keep_alive
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.trust import Trust

_RECORD_BYTES: Final = 16384
_END_S: Final = 10.0


class ClientConnection(asyncio.Protocol):
    """`on_close` is called once, when the connection cannot be used any more. `name`: whom the certificate is for."""

    __slots__ = (
        "_answer",
        "_first",
        "_incoming",
        "_is_open",
        "_name",
        "_on_close",
        "_on_pressure",
        "_opened",
        "_outgoing",
        "_parser",
        "_tls",
        "_transport",
        "idle_until",
        "is_closed",
        "keep_alive_s",
    )

    def __init__(self, trusted: Trust | None, name: str, on_close: Callable[[ClientConnection], None]) -> None:
        self._name = name
        self._on_close = on_close
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls: ssl.SSLObject | None = None
        if trusted is not None:
            self._tls = trusted.context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        self._transport: asyncio.Transport | None = None
        self._first = b""
        self._is_open = False
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._parser: AnswerParser | None = None
        self._answer: asyncio.Future[Answer] | None = None
        self.is_closed = False
        self.idle_until = 0.0  # kept by the pool
        self._on_pressure: Callable[[bool], None] | None = None
        self.keep_alive_s: float | None = None  # how long the server said that it keeps an idle connection

    # The caller's side.

    async def opened(self) -> None:
        """Returns when requests may be sent. Raises CallFailed."""
        await self._opened

    def send(self, request: bytes, parser: AnswerParser) -> asyncio.Future[Answer]:
        """`parser` is fed with what comes; the future is done when it is, and fails with CallFailed."""
        self._parser = parser
        self._answer = answer = asyncio.get_running_loop().create_future()
        self.write(request)
        return answer

    def write(self, data: bytes) -> None:
        """More to the server, where the answer has not ended yet (a connection that was upgraded)."""
        if self.is_closed:
            return
        if self._tls is None:
            assert self._transport is not None
            self._transport.write(data)
            return
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._tls.write(rest) :]
        except ssl.SSLError:
            self._fail("EOF")
        else:
            self._flush()

    def open_up(self, on_pressure: Callable[[bool], None]) -> None:
        """Both sides send what they like from now on. `on_pressure` is told whether the server is behind."""
        assert self._transport is not None
        self._on_pressure = on_pressure
        keep_alive.watch(self._transport.get_extra_info("socket"))

    def end(self) -> None:
        """Close when everything is written, which is waited for only so long."""
        transport = self._transport
        if self.is_closed or transport is None:
            return
        self._say_goodbye()
        transport.close()
        asyncio.get_running_loop().call_later(_END_S, transport.abort)

    def pause_reading(self) -> None:
        """Who takes the answer is behind: what has come already is still given."""
        if self._transport is not None and not self.is_closed and self._transport.is_reading():
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if self._transport is not None and not self.is_closed and not self._transport.is_reading():
            self._transport.resume_reading()

    def is_usable(self) -> bool:
        """Nothing has come since the last answer, not even an end that the loop has not told yet."""
        if self.is_closed or self._transport is None:
            return False
        found = self._transport.get_extra_info("socket")
        if found is None:
            return False
        poll = select.poll()
        poll.register(found.fileno(), select.POLLIN)
        return not poll.poll(0)

    def abort(self) -> None:
        """End it at once, whatever is under way."""
        self._close()

    def close(self) -> None:
        """Say goodbye; only where nothing is under way."""
        if not self.is_closed:
            self._say_goodbye()
        self._close(at_once=False)

    # The loop's calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if self.is_closed:
            self._transport.abort()
        elif self._tls is not None:
            self._shake_hands()
        else:
            self._is_open = True
            if not self._opened.done():
                self._opened.set_result(None)

    def data_received(self, data: bytes) -> None:
        if self._tls is None:
            self._take(data)
            return
        if len(self._first) < 5:
            self._first += data[:5]
        self._incoming.write(data)
        if self._is_open or self._shake_hands():
            self._take_records(self._tls)

    def pause_writing(self) -> None:
        if self._on_pressure is not None:
            self._on_pressure(True)

    def resume_writing(self) -> None:
        if self._on_pressure is not None:
            self._on_pressure(False)

    def eof_received(self) -> bool:
        self._end(None)
        return False

    def connection_lost(self, error: Exception | None) -> None:
        self._end(error)

    # Inside.

    def _shake_hands(self) -> bool:
        assert self._tls is not None
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            return False
        except ssl.SSLError as error:
            self._flush()  # the alert that tells the server why
            text = trust.describe_handshake(error, self._tls, self._name, self._first)
            if not self._opened.done():
                self._opened.set_exception(CallFailed(text))
            self._close(at_once=False)
            return False
        self._flush()
        self._is_open = True
        if not self._opened.done():
            self._opened.set_result(None)
        return True

    def _take_records(self, tls: ssl.SSLObject) -> None:
        try:
            while not self.is_closed:
                plain = tls.read(_RECORD_BYTES)
                if not plain:
                    self._end(None)
                    return
                self._take(plain)
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self._end(None)
        except ssl.SSLError as error:
            self._fail(trust.describe_handshake(error, tls, self._name, self._first))
        if self._outgoing.pending:
            self._flush()

    def _take(self, data: bytes) -> None:
        parser = self._parser
        if parser is None:
            self._close()  # nothing was asked for
            return
        try:
            parser.feed(data)
        except CallFailed as failure:
            self._fail(failure.text, has_status=failure.has_status)
            return
        if parser.is_done:
            self._finish(parser)

    def _finish(self, parser: AnswerParser) -> None:
        future, self._answer, self._parser = self._answer, None, None
        answer = parser.answer()
        assert self._transport is not None
        self.resume_reading()
        if parser.keeps_alive and not self._transport.get_write_buffer_size():
            self.keep_alive_s = read_keep_alive(answer.headers.get("keep-alive", ""))
        else:
            self._close(at_once=False)
        if future is not None and not future.done():
            future.set_result(answer)

    def _end(self, error: Exception | None) -> None:
        """The other side has gone."""
        parser = self._parser
        if not self._opened.done():
            self._opened.set_exception(CallFailed(self._describe_end(error)))
        elif parser is not None and error is not None:
            self._fail(self._describe_end(error))
        elif parser is not None:
            try:
                parser.end()
            except CallFailed as failure:
                self._fail(failure.text, has_status=failure.has_status)
            else:
                self._finish(parser)
        self._close()

    def _describe_end(self, error: Exception | None) -> str:
        assert self._transport is not None
        found = self._transport.get_extra_info
        return failures.describe_broken(error, found("sockname"), found("peername"))

    def _fail(self, text: str, *, has_status: bool = False) -> None:
        future, parser = self._answer, self._parser
        self._answer = self._parser = None
        self._close()
        if future is not None and not future.done():
            assert parser is not None
            has_status = has_status or parser.has_status
            future.set_exception(CallFailed(text, has_status=has_status, is_unanswered=parser.is_untouched))

    def _close(self, *, at_once: bool = True) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        transport = self._transport
        if not self._opened.done():
            self._opened.cancel()
        if transport is not None:
            # What the other side does not take is not waited for.
            if at_once or transport.get_write_buffer_size():
                transport.abort()
            else:
                transport.close()
        self._on_close(self)

    def _say_goodbye(self) -> None:
        if self._tls is not None and self._is_open:
            try:
                self._tls.unwrap()
            except (ssl.SSLError, ValueError):
                pass  # the other side's goodbye is not waited for
            self._flush()

    def _flush(self) -> None:
        data = self._outgoing.read()
        if data and self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)
