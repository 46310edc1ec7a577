"""How one HTTP/1.x connection waits for the application's answer: not at all, by a task, or to be called.

A task is cancelled by a call that the loop makes later (`call_soon`), and so after the task's first step. One that is
cancelled before that never runs: what it would have given back (its place among the requests of its connection, its
audit event) would stay behind. A request and its end come in one turn of the loop where a client gives up at once.
"""

from __future__ import annotations

from collections.abc import Awaitable

from quarterdeck.transport.http1_answers import HTTP1Answers
from quarterdeck.transport.messages import Parked, Request, Response, Stream
from quarterdeck.transport.phases import BUSY, NEVER


class HTTP1Waiting(HTTP1Answers):
    __slots__ = ()

    def _take_answer(self, request: Request, answer: Response | Awaitable[Response]) -> bool:
        """What the application made of the request. True: answered, the connection is free for the next one."""
        self._request = request
        self._phase = BUSY
        if type(answer) is Response:
            self._free_body()
            return self._send(answer)
        if isinstance(answer, Response):
            self._free_body()
            self.deadline = NEVER
            return self._send(answer)
        longest_s = self._server.limits.request_timeout_s
        self.deadline = self._server.now + min(request.timeout_s or longest_s, longest_s)
        self._is_working = True
        if isinstance(answer, Parked):
            self._parked = answer
            answer.begin(self._take_parked, self._lose_parked)
        else:
            self._task = self._server.loop.create_task(self._await(request, answer))
        return False

    def _take_parked(self, response: Response) -> None:
        """The answer that was waited for without a task."""
        request = self._request
        self._free_body()
        self._parked = None
        self._is_working = False
        self.deadline = NEVER
        if self._phase != BUSY:
            if request is not None and request.on_end is not None:
                request.on_end()
        elif self._send(response):
            self._finish()

    def _lose_parked(self) -> None:
        self._free_body()
        self._parked = None
        self._is_working = False
        if self._phase == BUSY:
            self._channel.abort()

    async def _await(self, request: Request, awaitable: Awaitable[Response]) -> None:
        try:
            response = await awaitable
        except BaseException:
            self._free_body()
            self._task = None
            self._is_working = False
            if request.on_end is not None:
                request.on_end()
            if self._phase == BUSY:
                # The application's outermost filter answers every error: this is a bug, or the task was cancelled.
                self._channel.abort()
            raise
        self._free_body()
        self._task = None
        self._is_working = False
        self.deadline = NEVER
        if self._phase != BUSY:
            if isinstance(response, Stream):
                response.closed()
            elif request.on_end is not None:
                request.on_end()
        elif self._send(response):
            self._finish()
