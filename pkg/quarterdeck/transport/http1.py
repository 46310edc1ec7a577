"""One HTTP/1.x connection: requests in, answers out, in order.

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
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, cast

from quarterdeck._kernels import http1
from quarterdeck._kernels.openssl import Sealer
from quarterdeck.transport import bodies, refusals, stalls, status_lines
from quarterdeck.transport.channel import Channel
from quarterdeck.transport.connections import Connections
from quarterdeck.transport.messages import ConnectionInfo, Headers, LazyBody, Request, Response, Stream
from quarterdeck.transport.streams import HTTP1StreamWriter

IDLE: Final = 0
HEAD: Final = 1
BODY: Final = 2
BUSY: Final = 3
LINGER: Final = 4
CLOSED: Final = 5

NEVER: Final = float("inf")
SMALL_BODY_BYTES: Final = 64 * 1024  # copied behind the head, so that both leave in one piece

_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_READS: Final = frozenset(("GET", "HEAD"))

_KEEP_ALIVE: Final = http1.KEEP_ALIVE
_CHUNKED: Final = http1.CHUNKED
_EXPECT_CONTINUE: Final = http1.EXPECT_CONTINUE
_EXPECT_OTHER: Final = http1.EXPECT_OTHER
_HTTP_1_0: Final = http1.HTTP_1_0
_SPECIAL: Final = http1.CHUNKED | http1.EXPECT_OTHER
_line_with_body = status_lines.WITH_BODY.get
_parse_head = http1.parse_head
_build_head = http1.build_head


def remote_address(channel: Channel) -> str:
    """The client's address without its port; empty where there is none (any more)."""
    peer = channel.get_extra_info("peername")
    return peer[0] if isinstance(peer, tuple) else ""


