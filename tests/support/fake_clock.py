"""A clock that moves only when a test says so: for queues, their timers and their back-off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class FakeTimer:
    at_s: float
    call: Callable[[str], None]
    key: str
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True


class FakeClock:
    """Begins at 1000 s, in January 2027."""

    def __init__(self) -> None:
        self._now_s = 1000.0
        self.wall_begin_s = 1_800_000_000.0
        self._timers: list[FakeTimer] = []

    def now_s(self) -> float:
        return self._now_s

    def wall_s(self) -> float:
        return self.wall_begin_s + self._now_s

    def call_at(self, at_s: float, call: Callable[[str], None], key: str) -> FakeTimer:
        timer = FakeTimer(at_s, call, key)
        self._timers.append(timer)
        return timer

    def due_s(self) -> list[float]:
        """How long from now the timers that wait fire, soonest first."""
        return sorted(timer.at_s - self._now_s for timer in self._timers if not timer.is_cancelled)

    def advance(self, seconds: float) -> None:
        """Let time pass; what becomes due is called in its order, at its time."""
        end_s = self._now_s + seconds
        while due := [timer for timer in self._timers if not timer.is_cancelled and timer.at_s <= end_s]:
            first = min(due, key=lambda timer: timer.at_s)
            self._timers.remove(first)
            self._now_s = max(self._now_s, first.at_s)
            first.call(first.key)
        self._now_s = end_s
        self._timers = [timer for timer in self._timers if not timer.is_cancelled]
