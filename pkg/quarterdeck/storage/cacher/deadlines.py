"""One timer for all watches: bookmarks that are due and deadlines, in buckets of a quarter of a second.

Thousands of watches would each hold a timer of the loop; here a watch costs a place in a dict, and a closed one is
taken out at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

BUCKET_S: Final = 0.25

T = TypeVar("T", bound=Hashable)


class Deadlines(Generic[T]):
    """`expired` gets what is due, at most BUCKET_S late and never early."""

    def __init__(self, expired: Callable[[list[T]], None]) -> None:
        self._expired = expired
        self._buckets: dict[int, dict[T, None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._done = 0  # all buckets up to this one have been looked at

    def add(self, item: T, at_s: float) -> int:
        """Returns the bucket, which `remove` asks for. `at_s` is of the loop's clock."""
        if self._timer is None:
            self._start()
            self._done = int(asyncio.get_running_loop().time() / BUCKET_S)
        bucket = max(int(at_s / BUCKET_S), self._done) + 1
        items = self._buckets.get(bucket)
        if items is None:
            items = self._buckets[bucket] = {}
        items[item] = None
        return bucket

    def remove(self, item: T, bucket: int) -> None:
        items = self._buckets.get(bucket)
        if items is not None:
            items.pop(item, None)
            if not items:
                del self._buckets[bucket]

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._buckets.clear()

    def _start(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(BUCKET_S, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now = int(asyncio.get_running_loop().time() / BUCKET_S)
        due: list[T] = []
        for bucket in range(self._done + 1, now + 1):
            due += self._buckets.pop(bucket, ())
        self._done = now
        if self._buckets:
            self._start()
        if due:
            self._expired(due)
