"""One HTTP/2 connection: requests in, answers out, many at a time (RFC 9113).

The kernel (ext/http2.pyx) makes requests of bytes and bytes of answers. A request that the application answers at once
with a small body is answered here; every other has an Exchange (http2_exchange.py). What is to be sent of all streams
leaves once in a turn of the loop, so that an event for many watches of one connection is one write.

Source of the limits: apiserver/pkg/server/secure_serving.go (Serve); golang.org/x/net/http2, server.go.
"""

from __future__ import annotations

import asyncio
from collections import deque
from random import random
from time import monotonic
from typing import TYPE_CHECKING, Final

from quarterdeck._kernels import http2
from quarterdeck.transport import refusals, stalls
from quarterdeck.transport.connections import Connections
from quarterdeck.transport.http2_answers import SMALL_BODY_BYTES
from quarterdeck.transport.http2_exchange import Exchange
from quarterdeck.transport.http2_output import HTTP2Output
from quarterdeck.transport.messages import Request, Response
from quarterdeck.transport.phases import NEVER

if TYPE_CHECKING:
    from quarterdeck._kernels.http2stream import Stream

_NOISE_S: Final = 60.0  # within such a time the kernel's limits for useless frames hold
_LEAVE_S: Final = 1.0  # between asking a client to go and serving no more, for what is on its way

_HEAD: Final = http2.HEAD
_REQUEST: Final = http2.REQUEST
_ROOM: Final = http2.ROOM
_REFUSED: Final = http2.REFUSED
_FULL: Final = http2.FULL


