"""The recent changes of one resource, from which a watch resumes and a list shows the past.

A sliding window: it holds every change after `floor`, oldest first. It grows while its oldest change is younger than
75 s and shrinks when three quarters of it are older, between 100 and 102,400 changes; bytes are bounded as well, many
large objects are packed (packing.py), and what is minutes old goes (aging.py). With a least size of 0 it keeps nothing,
and older states are read from the store.
Source: apiserver/pkg/storage/cacher/watch_cache.go (resizeCacheLocked), watch_cache_history.go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final

from quarterdeck._kernels import watchobject
from quarterdeck.storage.cacher.packing import PACKED_FROM_BYTES, Packer
from quarterdeck.storage.cacher.past import Past

CAPACITY_MIN: Final = 100
CAPACITY_MAX: Final = 102_400
FRESH_S: Final = 75.0
# Differs from upstream: a window of large objects is cut by size too, 100,000 objects of 1.5 MB would not fit anywhere.
BYTES_MAX: int = 256 * 1024 * 1024
# Older revisions that are listed page by page at the same time.
PASTS_MAX: Final = 4


class History:
    """Invariant: changes rise strictly in revision, and every change of the resource after `floor` is among them."""

    __slots__ = (
        "_bytes",
        "_capacity_min",
        "_changes",
        "_packer",
        "_pasts",
        "capacity",
        "decreases",
        "floor",
        "increases",
        "watch_floor",
    )

    def __init__(self, floor: int, capacity_min: int = CAPACITY_MIN) -> None:
        self.floor = floor
        self.watch_floor = 0
        self.capacity = capacity_min
        self.increases = 0
        self.decreases = 0
        self._capacity_min = capacity_min
        self._changes: deque[watchobject.Change] = deque()
        self._bytes = 0
        self._packer: Packer | None = None  # once a large object was superseded
        self._pasts: dict[int, Past] = {}

    def __len__(self) -> int:
        return len(self._changes)

    @property
    def held_bytes(self) -> int:
        """Of what was superseded."""
        return self._bytes

    @property
    def is_off(self) -> bool:
        return not self._capacity_min

    @property
    def resumable_from(self) -> int:
        """The oldest revision that a watch may resume from."""
        return max(self.floor, self.watch_floor)

    def refuse_watches_before(self, revision: int) -> None:
        """Watches resume from this revision on, as if the window began there; lists still see what was before. Without
        a window there is no such bound: the store has all changes."""
        if self._capacity_min:
            self.watch_floor = revision

    def append(self, change: watchobject.Change) -> None:
        """The newest change; the oldest ones go where there is no room, or all where the window is off."""
        if not self._capacity_min:
            self.floor = change.revision
            return
        if len(self._changes) >= self.capacity:
            self._resize(change.at_s)
        while self._changes and (len(self._changes) >= self.capacity or self._bytes > BYTES_MAX):
            self._drop_oldest()
        self._changes.append(change)
        old = change.old
        if old is None:
            return
        self._bytes += _size(change)
        if old.held_bytes >= PACKED_FROM_BYTES:
            if self._packer is None:
                self._packer = Packer(_size)
            self._bytes -= self._packer.add(change)

    def forget(self, revision: int) -> None:
        """The window begins behind this revision."""
        self._changes.clear()
        self._packer = None
        self._bytes = 0
        self._pasts = {}
        self.floor = max(revision, self.floor)

    def drop_older(self, at_s: float, changes_max: int) -> int:
        """Drop what was changed before `at_s`, so many changes at most; how many they were."""
        dropped = 0
        while dropped < changes_max and self._changes and self._changes[0].at_s < at_s:
            self._drop_oldest()
            dropped += 1
        return dropped

    def since(self, revision: int) -> list[watchobject.Change]:
        """The changes after `revision` (≥ floor), oldest first."""
        found = list(self._newest_first(revision))
        found.reverse()
        return found

    def past_at(self, revision: int) -> Past:
        """The state at `revision` (≥ floor), for `follow`. It is kept for the next page of the same list."""
        past = self._pasts.pop(revision, None) or Past(revision)
        self._pasts[revision] = past
        if len(self._pasts) > PASTS_MAX:
            del self._pasts[next(iter(self._pasts))]
        return past

    def follow(self, past: Past, changes_max: int) -> bool | None:
        """Take so many changes into `past`; whether it fits the newest state now. None: changes have been dropped that
        it should have seen."""
        if past.up_to < self.floor:
            return None
        missing = self.since(past.up_to)
        for change in missing[:changes_max]:
            past.add(change)
        return len(missing) <= changes_max

    def _newest_first(self, revision: int) -> Iterator[watchobject.Change]:
        for change in reversed(self._changes):
            if change.revision <= revision:
                return
            yield change

    def _resize(self, now_s: float) -> None:
        oldest_s = self._changes[0].at_s
        if now_s - oldest_s < FRESH_S:
            self._set_capacity(max(min(self.capacity * 2, CAPACITY_MAX), self._capacity_min))
            return
        # The change a quarter from the newest end.
        if now_s - self._changes[len(self._changes) * 3 // 4].at_s > FRESH_S:
            self._set_capacity(max(self.capacity // 2, self._capacity_min))

    def _set_capacity(self, capacity: int) -> None:
        self.increases += capacity > self.capacity
        self.decreases += capacity < self.capacity
        self.capacity = capacity

    def _drop_oldest(self) -> None:
        change = self._changes.popleft()
        self._bytes -= _size(change)
        if self._packer is not None:
            self._packer.drop(change)
        self.floor = change.revision
        if self._pasts:  # states from before the window are not shown any more
            self._pasts = {revision: past for revision, past in self._pasts.items() if revision >= self.floor}


def _size(change: watchobject.Change) -> int:
    """What the window keeps alive by this change: the object that it superseded. The new one lives in the state, until
    a later change supersedes it and counts it. Of a deleted one there is a second copy for those who watch."""
    old = change.old
    if old is None:
        return 0
    return old.held_bytes * 2 if change.entry is None else old.held_bytes
