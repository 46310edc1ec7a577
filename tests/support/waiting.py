"""Waiting for what a test expects of tasks beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PATIENCE_S = 30.0


async def until(is_done: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_done():
            await asyncio.sleep(0.002)
