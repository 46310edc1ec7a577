"""How many requests execute and wait on all levels together, those that read and those that write, over time.

Source: apiserver/pkg/server/filters/priority-and-fairness.go (waitingMark), maxinflight.go (watermark).
"""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.metrics.registry import Utilization


class Kinds:
    """`usage` is told of executing and waiting ones that read, then of those that write. What is answered at once is
    not counted: it uses nothing for any time."""

    __slots__ = ("_clock", "_executing", "_executing_writes", "_usage", "_waiting", "_waiting_writes")

    def __init__(self, usage: Utilization, clock: Callable[[], float]) -> None:
        self._usage = usage
        self._clock = clock
        self._executing = self._executing_writes = self._waiting = self._waiting_writes = 0

    def execute(self, change: int, now_s: float, *, is_write: bool) -> None:
        """So many more, from now on."""
        if is_write:
            self._executing_writes += change
        else:
            self._executing += change
        self._note(now_s)

    def wait(self, change: int, now_s: float, *, is_write: bool) -> None:
        if is_write:
            self._waiting_writes += change
        else:
            self._waiting += change
        self._note(now_s)

    def note(self) -> None:
        """Of the time until now."""
        self._note(self._clock())

    def _note(self, now_s: float) -> None:
        self._usage.note(self._executing, self._waiting, self._executing_writes, self._waiting_writes, now_s)

    def bound(self, executing: int, waiting: int) -> None:
        """How many there may be."""
        most, places = max(executing, 1), max(waiting, 1)
        self._usage.bound(most, places, most, places, self._clock())