class HTTP1Protocol(asyncio.Protocol):
    """Plain connections are driven by uvloop's transport, TLS ones by tls.TLSProtocol: the difference is `Channel`."""

    __slots__ = (
        "_body",
        "_body_left",
        "_buffer",
        "_build_sealer",
        "_channel",
        "_chunks",
        "_compressed",
        "_connection",
        "_flags",
        "_is_ended",
        "_is_paused",
        "_is_reading_paused",
        "_is_working",
        "_pending",
        "_phase",
        "_pump",
        "_request",
        "_scanned",
        "_server",
        "_socket",
        "_stall",
        "_stream",
        "_task",
        "_writer",
        "deadline",
    )

    _channel: Channel
    _connection: ConnectionInfo

    def __init__(self, server: Connections) -> None:
        self._server = server
        self._phase = HEAD
        self._buffer = bytearray()
        self._scanned = 0
        self._flags = 0
        self._body: bytearray | None = None
        self._body_left = 0
        self._chunks: http1.ChunkedBody | None = None
        self._request: Request | None = None
        self._pending = b""
        self._is_paused = False
        self._is_reading_paused = False
        self._is_ended = False
        self._task: asyncio.Task[None] | None = None
        self._is_working = False  # the task is the application's, which may be told that it is late
        self._pump: bodies.BodyPump | None = None
        self._compressed: bodies.CompressedBody | None = None
        self._stream: Stream | None = None
        self._writer: HTTP1StreamWriter | None = None
        self._socket = -1
        self._stall: stalls.Stall | None = None  # of a stream's client that is behind
        self.deadline = NEVER

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
            self._pump.pause()
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
        elif self._task is None and (self._pump is None or self._pump.run()):
            self._pump = None
            self._finish()

    def connection_lost(self, error: Exception | None) -> None:
        self._phase = CLOSED
        self._pending = b""
        self._body = self._chunks = self._pump = None
        self._server.forget(self)
        task, request = self._task, self._request
        if task is not None and request is not None and request.method in _READS:
            # A write goes on to its end: cut in the middle its outcome would be unknown.
            task.cancel()
        self._close_stream()

    # The server's calls.

    def expire(self) -> None:
        """The deadline has passed."""
        self.deadline = NEVER
        if self._phase == BODY:
            self._refuse(refusals.refuse_slow_body())
        elif self._phase == BUSY and self._is_working:
            assert self._request is not None
            assert self._task is not None
            self._request.is_late = True
            self._task.cancel()
        elif self._phase == IDLE and not self._channel.get_write_buffer_size():
            self._channel.close()
        elif not self._is_reading_slowly():
            self._channel.abort()

    def _is_reading_slowly(self) -> bool:
        """A stream's client that is behind has taken something not long ago; it will be looked at again."""
        now = self._server.now
        if self._writer is None or not self._is_paused or self._stall is None:
            return False
        self.deadline = now + stalls.LOOK_S
        return self._stall.measure_s(now) < self._server.limits.stream_write_timeout_s

    def drain(self) -> None:
        """The server stops: close when what runs is answered."""
        if self._phase == IDLE or (self._phase == HEAD and not self._buffer):
            self._close()
        elif self._writer is not None:
            self._flags &= ~_KEEP_ALIVE
            self._writer.end()

    def abort(self) -> None:
        self._channel.abort()

    # Requests in.

    def _take_head(self, data: bytes) -> None:
        """More of a head that came in pieces; it is parsed when its end is there (or it is too long)."""
        buffer = self._buffer
        if not buffer:
            self._take_requests(data)
            return
        buffer += data
        begin = max(self._scanned - 3, 0)
        self._scanned = len(buffer)
        if (
            buffer.find(b"\n\r\n", begin) < 0
            and buffer.find(b"\n\n", begin) < 0
            and len(buffer) <= self._server.limits.head_bytes_max
        ):
            return
        self._buffer = bytearray()
        self._take_requests(bytes(buffer))

    def _take_requests(self, data: bytes) -> None:
        server = self._server
        limits = server.limits
        offset = 0
        size = len(data)
        turns = limits.pipeline_turn_max
        while offset < size:
            if turns == 0:
                self._phase = BUSY
                self._pending = data[offset:]
                server.loop.call_soon(self._finish)
                return
            turns -= 1
            head = _parse_head(data, offset, limits.head_bytes_max, limits.fields_max)
            if head is None:
                self._wait_for_head(data[offset:])
                return
            if isinstance(head, int):
                self._refuse(refusals.refuse_head(head))
                return
            method, path, query, headers, length, flags, offset = head
            self._flags = flags
            request = Request(method, path, query, headers, b"", self._connection)
            if length > 0 or flags & _SPECIAL:
                offset = self._begin_body(request, length, data, offset)
                if offset < 0:
                    return
            answer = server.application(request)
            if (
                flags == _KEEP_ALIVE
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
        self._buffer = bytearray(data)
        self._scanned = len(data)

    def _begin_body(self, request: Request, length: int, data: bytes, offset: int) -> int:
        """The offset behind the body if it is all there, else -1: it is waited for, or the request is refused."""
        flags = self._flags
        limits = self._server.limits
        if flags & _EXPECT_OTHER:
            self._refuse(refusals.refuse_expectation())
            return -1
        if length > limits.body_bytes_max:
            self._refuse(refusals.refuse_large_body(limits.body_bytes_max))
            return -1
        if not flags & _CHUNKED:
            end = offset + length
            if end <= len(data):
                request.body = data[offset:end]
                return end
        if flags & _EXPECT_CONTINUE and offset == len(data):
            self._channel.write(_CONTINUE)
        self._phase = BODY
        self._request = request
        self.deadline = self._server.now + limits.body_timeout_s
        if flags & _CHUNKED:
            self._chunks = http1.ChunkedBody(limits.body_bytes_max)
            return self._read_chunks(data, offset)
        self._body = bytearray(data[offset:])
        self._body_left = length - len(self._body)
        return -1

    def _read_chunks(self, data: bytes, offset: int) -> int:
        chunks, request = self._chunks, self._request
        assert chunks is not None
        assert request is not None
        offset = chunks.feed(data, offset)
        if offset == http1.CHUNK_MALFORMED:
            self._refuse(refusals.refuse_head(http1.BAD_REQUEST))
            return -1
        if offset == http1.CHUNK_TOO_LARGE:
            self._refuse(refusals.refuse_large_body(self._server.limits.body_bytes_max))
            return -1
        if not chunks.is_done:
            return -1
        request.body = chunks.take()
        self._chunks = None
        return offset

    def _take_body(self, data: bytes) -> None:
        request = self._request
        assert request is not None
        if self._chunks is not None:
            offset = self._read_chunks(data, 0)
            if offset < 0:
                return
        else:
            body = self._body
            assert body is not None
            offset = self._body_left
            if len(data) < offset:
                body += data
                self._body_left -= len(data)
                return
            body += data[:offset]
            request.body = bytes(body)
            self._body = None
        if self._take_answer(request, self._server.application(request)):
            self._phase = IDLE
            self._request = None
            self.deadline = self._server.idle_deadline
            if offset < len(data):
                self._take_requests(data[offset:])
        elif self._phase == BUSY:
            self._pending = data[offset:]

    # Answers out.

    def _take_answer(self, request: Request, answer: Response | Awaitable[Response]) -> bool:
        """What the application made of the request. True: answered, the connection is free for the next one."""
        self._request = request
        self._phase = BUSY
        if type(answer) is Response:
            return self._send(answer)
        if isinstance(answer, Response):
            self.deadline = NEVER
            return self._send(answer)
        longest_s = self._server.limits.request_timeout_s
        self.deadline = self._server.now + min(request.timeout_s or longest_s, longest_s)
        self._is_working = True
        self._task = self._server.loop.create_task(self._await(answer))
        return False

    async def _await(self, awaitable: Awaitable[Response]) -> None:
        try:
            response = await awaitable
        except BaseException:
            self._task = None
            self._is_working = False
            if self._phase == BUSY:
                # The application's outermost filter answers every error: this is a bug, or the task was cancelled.
                self._channel.abort()
            raise
        self._task = None
        self._is_working = False
        self.deadline = NEVER
        if self._phase != BUSY:
            if isinstance(response, Stream):
                response.closed()
        elif self._send(response):
            self._finish()

    def _send(self, response: Response) -> bool:
        """Write the answer. True: it is written and the next request may come."""
        server = self._server
        flags = self._flags
        closes = not flags & _KEEP_ALIVE or server.is_draining
        headers = response.headers
        if flags & _HTTP_1_0 and not closes:
            headers = [*headers, ("Connection", "keep-alive")]
        if isinstance(response, Stream):
            if server.admit_stream():
                self._send_stream(response, headers, closes=closes)
                return False
            response.closed()
            return self._send(refusals.refuse_stream())
        body = response.body
        status = response.status
        if type(body) is not bytes or len(body) > SMALL_BODY_BYTES:
            return self._send_large(response, headers, closes=closes)
        line = status_lines.build(status)
        if self._request is not None and self._request.method == "HEAD":
            data = _build_head(line, headers, len(body), server.date_line, closes)
        elif status in status_lines.WITHOUT_BODY:
            data = _build_head(line, headers, -2, server.date_line, closes)
        else:
            data = _build_head(line, headers, len(body), server.date_line, closes, body)
        self._channel.write(data)
        if closes:
            self._close()
            return False
        return not self._is_paused

    def _send_large(self, response: Response, headers: Headers, *, closes: bool) -> bool:
        body = response.body
        pieces: Iterable[bytes] = [body] if isinstance(body, bytes) else body
        size = body.size if isinstance(body, LazyBody) else sum(map(len, pieces))
        request = self._request
        assert request is not None
        if (
            response.compressible
            and size > self._server.limits.gzip_bytes_min
            and bodies.accepts_gzip(request.headers.get("accept-encoding", ""))
        ):
            self.deadline = NEVER
            self._task = self._server.loop.create_task(self._send_compressed(response, pieces, closes=closes))
            return False
        line = status_lines.build(response.status)
        date_line = self._server.date_line
        if request.method == "HEAD" or response.status in status_lines.WITHOUT_BODY:
            length = -2 if response.status in status_lines.WITHOUT_BODY else size
            self._channel.write(_build_head(line, headers, length, date_line, closes))
            pieces = []
        elif size <= SMALL_BODY_BYTES:
            self._channel.write(_build_head(line, headers, size, date_line, closes, b"".join(pieces)))
            pieces = []
        else:
            self._channel.write(_build_head(line, headers, size, date_line, closes))
        if closes:
            self._flags &= ~_KEEP_ALIVE
        self.deadline = NEVER
        pump = bodies.BodyPump(self._channel, pieces)
        self._pump = pump
        if not pump.run():
            return False
        self._pump = None
        if closes:
            self._close()
            return False
        return not self._is_paused

    async def _send_compressed(self, response: Response, pieces: Iterable[bytes], *, closes: bool) -> None:
        headers = [*response.headers, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]
        request = self._request
        if self._flags & _HTTP_1_0 or (request is not None and request.method == "HEAD"):
            # The size has to be told first.
            packed = await self._server.run_in_thread(bodies.compress, pieces)
            self._task = None
            if self._phase == BUSY and self._send(Response(response.status, headers, packed)):
                self._finish()
            return
        if self._phase != BUSY:
            return
        line = status_lines.build(response.status)
        self._channel.write(_build_head(line, headers, -1, self._server.date_line, closes))
        if closes:
            self._flags &= ~_KEEP_ALIVE
        body = self._compressed = bodies.CompressedBody(self._channel, pieces, is_paused=self._is_paused)
        is_whole = False
        try:
            await body.send(self._server.run_in_thread)
            is_whole = True
        finally:
            self._task = self._compressed = None
            if not is_whole and self._phase == BUSY:
                self._channel.abort()
        self._finish()

    def _send_stream(self, stream: Stream, headers: Headers, *, closes: bool) -> None:
        flags = self._flags
        is_chunked = not flags & _HTTP_1_0
        if not is_chunked:
            headers = stream.headers
            self._flags = flags & ~_KEEP_ALIVE
        line = status_lines.build(stream.status)
        length = -1 if is_chunked else -2
        self._channel.write(_build_head(line, headers, length, self._server.date_line, closes or not is_chunked))
        if closes:
            self._flags &= ~_KEEP_ALIVE
        self._stream = stream
        # What it began with is not needed any more, and a watch may last for hours.
        stream.headers.clear()
        request, self._request = self._request, None
        if request is not None and request.method == "HEAD":
            self._stream_ended()
            return
        self._writer = self._build_writer(is_chunked=is_chunked)
        self._writer.is_paused = self._is_paused
        stream.opened(self._writer)

    def _build_writer(self, *, is_chunked: bool) -> HTTP1StreamWriter:
        build_sealer = self._build_sealer
        sealer = None if build_sealer is None else build_sealer()
        socket = self._socket if build_sealer is None or sealer is not None else -1
        return HTTP1StreamWriter(self._channel, socket, self._stream_ended, is_chunked=is_chunked, sealer=sealer)

    def _stream_ended(self) -> None:
        self._close_stream()
        # The stream may have ended in the middle of anything: the next request waits for the loop's next turn.
        self._server.loop.call_soon(self._finish)

    def _close_stream(self) -> None:
        stream, writer = self._stream, self._writer
        self._stream = self._writer = None
        if writer is not None:
            writer.detach()
        if stream is not None:
            self._server.forget_stream()
            stream.closed()

    def _finish(self) -> None:
        """The answer is written: go on with what has come in meanwhile.

        Called twice, it finds the next request under way and leaves it alone."""
        if self._phase != BUSY or self._is_paused or self._task is not None:
            return
        if self._stream is not None or self._pump is not None:
            return
        if not self._flags & _KEEP_ALIVE or self._server.is_draining:
            self._close()
            return
        self._phase = IDLE
        self._request = None
        self.deadline = self._server.idle_deadline
        data, self._pending = self._pending, b""
        if data:
            self._take_requests(data)
        if self._phase == BUSY:
            return
        if self._is_ended:
            self._close()
        elif self._is_reading_paused:
            self._is_reading_paused = False
            self._channel.resume_reading()

    def _refuse(self, answer: bytes) -> None:
        """Answer what no application sees, and be done with the client: what else it sends is read and dropped, since
        a connection that is closed with unread input is reset, which may take the answer with it."""
        self._body = self._chunks = self._request = None
        self._phase = LINGER
        self.deadline = self._server.now + self._server.limits.linger_timeout_s
        self._channel.write(answer)
        self._channel.write_eof()

    def _close(self) -> None:
        """Close when everything is written, which is waited for only so long."""
        self._phase = LINGER
        self.deadline = self._server.now + self._server.limits.write_timeout_s
        self._channel.close()
