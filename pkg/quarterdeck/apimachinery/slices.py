"""Long work on the event loop, cut into slices between which everything else has its turn.

For work that cannot leave the loop's thread and comes as a generator that stops often. However much of it there is at
once, one slice runs in a turn of the loop, so that a turn is never longer than a slice; the works take turns.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from functools import partial
from typing import Final, TypeVar

from quarterdeck._kernels import longsteps

SLICE_S: Final = 0.005

T = TypeVar("T")


class OutOfTime(Exception):
    """The work has not ended within its time."""


def _run_slice(steps: Generator[None, None, object], end_s: float) -> None:
    """Raises StopIteration where the generator returns. What is built is large: it is allocated as in a long step."""
    while time.monotonic() < end_s:
        next(steps)


class Slices:
    def __init__(self) -> None:
        self._turn = asyncio.Lock()  # first come, first served

    async def run(self, steps: Generator[None, None, T], limit_s: float) -> T:
        """What the generator returns. Raises what it raises; OutOfTime after `limit_s` by the clock."""
        end_s = time.monotonic() + limit_s
        try:
            while True:
                async with self._turn:
                    now_s = time.monotonic()
                    if now_s > end_s:
                        raise OutOfTime
                    try:
                        longsteps.run(partial(_run_slice, steps, now_s + SLICE_S))
                    except StopIteration as stop:
                        result: T = stop.value
                        return result
                    await asyncio.sleep(0)
        finally:
            steps.close()
