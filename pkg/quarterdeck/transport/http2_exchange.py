"""One request over HTTP/2 whose answer is not made and sent at once: it is waited for, large, or a stream.

The life of an exchange:

    BODY ──complete──> BUSY ──answered──> SENDING ──> CLOSED
      └──────── refused ──────> LINGER ─────────────────┘
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from quarterdeck._kernels import http2
from quarterdeck.transport import refusals
from quarterdeck.transport.http2_answers import LOOK_S, SMALL_BODY_BYTES, ExchangeAnswers
from quarterdeck.transport.messages import Parked, Request, Response, Stream
from quarterdeck.transport.phases import BODY, BUSY, CLOSED, LINGER, NEVER

_READS: Final = frozenset(("GET", "HEAD"))


class Exchange(ExchangeAnswers):
    __slots__ = ()

    # What the connection tells.

    def expect_body(self, request: Request, size: int) -> None:
        """`size` is what the body may have."""
        server = self._protocol.server
        self._request = request
        self._phase = BODY
        self._set_deadline(server.limits.body_timeout_s)
        if size > SMALL_BODY_BYTES:
            if server.body_bytes + size > server.limits.all_bodies_bytes_max:
                self.refuse(refusals.answer_bodies())
                return
            server.body_bytes += size
            self._body_bytes = size

    def refuse(self, answer: Response) -> None:
        """Answer what no application sees; what else comes of it is dropped."""
        self._request = None
        self._free_body()
        self._phase = LINGER
        self._stream.drop_body()
        self._protocol.send(self._stream, answer)
        self._set_deadline(self._protocol.server.limits.linger_timeout_s)

    def refuse_size(self) -> None:
        """The body is larger than any may be."""
        if self._phase == BODY and self._request is not None:
            self.refuse(self._protocol.server.answer_large_body(self._request))

    def complete(self) -> None:
        """All of the request is there."""
        request = self._request
        if self._phase != BODY or request is None:
            return
        request.body = self._stream.take_body()
        self._free_body(len(request.body))
        self.take(request, self._protocol.server.application(request))

    def take(self, request: Request, answer: Response | Awaitable[Response]) -> None:
        """What the application made of the request."""
        self._request = request
        self._phase = BUSY
        if isinstance(answer, Response):
            self._free_body()
            self._send(answer)
            return
        longest_s = self._protocol.server.limits.request_timeout_s
        self._set_deadline(min(request.timeout_s or longest_s, longest_s))
        self._is_working = True
        self._protocol.working_count += 1
        if isinstance(answer, Parked):
            self._parked = answer
            answer.begin(self._take_parked, self._lose_parked)
        else:
            self._task = self._protocol.server.loop.create_task(self._await(request, answer))

    def resume(self) -> None:
        """There is room again."""
        if self._watch is not None:
            self._watch.resumed()
        elif self._compressed is not None:
            self._compressed.resume()
        elif self._pump is not None:
            self._pump.resume()

    def drain(self) -> None:
        """The server stops: a stream ends."""
        if self._watch is not None:
            self.end()

    def closed(self) -> None:
        """Nothing comes and nothing goes any more: the client has everything, or is gone."""
        self._phase = CLOSED
        self.deadline = NEVER
        self._pump = None
        task, request = self._task, self._request
        parked, self._parked = self._parked, None
        if parked is not None:
            self._work_ended()
            parked.cancel()
        elif task is None:
            self._free_body()
        elif request is not None and request.is_queued:
            task.cancel()  # at once: a turn later a write may have begun
            self._free_body()
        elif request is not None and request.method in _READS:
            # A write that has begun goes on to its end: cut in the middle its outcome would be unknown.
            self._protocol.server.loop.call_soon(task.cancel)  # after its first step (http1_waiting.py)
            self._free_body()
        watch, self._watch = self._watch, None
        if watch is not None:
            self._protocol.server.forget_stream()
            watch.closed()
        on_end, self._on_end = self._on_end, None
        if on_end is not None:
            on_end()

    def expire(self, now_s: float) -> None:
        """The deadline has passed."""
        self.deadline = NEVER
        if self._phase == BODY:
            self.refuse(refusals.answer_slow_body())
        elif self._is_working and self._request is not None:
            self._request.is_late = True
            if self._parked is not None:
                self._parked.cancel()
            elif self._task is not None:
                self._protocol.server.loop.call_soon(self._task.cancel)
        elif self._phase == LINGER:
            self._stream.reset(http2.NO_ERROR)
        elif not self._is_taking(now_s):
            self._stream.reset(http2.CANCEL)

    def _is_taking(self, now_s: float) -> bool:
        """The client has taken something not long ago, or has nothing to take; it will be looked at again."""
        stream, limits = self._stream, self._protocol.server.limits
        if self._watch is not None and not stream.is_paused:
            return True
        if stream.sent != self._progress or not self._progress_s:
            self._progress = stream.sent
            self._progress_s = now_s
        longest_s = limits.write_timeout_s if self._watch is None else limits.stream_write_timeout_s
        self._set_deadline(LOOK_S)
        return now_s - self._progress_s < longest_s

    # The answer.

    async def _await(self, request: Request, awaitable: Awaitable[Response]) -> None:
        try:
            response = await awaitable
        except BaseException:
            self._work_ended()
            if request.on_end is not None:
                request.on_end()
            # The application's outermost filter answers every error: this is a bug, or the task was cancelled.
            self._stream.reset(http2.INTERNAL_ERROR)
            raise
        self._work_ended()
        self.deadline = NEVER
        if self._phase != CLOSED:
            self._send(response)
        elif isinstance(response, Stream):
            response.closed()
        elif request.on_end is not None:
            request.on_end()

    def _take_parked(self, response: Response) -> None:
        """The answer that was waited for without a task."""
        self._work_ended()
        self.deadline = NEVER
        request = self._request
        if self._phase != CLOSED:
            self._send(response)
        elif request is not None and request.on_end is not None:
            request.on_end()

    def _lose_parked(self) -> None:
        self._work_ended()
        self._stream.reset(http2.INTERNAL_ERROR)

    def _work_ended(self) -> None:
        """Told twice where a parked answer comes, or fails, after its client has gone."""
        self._free_body()
        self._task = self._parked = None
        if not self._is_working:
            return
        self._is_working = False
        self._protocol.working_count -= 1
