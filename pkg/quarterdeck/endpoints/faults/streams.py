"""Answers that break off, and watches that are spoilt."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints import watch_events
from quarterdeck.endpoints.watch_events import Events, TappedStream, TapWriter
from quarterdeck.faults.actions import Ending, Watch
from quarterdeck.faults.rule import Rule
from quarterdeck.transport.messages import Response, Stream, StreamWriter

_GONE: Final = "The resourceVersion for the provided watch is too old."
_HELD_MAX: Final = 1000  # events that are held back, before the watch is


def break_off(answer: Response, body: bytes) -> Stream:
    """The head of an answer, half of its body, and no more."""
    return _BrokenStream(answer, body[: len(body) // 2])


class _BrokenStream(Stream):
    __slots__ = ("_sent",)

    def __init__(self, answer: Response, sent: bytes) -> None:
        Stream.__init__(self, answer.status, answer.headers)
        self._sent = sent

    def opened(self, writer: StreamWriter) -> None:
        if self._sent:
            writer.write(self._sent)
        _soon(writer)

    def closed(self) -> None:
        """There is nothing to be freed."""


def _soon(writer: StreamWriter) -> None:
    """Cut the connection when what was written has left: the loop writes it at the end of a turn."""
    loop = asyncio.get_running_loop()
    loop.call_soon(loop.call_soon, writer.abort)


class SpoilingStream(TappedStream):
    __slots__ = ("_action", "_content_type", "_rule", "_spoiling")

    def __init__(self, stream: Response, rule: Rule, action: Watch) -> None:
        assert isinstance(stream, Stream)
        super().__init__(stream, self._begin)
        self._content_type = watch_events.content_type_of(stream)
        self._rule, self._action = rule, action
        self._spoiling: _SpoilingWriter | None = None

    def _begin(self, writer: StreamWriter) -> StreamWriter:
        self._spoiling = _SpoilingWriter(writer, self, Events(self._content_type), self._rule, self._action)
        self._spoiling.begin()
        return self._spoiling

    def closed(self) -> None:
        if self._spoiling is not None:
            self._spoiling.close()
            self._spoiling = None
        super().closed()


class _SpoilingWriter(TapWriter):
    """`_held`: events, each with the time from which it may go."""

    def __init__(self, writer: StreamWriter, stream: Stream, events: Events, rule: Rule, action: Watch) -> None:
        super().__init__(writer)
        self._stream = stream
        self._events = events
        self._rule = rule
        self._action = action
        self._left = action.events
        self._has_fired = False
        self._is_over = False
        self._is_ending = False
        self._loop = asyncio.get_running_loop()
        self._held: deque[tuple[float, bytes]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        if self._left == 0:
            self._loop.call_soon(self._end_it)

    @property
    def is_paused(self) -> bool:
        return self._is_over or len(self._held) >= _HELD_MAX or self._writer.is_paused

    def take(self, data: bytes) -> None:
        for event in self._events.split(data):
            if self._is_over:
                return
            is_bookmark = self._events.is_bookmark(event)
            if is_bookmark and not self._action.has_bookmarks:
                self._fire()
            elif self._action.late_s:
                self._fire()
                self._held.append((self._loop.time() + self._action.late_s, event))
                self._wait()
            else:
                self._send(event)

    def _send(self, event: bytes) -> None:
        if self._left == 0:
            return
        self._writer.write(event)
        if self._left is not None and not self._events.is_bookmark(event):
            self._left -= 1
            if self._left == 0:
                self._end_it()

    def _wait(self) -> None:
        if self._timer is None and self._held:
            self._timer = self._loop.call_at(self._held[0][0], self._release)

    def _release(self) -> None:
        self._timer = None
        was_full = len(self._held) >= _HELD_MAX
        while self._held and self._held[0][0] <= self._loop.time() and not self._is_over:
            self._send(self._held.popleft()[1])
        self._wait()
        if self._is_ending and not self._held:
            self._writer.end()
        elif was_full and not self.is_paused:
            self._stream.resumed()

    def _end_it(self) -> None:
        if self._is_over:
            return
        self._fire()
        self._is_over = True
        self._held.clear()
        if self._action.ending == Ending.GONE:
            self._writer.write(self._events.frame_error(errors.Expired(_GONE)))
        if self._action.ending == Ending.CUT:
            _soon(self._writer)
        else:
            self._loop.call_soon(self._writer.end)

    def _fire(self) -> None:
        """Counts once a watch."""
        if not self._has_fired:
            self._has_fired = True
            self._rule.fired += 1

    def end(self) -> None:
        """What is held back still goes first."""
        self._is_ending = True
        if not self._held and not self._is_over:
            self._writer.end()

    def close(self) -> None:
        self._is_over = True
        self._held.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
