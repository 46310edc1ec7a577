"""An event loop whose clock moves only when there is nothing left to do: sleeps and timers take no time, and a test's
course does not hang on the machine's pace.

For code that waits for the loop's own timers and callbacks alone; work in threads would be overtaken by the clock.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    """Where the loop would wait, its clock is put forward."""

    now_s = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        found = super().select(0)
        if not found:
            self.now_s += timeout
        return found


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now_s


def new_runner() -> asyncio.Runner:
    return asyncio.Runner(loop_factory=_Loop)


def run(main: Coroutine[Any, Any, T]) -> T:
    with new_runner() as runner:
        return runner.run(main)
