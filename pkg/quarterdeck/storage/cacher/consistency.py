"""Compares the cache with the store: is every object there, at the same revision, and nothing else?

Both are walked in key order, page by page, as of one revision. A difference is counted and logged; it means that a read
was wrong or will be, so tests treat it as a failure.

Source: apiserver/pkg/storage/cacher/delegator.go (consistencyChecker), which compares digests of the same rows.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from quarterdeck.storage import interface
from quarterdeck.storage.cacher.cacher import Cacher
from quarterdeck.storage.cacher.resource import ResourceCache

JITTER: Final = 0.5
_PAGE: Final = 1000
# The most rows in a mismatch: more of them add nothing.
ROWS_TOLD_MAX: Final = 100

Row = tuple[str, int]  # path, revision


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`cached` and `stored` hold rows that the other side lacks."""

    prefix: str
    revision: int
    cached: list[Row]
    stored: list[Row]


class ConsistencyChecker:
    """`mismatched` is called with each difference, `checked` with the prefix and the outcome of each check: "success",
    "failure", or "error" where the store could not be asked."""

    def __init__(
        self,
        cacher: Cacher,
        mismatched: Callable[[Mismatch], None],
        checked: Callable[[str, str], None],
        period_s: float,
    ) -> None:
        self._cacher = cacher
        self._mismatched = mismatched
        self._checked = checked
        self._period_s = period_s
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Check again and again; a period of 0 means never."""
        if self._period_s > 0:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._period_s * (1 + JITTER * random.random()))
            for cache in self._cacher.caches():
                await self.check(cache)

    async def check(self, cache: ResourceCache) -> Mismatch | None:
        """Compare one resource now. The loop has its turns between pages."""
        revision = cache.revision
        entries = cache.state.all()
        mismatch = Mismatch(cache.prefix, revision, [], [])
        position, start = 0, ""
        while True:
            try:
                page = await cache.shared.storage.range(cache.prefix, start_key=start, limit=_PAGE, revision=revision)
            except (interface.Compacted, interface.Unavailable, interface.Corrupt):
                self._checked(cache.prefix, "error")
                return None
            stored = [(item.key[len(cache.prefix) :], item.revision) for item in page.items]
            end = position
            last = stored[-1][0] if page.remaining else None
            while end < len(entries) and (last is None or entries[end].path <= last):
                end += 1
            cached = [(entry.path, entry.revision) for entry in entries[position:end]]
            if cached != stored:
                mismatch.cached.extend(sorted(set(cached) - set(stored)))
                mismatch.stored.extend(sorted(set(stored) - set(cached)))
            if last is None:
                break
            position, start = end, page.items[-1].key + "\0"
        if not mismatch.cached and not mismatch.stored:
            self._checked(cache.prefix, "success")
            return None
        del mismatch.cached[ROWS_TOLD_MAX:], mismatch.stored[ROWS_TOLD_MAX:]
        self._checked(cache.prefix, "failure")
        self._mismatched(mismatch)
        return mismatch
