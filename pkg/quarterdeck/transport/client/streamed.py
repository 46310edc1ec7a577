"""An answer that is given on while it comes: its head first, then its body in the pieces that the server sends.

Nobody waits for the whole of it, and at most a window of it is held here: a taker that is behind says so, and then
nothing more is read from the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Final

from quarterdeck.transport.client.answers import UNKNOWN, Answer, AnswerParser
from quarterdeck.transport.client.connection import ClientConnection
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.messages import Headers

WINDOW_BYTES: Final = 256 * 1024
_ENDLESS: Final = 1 << 62

Take = Callable[[bytes], None]
Ended = Callable[[CallFailed | None], None]


class StreamedAnswer:
    """`status` and `fields` (in order, names in lower case) are there once `head` returns; `length` is what the head
    tells of the body, -1 for nothing. `is_upgrade`: behind a 101 both sides send what they like: the body is what the
    server sends, `write` is the other way."""

    def __init__(self, *, is_head: bool, is_upgrade: bool = False) -> None:
        self.status = 0
        self.fields: Headers = []
        self.length = -1
        self.is_sent = False  # there was a connection, and the request has left
        self._is_head = is_head
        self._is_upgrade = is_upgrade
        self._connection: ClientConnection | None = None
        self._task: asyncio.Task[Answer] | None = None
        self._headed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._take: Take | None = None
        self._ended: Ended | None = None

    def begin(self, call: Coroutine[object, object, Answer]) -> None:
        self._task = asyncio.get_running_loop().create_task(call)
        self._task.add_done_callback(self._finish)

    def parse(self, connection: ClientConnection) -> AnswerParser:
        self._connection = connection
        self.is_sent = True
        return _BodyParser(self, is_head=self._is_head, is_upgrade=self._is_upgrade)

    async def head(self) -> None:
        """Raises CallFailed; a caller that is cancelled ends the call."""
        try:
            await asyncio.shield(self._headed)
        except asyncio.CancelledError:
            self.abort()
            raise

    async def read(self, bytes_max: int) -> bytes:
        """All of the body. Raises CallFailed; then, and when the caller is cancelled, the call has ended."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        pieces: list[bytes] = []
        size = 0

        def take(piece: bytes) -> None:
            nonlocal size
            size += len(piece)
            pieces.append(piece)
            if size > bytes_max and not done.done():
                done.set_exception(CallFailed(f"response body exceeds {bytes_max} bytes", has_status=True))

        def end(failure: CallFailed | None) -> None:
            if done.done():
                return
            if failure is None:
                done.set_result(None)
            else:
                done.set_exception(failure)

        self.deliver(take, end)
        try:
            await done
        except BaseException:
            self.abort()
            raise
        return b"".join(pieces)

    def deliver(self, take: Take, ended: Ended) -> None:
        """Give the pieces, those that wait and those that come, to `take`; `ended` is called once behind the last."""
        self._take, self._ended = take, ended
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        for piece in waiting:
            take(piece)
        assert self._task is not None
        if self._task.done():
            self._end()
        elif waiting:
            self.resume()

    def pause(self) -> None:
        if self._connection is not None:
            self._connection.pause_reading()

    def resume(self) -> None:
        if self._connection is not None:
            self._connection.resume_reading()

    def open_up(self, on_pressure: Callable[[bool], None]) -> None:
        """Behind a 101, before anything is written. `on_pressure` is told whether the server is behind with that."""
        if self._connection is not None:
            self._connection.open_up(on_pressure)

    def write(self, data: bytes) -> None:
        """To the server; nothing where the connection has ended."""
        if self._connection is not None:
            self._connection.write(data)

    def end(self) -> None:
        """Nothing more is written or wanted: the connection is closed when all has left, or after a while."""
        self._take = self._ended = None
        if self._connection is not None:
            self._connection.end()

    def abort(self) -> None:
        """Nobody wants more of it: the connection is closed where anything is under way."""
        self._take = self._ended = None
        if self._task is not None:
            self._task.cancel()

    # The parser's calls.

    def head_came(self, status: int, fields: Headers, length: int) -> None:
        self.status, self.fields, self.length = status, fields, length
        if not self._headed.done():
            self._headed.set_result(None)

    def body_came(self, data: bytes) -> None:
        if self._take is not None:
            self._take(data)
            return
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes >= WINDOW_BYTES:
            self.pause()

    # The end.

    def _finish(self, _: asyncio.Task[Answer]) -> None:
        self._connection = None  # the pool's again
        failure = self._failure()
        if not self._headed.done():
            if failure is None:
                self._headed.cancel()
            else:
                self._headed.set_exception(failure)
                self._headed.exception()  # a caller that has left asks no more
        self._end()

    def _end(self) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(self._failure())

    def _failure(self) -> CallFailed | None:
        task = self._task
        assert task is not None
        if task.cancelled():
            return CallFailed("context canceled", has_status=self.status > 0)
        error = task.exception()
        return CallFailed(str(error)) if error is not None and not isinstance(error, CallFailed) else error


class _BodyParser(AnswerParser):
    """Gives on what the other parser keeps."""

    __slots__ = ("_is_head", "_is_upgrade", "_lines", "_told")

    def __init__(self, answer: StreamedAnswer, *, is_head: bool, is_upgrade: bool) -> None:
        super().__init__(_ENDLESS)
        self._told = answer
        self._is_head = is_head
        self._is_upgrade = is_upgrade
        self._lines: list[bytes] = []

    def _read_head(self, lines: list[bytes]) -> None:
        self._lines = lines[1:]
        super()._read_head(lines)

    def _begin_body(self, status: int, *, is_old: bool) -> None:
        super()._begin_body(status, is_old=is_old)
        length = -1 if self._chunks is not None else self._left
        if self._is_upgrade and status == 101:
            length, self._left, self.is_done = -1, UNKNOWN, False
        elif self._is_head:
            self.is_done = True
        pairs = (line.partition(b":") for line in self._lines)
        fields = [(name.decode("ascii").lower(), _text(value.strip(b" \t"))) for name, _, value in pairs]
        self._told.head_came(status, fields, length)

    def _feed_body(self, data: bytes) -> bytes:
        rest = super()._feed_body(data)
        piece = self._chunks.take() if self._chunks is not None else bytes(self._body)
        self._body.clear()
        if piece:
            self._told.body_came(piece)
        return rest


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
