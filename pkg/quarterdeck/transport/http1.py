"""One HTTP/1.x connection: requests in, answers out (http1_answers.py), in order.

The life of a connection:

    IDLE ──bytes──> HEAD ──complete──> BODY ──complete──> BUSY ──answered──> IDLE
                      └─────── no body ───────────────────> │ ──close──> LINGER ──> CLOSED

A request that is whole in the bytes just received and that the application answers at once goes from IDLE to IDLE
within `data_received`: one kernel call for the head, one for the answer, one write. What does not fit that takes the
longer way through the states. While BUSY, further bytes wait (`_pending`), up to a bound; then nothing is read.

`deadline` is read by the sweep over all connections (connections.py): none has timers of its own. The parsing is in the
kernel (ext/http1.pyx), the texts of refusals in refusals.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Final, cast

from quarterdeck._kernels import http1, http1answer
from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.transport import refusals, stalls, status_lines, targets
from quarterdeck.transport.channel import Channel, remote_address
from quarterdeck.transport.http1_answers import SMALL_BODY_BYTES
from quarterdeck.transport.http1_bodies import HTTP1Bodies
from quarterdeck.transport.incoming import IncomingHead
from quarterdeck.transport.messages import ConnectionInfo, Request, Response
from quarterdeck.transport.phases import BODY, BUSY, CLOSED, HEAD, IDLE, NEVER

_READS: Final = frozenset(("GET", "HEAD"))

_KEEP_ALIVE: Final = http1.KEEP_ALIVE
_OTHER_FORM: Final = http1.OTHER_FORM
_SPECIAL: Final = http1.CHUNKED | http1.EXPECT_OTHER | http1.OTHER_FORM
# Final: compiled code looks up what a module may set anew in a dictionary each time.
_line_with_body: Final = status_lines.WITH_BODY.get
_parse_head: Final = http1.parse_head
_build_head: Final = http1answer.build_head


class HTTP1Protocol(HTTP1Bodies):
    """Plain connections are driven by uvloop's transport, TLS ones by TLSProtocol: the difference is `Channel`."""

    __slots__ = ()

    # The channel's calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        channel = cast("Channel", transport)
        if not self._server.admit(self):
            channel.abort()
            return
        self.deadline = self._server.now + self._server.limits.head_timeout_s
        socket = channel.get_extra_info("socket")
        self.begin(
            channel,
            ConnectionInfo(remote_address(channel), is_secure=False),
            socket.fileno() if socket is not None else -1,
        )

    def begin(
        self,
        channel: Channel,
        connection: ConnectionInfo,
        socket: int,
        build_sealer: Callable[[], Sealer | None] | None = None,
    ) -> None:
        """The first request may come, from a connection that the server has admitted. `socket` is for streams that
        write past the channel, -1 where there is none; under TLS they need a sealer for it."""
        self._build_sealer = build_sealer
        self._channel = channel
        self._connection = connection
        self._socket = socket
        channel.set_write_buffer_limits(high=self._server.limits.write_high_bytes)

    def data_received(self, data: bytes) -> None:
        phase = self._phase
        if phase == IDLE:
            self._take_requests(data)
        elif phase == BUSY:
            self._pending += data
            if len(self._pending) > self._server.limits.pipeline_bytes_max and not self._is_reading_paused:
                self._is_reading_paused = True
                self._channel.pause_reading()
        elif phase == HEAD:
            self._take_head(data)
        elif phase == BODY:
            self._take_body(data)

    def eof_received(self) -> bool:
        """A client that has shut its side down still gets the answer it waits for."""
        self._is_ended = True
        return self._phase == BUSY and self._stream is None

    def pause_writing(self) -> None:
        self._is_paused = True
        self.deadline = self._server.now + self._server.limits.write_timeout_s
        if self._writer is not None:
            self._writer.is_paused = True
            self._stall = stalls.Stall(self._channel, self._socket, self._server.now)
            self.deadline = self._server.now + stalls.LOOK_S
        if self._pump is not None:
            self._pump.is_paused = True
        if self._compressed is not None:
            self._compressed.pause()

    def resume_writing(self) -> None:
        self._is_paused = False
        if self._phase != BUSY:
            return
        self.deadline = NEVER
        if self._stream is not None and self._writer is not None:
            self._writer.is_paused = False
            self._stream.resumed()
        elif self._compressed is not None:
            self._compressed.resume()
        elif self._pump is not None:
            self._pump.resume()
        elif self._task is None:
            self._finish()

    def connection_lost(self, error: Exception | None) -> None:
        self._phase = CLOSED
        self._pending = b""
        self._incoming_body = None
        self._pump = None
        self._server.forget(self)
        task, request = self._task, self._request
        parked, self._parked = self._parked, None
        if parked is not None:
            self._free_body()
            parked.cancel()
        elif task is None:
            self._free_body()
        elif request is not None and request.is_queued:
            task.cancel()  # at once: a turn later a write may have begun
            self._free_body()
        elif request is not None and request.method in _READS:
            # A write that has begun goes on to its end: cut in the middle its outcome would be unknown.
            self._server.loop.call_soon(task.cancel)  # after its first step (http1_waiting.py)
            self._free_body()
        self._close_stream()
        self._sent()

    # The server's calls.

    def expire(self) -> None:
        """The deadline has passed."""
        self.deadline = NEVER
        if self._phase == BODY:
            self._refuse(refusals.render(refusals.answer_slow_body()))
        elif self._phase == BUSY and self._is_working:
            assert self._request is not None
            self._request.is_late = True
            if self._parked is not None:
                self._parked.cancel()
            elif self._task is not None:
                self._server.loop.call_soon(self._task.cancel)
        elif self._phase == IDLE and not self._channel.get_write_buffer_size():
            self._channel.close()
        elif not self._is_reading_slowly():
            self._channel.abort()

    def drain(self) -> None:
        """The server stops: close when what runs is answered."""
        if self._phase == IDLE or (self._phase == HEAD and self._incoming_head is None):
            self._close()
        elif self._writer is not None:
            self._flags &= ~_KEEP_ALIVE
            self._writer.end()

    def abort(self) -> None:
        self._channel.abort()

    # Requests in.

    def _take_head(self, data: bytes) -> None:
        """More of a head that comes in pieces; it is parsed when its end is there (or it is too long)."""
        head = self._incoming_head
        if head is None:
            self._take_requests(data)
        elif head.feed(data):
            self._incoming_head = None
            self._take_requests(head.take())

    def _take_requests(self, data: bytes) -> None:
        server = self._server
        limits = server.limits
        offset = 0
        size = len(data)
        turns = limits.pipeline_turn_max
        begin_s = 0.0
        while offset < size:
            if offset:  # one of several: they share a turn of the loop, and its time
                begin_s = begin_s or monotonic()
                turns = turns if monotonic() - begin_s <= limits.pipeline_turn_s else 0
            if turns == 0:
                self._phase = BUSY
                self._pending = data[offset:]
                server.loop.call_soon(self._finish)
                return
            turns -= 1
            head = _parse_head(data, offset, limits.head_bytes_max, limits.fields_max, self._last_fields)
            if head is None:
                self._wait_for_head(data[offset:])
                return
            if isinstance(head, int):
                if head != http1.VERSION_UNSUPPORTED or not self._speak_http2(data[offset:]):
                    self._refuse(refusals.refuse_head(head))
                return
            method, path, query, headers, length, flags, offset = head
            self._flags = flags
            request = Request(method, path, query, headers, b"", self._connection)
            if length > 0 or flags & _SPECIAL:
                offset = self._begin_body(request, length, data, offset)
                if offset < 0:
                    return
            answer = server.application(request) if not flags & _OTHER_FORM else targets.answer(server, request)
            if (
                flags == _KEEP_ALIVE
                and not self._body_bytes
                and type(answer) is Response
                and type(body := answer.body) is bytes
                and len(body) <= SMALL_BODY_BYTES
                and method != "HEAD"
                and (line := _line_with_body(answer.status)) is not None
                and not server.is_draining
            ):
                # What nearly all answers are; _send does the same for every kind of them.
                self._channel.write(_build_head(line, answer.headers, len(body), server.date_line, False, body))
                if not self._is_paused:
                    continue
                self._phase = BUSY
            elif self._take_answer(request, answer):
                continue
            if self._phase == BUSY:
                self._pending = data[offset:]
            return
        self._phase = IDLE
        self._request = None
        self.deadline = server.idle_deadline

    def _wait_for_head(self, data: bytes) -> None:
        if self._phase != HEAD:
            # For a connection's first head the clock runs since the accept.
            self._phase = HEAD
            self.deadline = self._server.now + self._server.limits.head_timeout_s
        self._incoming_head = IncomingHead(data, self._server.limits.head_bytes_max)

    def _take_body(self, data: bytes) -> None:
        request = self._request
        assert request is not None
        offset = self._read_body(data, 0)
        if offset < 0:
            return
        server = self._server
        is_other = self._flags & _OTHER_FORM
        if self._take_answer(request, targets.answer(server, request) if is_other else server.application(request)):
            self._phase = IDLE
            self._request = None
            self.deadline = self._server.idle_deadline
            if offset < len(data):
                self._take_requests(data[offset:])
        elif self._phase == BUSY:
            self._pending = data[offset:]
