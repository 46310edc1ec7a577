"""Long work beside the event loop, cut into slices between which other long steps have their turns.

For work that takes seconds and comes as a generator that stops often: as one step it would keep all others waiting.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any, Final, TypeVar

from quarterdeck.apimachinery import offload

# Others' steps take up to a second: with slices much shorter than that this work would hardly get on beside them.
SLICE_S: Final = 0.1

T = TypeVar("T")

_UNFINISHED: Final = object()


class OutOfTime(Exception):
    """The work has not ended within its time."""


async def run(steps: Generator[None, None, T], limit_s: float) -> T:
    """What the generator returns. Raises what it raises; OutOfTime after `limit_s` by the clock."""
    end_s = time.monotonic() + limit_s
    try:
        while time.monotonic() <= end_s:
            result: Any = await offload.run(_run_slice, steps)
            if result is not _UNFINISHED:
                found: T = result
                return found
        raise OutOfTime
    finally:
        # Behind the slice of a request that is gone, which still runs.
        offload.submit(steps.close)


def _run_slice(steps: Generator[None, None, Any]) -> Any:
    """What the generator returns, or `_UNFINISHED`."""
    end_s = time.monotonic() + SLICE_S
    try:
        while time.monotonic() < end_s:
            next(steps)
    except StopIteration as stop:
        return stop.value
    return _UNFINISHED
