"""A clock that stands until it is told to go, and the timers that wait for it (docs/virtual-clock.md).

It counts two times, as a machine does. The time that has passed only grows; timers wait for it. The time of day grows
with it, and can be set besides, to later or earlier, which no timer notices. Both are kept in whole nanoseconds: a
timer that waits for a time of day fires when it is that time, not a rounding before it.
"""

from __future__ import annotations

import asyncio
import heapq
import math
from collections.abc import Awaitable, Callable
from typing import Final

from quarterdeck.apimachinery.time import format_micro, format_rfc3339

_S: Final = 10**9
_US: Final = 10**3
_CANCELLED_MAX: Final = 64
WALL_MIN_S: Final = -62135596800  # 0001-01-01T00:00:00Z
WALL_MAX_S: Final = 253402300799  # 9999-12-31T23:59:59Z

Settle = Callable[[], Awaitable[bool]]


class OutOfRange(ValueError):
    """No time of the API is that early or late. The text is for who asked."""


class VirtualTimer:
    """Ordered by its time, and by when it was asked for."""

    __slots__ = ("_clock", "at_ns", "call", "key", "number")

    def __init__(self, clock: VirtualClock, at_ns: int, call: Callable[[str], None], key: str, number: int) -> None:
        self._clock: VirtualClock | None = clock
        self.at_ns = at_ns
        self.call: Callable[[str], None] | None = call
        self.key = key
        self.number = number

    def __lt__(self, other: VirtualTimer) -> bool:
        return (self.at_ns, self.number) < (other.at_ns, other.number)

    def cancel(self) -> None:
        clock, self._clock, self.call = self._clock, None, None
        if clock is not None:
            clock.note_cancelled()

    def fire(self) -> None:
        call, self._clock, self.call = self.call, None, None
        if call is not None:
            call(self.key)


class VirtualClock:
    """1. `_timers` is a heap. It holds at most as many cancelled timers as others, and _CANCELLED_MAX more.
    2. No timer that waits is due, but while `advance` runs.
    """

    def __init__(self, start_s: float) -> None:
        self._passed_ns = 0
        self._start_ns = _to_ns(start_s)
        self._told_ns = -1
        self._timers: list[VirtualTimer] = []
        self._cancelled = 0
        self._number = 0
        self._turn = asyncio.Lock()
        self._check(self._start_ns)

    # - what is asked

    def now_s(self) -> float:
        """What has passed since the clock was made."""
        return self._passed_ns / _S

    def wall_s(self) -> float:
        return (self._start_ns + self._passed_ns) / _S

    def unique_ns(self) -> int:
        self._told_ns = max(self._told_ns + 1, self._start_ns + self._passed_ns)
        return self._told_ns

    def text(self) -> str:
        """RFC 3339, with a fraction of a second where there is one."""
        wall_ns = self._start_ns + self._passed_ns
        return format_micro(wall_ns / _S) if wall_ns % _S else format_rfc3339(wall_ns // _S)

    def next_s(self) -> float | None:
        """In which time the next timer is due; None where none waits."""
        while self._timers and self._timers[0].call is None:
            heapq.heappop(self._timers)
            self._cancelled -= 1
        return (self._timers[0].at_ns - self._passed_ns) / _S if self._timers else None

    def waiting(self) -> int:
        """How many timers wait."""
        return len(self._timers) - self._cancelled

    # - timers

    def call_at(self, at_s: float, call: Callable[[str], None], key: str) -> VirtualTimer:
        """`at_s` as `now_s` tells it; rounded up, so that it is never called too early."""
        self._number += 1
        timer = VirtualTimer(self, math.ceil(at_s * 1e6 - 1e-3) * _US, call, key, self._number)
        heapq.heappush(self._timers, timer)
        return timer

    def note_cancelled(self) -> None:
        self._cancelled += 1
        if self._cancelled > _CANCELLED_MAX and self._cancelled > len(self._timers) // 2:
            self._timers = [timer for timer in self._timers if timer.call is not None]
            heapq.heapify(self._timers)
            self._cancelled = 0

    # - what is told

    async def advance(self, seconds: float, settle: Settle) -> bool:
        """Let time pass. It stops at each timer on the way, in their order, until `settle` has let what that began come
        to its end. Returns whether it always did. One that is cancelled leaves the time where it is then."""
        async with self._turn:
            end_ns = self._passed_ns + _to_ns(seconds)
            self._check(self._start_ns + end_ns)
            is_settled = await settle()
            while (timer := self._take(end_ns)) is not None:
                self._passed_ns = max(self._passed_ns, timer.at_ns)
                timer.fire()
                is_settled = await settle() and is_settled
            self._passed_ns = end_ns
            return is_settled

    def step(self, seconds: float) -> None:
        """Have the time of day jump, while no time passes."""
        self._set_start(self._start_ns + _to_ns(seconds))

    def set(self, wall_s: float) -> None:
        """Have it jump to a time of day."""
        self._set_start(_to_ns(wall_s) - self._passed_ns)

    def _set_start(self, start_ns: int) -> None:
        self._check(start_ns + self._passed_ns)
        self._start_ns = start_ns

    def _take(self, end_ns: int) -> VirtualTimer | None:
        """The next timer that is due by then."""
        if self.next_s() is None or self._timers[0].at_ns > end_ns:
            return None
        return heapq.heappop(self._timers)

    def _check(self, wall_ns: int) -> None:
        if not WALL_MIN_S * _S <= wall_ns <= WALL_MAX_S * _S:
            raise OutOfRange("the time must be in the years 1 to 9999")


def _to_ns(seconds: float) -> int:
    return round(seconds * 1e6) * _US
