"""The answering half of one HTTP/1.x connection.

An answer of nearly all requests is one write. Large ones are written as the client takes them, or compressed beside the
loop; a stream gets a writer and goes on until it ends or the client leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from quarterdeck._kernels import http1, http1answer
from quarterdeck.transport import bodies, refusals, stalls, status_lines, tunnels
from quarterdeck.transport.http1_tunnels import HTTP1Tunnels
from quarterdeck.transport.messages import Headers, LazyBody, Response, Stream
from quarterdeck.transport.phases import BUSY, IDLE, LINGER, NEVER
from quarterdeck.transport.streams import HTTP1StreamWriter

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_line_of: Final = status_lines.build
_old_line_of: Final = status_lines.build_old

SMALL_BODY_BYTES: Final = 64 * 1024  # copied behind the head, so that both leave in one piece

_KEEP_ALIVE: Final = http1.KEEP_ALIVE
_HTTP_1_0: Final = http1.HTTP_1_0
_build_head: Final = http1answer.build_head


class HTTP1Answers(HTTP1Tunnels):
    __slots__ = ()

    def _take_requests(self, data: bytes) -> None:
        """Goes on with the bytes that came while a request was being answered."""
        raise NotImplementedError

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
                if response.status == tunnels.STATUS:
                    self._begin_tunnel(response, headers)
                else:
                    self._send_stream(response, headers, closes=closes)
                return False
            refusal = refusals.refuse_stream(response)
            response.closed()
            return self._send(refusal)
        body, status = response.body, response.status
        if type(body) is not bytes or len(body) > SMALL_BODY_BYTES:
            return self._send_large(response, headers, closes=closes)
        if self._request is not None and self._request.method == "HEAD":
            data = self._build(status, headers, len(body), closes)
        elif status in status_lines.WITHOUT_BODY:
            data = self._build(status, headers, -2, closes)
        else:
            data = self._build(status, headers, len(body), closes, body)
        self._channel.write(data)
        if closes:
            self._close()
            return False
        return not self._is_paused

    def _build(self, status: int, headers: Headers, length: int, closes: bool, body: bytes | None = None) -> bytes:
        """The head, and `body` behind it (http1answer.build_head). A client of HTTP/1.0 knows that the end follows."""
        if self._flags & _HTTP_1_0:
            return _build_head(_old_line_of(status), headers, length, self._server.date_line, False, body)
        return _build_head(_line_of(status), headers, length, self._server.date_line, closes, body)

    def _send_large(self, response: Response, headers: Headers, *, closes: bool) -> bool:
        body = response.body
        pieces: Iterable[bytes] = [body] if isinstance(body, bytes) else body
        size = body.size if isinstance(body, LazyBody) else sum(map(len, pieces))
        request = self._request
        assert request is not None
        if request.on_end is not None:
            self._on_end, request.on_end = request.on_end, None
        if (
            response.compressible
            and size > self._server.limits.gzip_bytes_min
            and bodies.accepts_gzip(request.headers.get("accept-encoding", ""))
        ):
            self.deadline = NEVER
            self._task = self._server.loop.create_task(self._send_compressed(response, pieces, closes=closes))
            return False
        if request.method == "HEAD" or response.status in status_lines.WITHOUT_BODY:
            length = -2 if response.status in status_lines.WITHOUT_BODY else size
            self._channel.write(self._build(response.status, headers, length, closes))
            pieces = []
        elif size <= SMALL_BODY_BYTES:
            self._channel.write(self._build(response.status, headers, size, closes, b"".join(pieces)))
            pieces = []
        else:
            self._channel.write(self._build(response.status, headers, size, closes))
        if closes:
            self._flags &= ~_KEEP_ALIVE
        self.deadline = NEVER
        pump = bodies.BodyPump(self._channel, pieces, self._server.turns, self._finish)
        self._pump = pump
        if not pump.run():
            return False
        self._pump = None
        if closes:
            self._close()
            return False
        if self._is_paused:
            return False
        self._sent()
        return True

    def _sent(self) -> None:
        """All of the answer is with the client, or will never be."""
        on_end, self._on_end = self._on_end, None
        if on_end is not None:
            on_end()

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
        self._channel.write(self._build(response.status, headers, -1, closes))
        if closes:
            self._flags &= ~_KEEP_ALIVE
        body = self._compressed = bodies.CompressedBody(
            bodies.ChunkSink(self._channel), pieces, is_paused=self._is_paused
        )
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
        self._channel.write(self._build(stream.status, headers, -1 if is_chunked else -2, closes))
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
        if self._phase != BUSY or self._is_paused or self._task is not None or self._parked is not None:
            return
        if self._stream is not None or (self._pump is not None and not self._pump.is_ended):
            return
        self._pump = None
        self._sent()
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

    def _hold_body(self, size: int) -> bool:
        """A body of that many bytes is taken in, until the request is answered. False: there are too many bytes of all
        connections' already. Small ones are not counted."""
        server = self._server
        if size > SMALL_BODY_BYTES:
            if server.body_bytes + size > server.limits.all_bodies_bytes_max:
                return False
            server.body_bytes += size
            self._body_bytes = size
        return True

    def _free_body(self, left: int = 0) -> None:
        """All that was counted but for what is left."""
        if self._body_bytes > left:
            self._server.body_bytes -= self._body_bytes - left
            self._body_bytes = left

    def _is_reading_slowly(self) -> bool:
        """A stream's client that is behind has taken something not long ago; it will be looked at again."""
        now = self._server.now
        if self._writer is None or not self._is_paused or self._stall is None:
            return False
        self.deadline = now + stalls.LOOK_S
        return self._stall.measure_s(now) < self._server.limits.stream_write_timeout_s

    def _refuse(self, answer: bytes) -> None:
        """Answer what no application sees, and be done with the client: what else it sends is read and dropped, since
        a connection that is closed with unread input is reset, which may take the answer with it."""
        self._incoming_body = None
        self._free_body()
        self._request = None
        self._phase = LINGER
        self.deadline = self._server.now + self._server.limits.linger_timeout_s
        self._channel.write(answer)
        self._channel.write_eof()

    def _close(self) -> None:
        """Close when everything is written, which is waited for only so long."""
        self._phase = LINGER
        self.deadline = self._server.now + self._server.limits.write_timeout_s
        self._channel.close()
        self._sent()
