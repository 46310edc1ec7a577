"""Waiting for what a test expects of tasks beside it, or of another process. A deadline only ends what hangs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_S = 120.0
# Other processes start, read files again and make connections, on a machine that may have more to do.
PROCESS_PATIENCE_S = 240.0


async def until(is_done: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_done():
            await asyncio.sleep(0.002)


def wait_for(look: Callable[[], T], tell: Callable[[], object] = str, *, patience_s: float = PROCESS_PATIENCE_S) -> T:
    """The first answer of `look` that is true; `tell` says what the failure shows where there is none in time."""
    end_s = time.monotonic() + patience_s
    while not (found := look()):
        assert time.monotonic() < end_s, tell()
        time.sleep(0.02)
    return found
