"""A queue of keys for one controller: a key waits once however often it is added, is worked on by one worker at a
time, and comes back later after a failure, later still after each further one.

Source: client-go/util/workqueue (queue.go, default_rate_limiters.go).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

logger = logging.getLogger(__name__)

BACKOFF_FIRST_S: Final = 0.005
BACKOFF_MAX_S: Final = 60.0  # upstream goes up to 1000 s; a small control plane wants to heal sooner


class Controller:
    """Runs `sync(key)` for every key that was added, `workers` keys at once. A failed key comes again.

    Counts what workqueue metrics show: adds, retries, depth.
    """

    def __init__(self, name: str, sync: Callable[[str], Awaitable[None]], workers: int = 1) -> None:
        self.name = name
        self.adds = 0
        self.retries = 0
        self._sync = sync
        self._waiting: dict[str, None] = {}  # in order; a dict because a key waits once
        self._failures: dict[str, int] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._active: set[str] = set()
        self._again: set[str] = set()  # added while they were worked on
        self._wake = asyncio.Event()
        self._workers = workers
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def depth(self) -> int:
        return len(self._waiting)

    @property
    def is_idle(self) -> bool:
        """Nothing waits, is worked on, or comes back later."""
        return not (self._waiting or self._active or self._timers)

    def add(self, key: str) -> None:
        self.adds += 1
        if key in self._active:
            self._again.add(key)
            return
        self._waiting[key] = None
        self._wake.set()

    def add_after(self, key: str, delay_s: float) -> None:
        """A key has one timer at the most: the newest."""
        earlier = self._timers.pop(key, None)
        if earlier is not None:
            earlier.cancel()
        self._timers[key] = asyncio.get_running_loop().call_later(delay_s, self._fire, key)

    def _fire(self, key: str) -> None:
        del self._timers[key]
        self.add(key)

    def start(self) -> None:
        self._tasks = [
            asyncio.create_task(self._run(), name=f"controller {self.name}/{number}") for number in range(self._workers)
        ]

    async def stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            while self._waiting:
                key = next(iter(self._waiting))
                del self._waiting[key]
                self._active.add(key)
                await self._process(key)
                self._active.discard(key)
                if key in self._again:
                    self._again.discard(key)
                    self._waiting[key] = None
            self._wake.clear()
            if not self._waiting:
                await self._wake.wait()

    async def _process(self, key: str) -> None:
        try:
            await self._sync(key)
        except Exception as error:  # noqa: BLE001 - one key's failure must not end the controller
            failures = self._failures.get(key, 0)
            self._failures[key] = failures + 1
            self.retries += 1
            delay_s = min(BACKOFF_FIRST_S * 2 ** min(failures, 32), BACKOFF_MAX_S)
            logger.warning("%s: %s failed, again in %.3f s: %s", self.name, key, delay_s, error)
            self.add_after(key, delay_s)
        else:
            self._failures.pop(key, None)
