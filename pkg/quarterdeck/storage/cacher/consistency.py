"""Compares the cache with the store: is every object there, at the same revision, and nothing else?

For each resource a digest of paths and revisions, from the cache and from the store at the same revision. A difference
is counted and told; it means that a read was wrong or will be, so tests treat it as a failure.

Source: apiserver/pkg/storage/cacher/delegator.go (consistencyChecker).
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from quarterdeck.storage import interface
from quarterdeck.storage.cacher.cacher import Cacher
from quarterdeck.storage.cacher.resource import ResourceCache

PERIOD_S: Final = 300.0
JITTER: Final = 0.5
_PAGE: Final = 2000

Row = tuple[str, int]  # path, revision


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`cached` and `stored` hold the rows that the other side lacks."""

    prefix: str
    revision: int
    cached: list[Row]
    stored: list[Row]


class ConsistencyChecker:
    """`mismatched` is called with each difference. `checks` counts by outcome: success, failure, error."""

    def __init__(self, cacher: Cacher, mismatched: Callable[[Mismatch], None], period_s: float = PERIOD_S) -> None:
        self._cacher = cacher
        self._mismatched = mismatched
        self._period_s = period_s
        self.checks = {"success": 0, "failure": 0, "error": 0}

    async def run(self) -> None:
        """Check for ever; ends by cancellation."""
        while True:
            await asyncio.sleep(self._period_s * (1 + JITTER * random.random()))
            for cache in self._cacher.caches():
                await self.check(cache)

    async def check(self, cache: ResourceCache) -> Mismatch | None:
        """Compare one resource now. The store is read in pages; the loop has its turns in between."""
        revision = cache.revision
        cached = [(entry.path, entry.revision) for entry in cache.state.all()]
        try:
            stored = await self._read(cache.prefix, revision)
        except (interface.Compacted, interface.Unavailable):
            self.checks["error"] += 1
            return None
        if _digest(cached) == _digest(stored):
            self.checks["success"] += 1
            return None
        self.checks["failure"] += 1
        mismatch = Mismatch(
            cache.prefix, revision, sorted(set(cached) - set(stored)), sorted(set(stored) - set(cached))
        )
        self._mismatched(mismatch)
        return mismatch

    async def _read(self, prefix: str, revision: int) -> list[Row]:
        rows: list[Row] = []
        start = ""
        while True:
            result = await self._cacher.storage.range(prefix, start_key=start, limit=_PAGE, revision=revision)
            rows += [(item.key[len(prefix) :], item.revision) for item in result.items]
            if not result.remaining:
                return rows
            start = result.items[-1].key + "\0"


def _digest(rows: Iterable[Row]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for path, revision in rows:
        digest.update(f"{path}\0{revision}\n".encode())
    return digest.digest()
