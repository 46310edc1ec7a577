"""The answering half of an exchange over HTTP/2 (http2_exchange.py): large bodies, compressed ones, and streams.

It is to the pumps of large bodies what a channel is to those of HTTP/1.1, and to a Stream its writer. What it writes
waits in the kernel's queue (ext/http2stream.pyx), which says when it is full and when it has room again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from quarterdeck._kernels import http2
from quarterdeck._kernels.outlet import Outlet
from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.transport import bodies, refusals, status_lines, tunnels
from quarterdeck.transport.http2_output import HTTP2Output
from quarterdeck.transport.messages import LazyBody, Parked, Request, Response, Stream
from quarterdeck.transport.phases import NEVER, SENDING

if TYPE_CHECKING:
    from quarterdeck._kernels import http2stream

SMALL_BODY_BYTES: Final = 64 * 1024  # queued at once, and not counted while it comes in
LOOK_S: Final = 1.0  # how often a client that is behind is looked at
_HTTP_1_1_REQUIRED: Final = 13


class ExchangeAnswers:
    """`deadline` is when the connection has to `expire` it (the server's clock)."""

    __slots__ = (
        "_body_bytes",
        "_compressed",
        "_is_working",
        "_on_end",
        "_parked",
        "_phase",
        "_progress",
        "_progress_s",
        "_protocol",
        "_pump",
        "_request",
        "_stream",
        "_task",
        "_watch",
        "deadline",
    )

    def __init__(self, protocol: HTTP2Output, stream: http2stream.Stream) -> None:
        self._protocol = protocol
        self._stream = stream
        self._phase = SENDING
        self._request: Request | None = None
        self._body_bytes = 0  # of its own among all bodies that are in flight
        self._task: asyncio.Task[None] | None = None
        self._parked: Parked | None = None  # what is waited for without a task
        self._is_working = False  # the task is the application's, which may be told that it is late
        self._pump: bodies.BodyPump | None = None
        self._compressed: bodies.CompressedBody | None = None
        self._watch: Stream | None = None
        self._on_end: Callable[[], None] | None = None
        self._progress = 0  # bytes that had been sent when it was looked at last
        self._progress_s = 0.0  # and since when no more
        self.deadline = NEVER
        stream.owner = self

    def _send(self, response: Response) -> None:
        self._phase = SENDING
        request = self._request
        assert request is not None
        if isinstance(response, Stream):
            self._send_stream(request, response)
            return
        body = response.body
        if type(body) is bytes and len(body) <= SMALL_BODY_BYTES:
            self._protocol.send(self._stream, response, is_head=request.method == "HEAD")
            self.watch_sending()
        else:
            self._send_large(request, response)

    def _send_stream(self, request: Request, response: Stream) -> None:
        if response.status == tunnels.STATUS:
            response.closed()
            self._stream.reset(_HTTP_1_1_REQUIRED)
            return
        if not self._protocol.server.admit_stream():
            refusal = refusals.refuse_stream(response)
            response.closed()
            self._send(refusal)
            return
        self._watch = response
        has_body = request.method != "HEAD"
        self._protocol.send_head(self._stream, response.status, response.headers, -1, has_body=has_body)
        # What it began with is not needed any more, and a watch may last for hours.
        response.headers.clear()
        self._request = None
        if has_body:
            response.opened(self)

    def _send_large(self, request: Request, response: Response) -> None:
        body = response.body
        pieces: Iterable[bytes] = [body] if isinstance(body, bytes) else body
        size = body.size if isinstance(body, LazyBody) else sum(map(len, pieces))
        self._on_end, request.on_end = request.on_end, None
        server = self._protocol.server
        if (
            response.compressible
            and size > server.limits.gzip_bytes_min
            and bodies.accepts_gzip(request.headers.get("accept-encoding", ""))
        ):
            self._task = server.loop.create_task(self._send_compressed(request, response, pieces))
            return
        has_body = request.method != "HEAD" and response.status not in status_lines.WITHOUT_BODY
        length = -1 if response.status in status_lines.WITHOUT_BODY else size
        self._protocol.send_head(self._stream, response.status, response.headers, length, has_body=has_body)
        if not has_body:
            return
        self._pump = bodies.BodyPump(self, pieces, server.turns, self._pump_ended)
        if self._pump.run():
            self._pump_ended()

    def _pump_ended(self) -> None:
        self._pump = None
        self._stream.end()
        self.watch_sending()

    async def _send_compressed(self, request: Request, response: Response, pieces: Iterable[bytes]) -> None:
        headers = [*response.headers, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]
        server = self._protocol.server
        if request.method == "HEAD":  # the size has to be told
            packed = await server.run_in_thread(bodies.compress, pieces)
            self._protocol.send_head(self._stream, response.status, headers, sum(map(len, packed)), has_body=False)
            self._task = None
            return
        self._protocol.send_head(self._stream, response.status, headers, -1, has_body=True)
        body = self._compressed = bodies.CompressedBody(self, pieces, is_paused=False)
        is_whole = False
        try:
            await body.send(server.run_in_thread)
            is_whole = True
        finally:
            self._task = self._compressed = None
            if not is_whole:
                self._stream.reset(http2.INTERNAL_ERROR)
        self.watch_sending()

    # The writer of a Stream, and the channel of large bodies.

    @property
    def is_paused(self) -> bool:
        return self._stream.is_paused

    def write(self, data: bytes) -> None:
        stream = self._stream
        stream.write(data)
        if not stream.is_paused:
            return
        if self._pump is not None:
            self._pump.is_paused = True
        if self._compressed is not None:
            self._compressed.pause()

    def write_chunks(self, chunks: bytes) -> None:
        raise AssertionError("chunks are for sockets")

    def direct(self) -> tuple[int, Sealer | None, Outlet | None]:
        return -1, None, self._stream

    def is_closing(self) -> bool:
        return not self._stream.is_open

    def end(self) -> None:
        self._stream.end()
        watch, self._watch = self._watch, None
        if watch is not None:
            self._protocol.server.forget_stream()
            watch.closed()
            self.watch_sending()

    def abort(self) -> None:
        self._stream.reset(http2.INTERNAL_ERROR)

    def watch_taking(self) -> None:
        """There is more to send than the client takes, for now."""
        if self.deadline == NEVER:
            self._progress_s = 0.0
            self._set_deadline(LOOK_S)

    def watch_sending(self) -> None:
        """All is written; the client has to take it."""
        self._set_deadline(self._protocol.server.limits.write_timeout_s)

    # Inside.

    def _set_deadline(self, seconds: float) -> None:
        self.deadline = self._protocol.server.now + seconds
        self._protocol.deadline = min(self._protocol.deadline, self.deadline)

    def _free_body(self, left: int = 0) -> None:
        """All that was counted but for what is left."""
        if self._body_bytes > left:
            self._protocol.server.body_bytes -= self._body_bytes - left
            self._body_bytes = left