class HTTP2Protocol(HTTP2Output):
    __slots__ = ("_answered", "_exchanges", "_goaway_chance", "_idle_deadline", "_noise_since_s", "_ready")

    def __init__(self, server: Connections) -> None:
        super().__init__(server)
        self._exchanges: dict[Exchange, None] = {}
        self._answered: list[Stream] = []  # at once; most of them are over with the next write
        self._ready: deque[Stream] = deque()  # whole requests that wait for their turn
        self._noise_since_s = server.now
        self._idle_deadline = server.now + server.limits.head_timeout_s
        self._goaway_chance = server.limits.http2.goaway_chance

    # The channel's calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Never called: the connection is taken over from another protocol, by `begin`."""

    def data_received(self, data: bytes) -> None:
        session = self._session
        self._is_planned = True  # what is to be sent leaves at the end of this call
        try:
            self._take_events(session.receive(data))
        finally:
            self._is_planned = False
        trouble = session.trouble
        if trouble == http2.NOISY:
            self._judge_noise()
        if trouble == http2.BROKEN:
            self._break()
        elif not self._is_paused:
            self._flush()

    def _judge_noise(self) -> None:
        now_s = self.server.now
        if now_s - self._noise_since_s < _NOISE_S:
            self._session.terminate(http2.ENHANCE_YOUR_CALM)
        self._session.forgive()
        self._noise_since_s = now_s

    def eof_received(self) -> bool:
        return False

    def pause_writing(self) -> None:
        self._is_paused = True
        self._stall = stalls.Stall(self._channel, self._socket, self.server.now)
        self.deadline = min(self.deadline, self.server.now + stalls.LOOK_S)

    def resume_writing(self) -> None:
        self._is_paused = False
        self._stall = None
        self._flush()

    def connection_lost(self, error: Exception | None) -> None:
        self._is_ended = True
        self.server.forget(self)
        if self._timer is not None:
            self._timer.cancel()
        self._ready.clear()
        self._answered.clear()
        for stream in self._session.close():
            self._forget(stream)

    # The server's calls.

    def expire(self) -> None:
        now_s = self.server.now
        self.deadline = NEVER
        if self._channel.is_closing():
            self._channel.abort()  # what was written is not taken
            return
        if self._stall is not None:
            limits = self.server.limits
            longest_s = limits.stream_write_timeout_s if self._exchanges else limits.write_timeout_s
            if self._stall.measure_s(now_s) >= longest_s:
                self._channel.abort()
                return
            self.deadline = now_s + stalls.LOOK_S
        for exchange in list(self._exchanges):
            if exchange.deadline <= now_s:
                exchange.expire(now_s)
        for exchange in self._exchanges:
            self.deadline = min(self.deadline, exchange.deadline)
        if not self._session.streams_count:
            if self._idle_deadline <= now_s:
                self._leave()
            else:
                self.deadline = min(self.deadline, self._idle_deadline)

    def drain(self) -> None:
        """The server stops: close when what runs is answered."""
        for exchange in list(self._exchanges):
            exchange.drain()
        self._leave()
        if not self._session.streams_count:
            self._serve_no_more()
            self._flush()

    def abort(self) -> None:
        self._channel.abort()

    # Requests in.

    def _take_events(self, events: list[tuple[int, Stream]]) -> None:
        for kind, stream in events:
            if not stream.is_open:  # by now: what happened to it before does not matter any more
                self._forget(stream)
            elif kind == _REQUEST:
                if stream.owner is not None:
                    stream.owner.complete()
                elif len(events) == 1 and not self._ready:
                    self._serve_one(stream)  # nearly always: a client that sends one request at a time
                else:
                    self._ready.append(stream)
            elif kind == _HEAD:
                self._expect_body(stream)
            elif kind == _ROOM:
                if stream.owner is not None:
                    stream.owner.resume()
            elif kind == _FULL:
                if stream.owner is not None and stream.is_paused:
                    stream.owner.watch_taking()
            elif kind == _REFUSED:
                Exchange(self, stream).refuse(refusals.answer_head_too_large())
                self._keep(stream)
        if self._ready:
            self._serve()

    def _expect_body(self, stream: Stream) -> None:
        limits = self.server.limits
        if stream.owner is not None:
            if stream.body_size > limits.body_bytes_max:
                stream.owner.refuse_size()
            return
        if stream.is_complete and stream.body_size <= SMALL_BODY_BYTES:
            return  # the rest came at the same time
        request = self._take_request(stream, has_body=False)
        exchange = Exchange(self, stream)
        self._keep(stream)
        declared = request.headers.get("content-length", "")
        size = int(declared) if declared.isdecimal() else limits.body_bytes_max
        exchange.expect_body(request, min(size, limits.body_bytes_max))
        if size > limits.body_bytes_max or stream.body_size > limits.body_bytes_max:
            exchange.refuse_size()
        elif request.headers.get("expect", "").lower() == "100-continue" and not (
            stream.is_complete or stream.is_answered
        ):
            self._session.go_on(stream)

    def _serve(self) -> None:
        """Whole requests get answers, for a bounded time; the others have theirs in the loop's next turn."""
        begin_s = monotonic()
        limits = self.server.limits
        ready = self._ready
        while ready:
            stream = ready.popleft()
            if stream.is_open:
                self._serve_one(stream)
            if ready and monotonic() - begin_s > limits.pipeline_turn_s:
                self.server.loop.call_soon(self._serve_later)
                return

    def _serve_later(self) -> None:
        if not self._is_ended and self._ready:
            self._serve()
            self._plan()

    def _serve_one(self, stream: Stream) -> None:
        server = self.server
        if self.working_count and self.working_count >= 2 * server.limits.http2.streams_max:
            # Streams that were given up while their answers are being made count on (CVE-2023-44487).
            stream.reset(http2.ENHANCE_YOUR_CALM)
            return
        self._be_active()
        if self._goaway_chance and random() < self._goaway_chance:
            self._leave()
        request = self._take_request(stream, has_body=True)
        if request.method == "CONNECT":
            self.send(stream, refusals.answer_connect())
            return
        answer = server.application(request)
        if type(answer) is Response and type(body := answer.body) is bytes and len(body) <= SMALL_BODY_BYTES:
            self.send(stream, answer, is_head=request.method == "HEAD")
            self._answered.append(stream)
            return
        exchange = Exchange(self, stream)
        self._keep(stream)
        exchange.take(request, answer)

    def _be_active(self) -> None:
        """The time of an idle connection begins anew."""
        self._idle_deadline = self.server.idle_deadline
        self.deadline = min(self.deadline, self._idle_deadline)

    def _take_request(self, stream: Stream, *, has_body: bool) -> Request:
        method, path, query, headers, body = stream.take_request(has_body)
        return Request(method, path, query, headers, body, self._connection)

    def _keep(self, stream: Stream) -> None:
        self._exchanges[stream.owner] = None

    def _forget(self, stream: Stream) -> None:
        exchange, stream.owner = stream.owner, None
        if exchange is not None:
            self._exchanges.pop(exchange, None)
            exchange.closed()
            self._be_active()

    # Answers out.

    def _watch_answered(self) -> None:
        """Who does not take an answer that was given at once is looked after as others are."""
        for stream in self._answered:
            if stream.is_open and stream.owner is None:
                Exchange(self, stream).watch_sending()
                self._keep(stream)
        self._answered.clear()

    # The end.

    def _leave(self) -> None:
        """Ask the client to go; serve no more requests a moment later."""
        if self._is_leaving or self._is_ended:
            return
        self._is_leaving = True
        self._session.warn()
        self._timer = self.server.loop.call_later(_LEAVE_S, self._serve_no_more)

    def _serve_no_more(self) -> None:
        if self._is_ended or self._has_left:
            return
        self._has_left = True
        self._session.leave()

    def refuse_security(self) -> None:
        """The cipher is one that HTTP/2 must not be spoken over (RFC 9113, 9.2.2)."""
        self._session.terminate(http2.INADEQUATE_SECURITY)

    def _break(self) -> None:
        """The client does not speak HTTP/2, or there is no memory."""
        self._session.terminate(http2.PROTOCOL_ERROR)
        self._flush()
        self._close()
