"""The store's state at its newest revision, and the way back to older ones.

`current` holds what lives, `keys` the same keys in order. `log` holds the newest writes, each with what it replaced, so
that an older state is the newest one with the writes since undone: reading costs as many steps as the window has
writes, keeping costs nothing beside the reference to the old value.

Invariants:
1. The log is in revision order, without gaps, and ends with the newest revision.
2. `compacted` is the revision before the log's first one: that state is the oldest that can still be told.
3. Everything in it is immutable and held by reference, so that a copy of the three containers is a state of its own
   that shares every object, value and event with this one.
4. Where `settled` is the newest revision, who worked on this state had nothing left to do; else that is not known.
5. A fork shares the containers themselves, until one of those that hold them is written: that one copies them first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import NamedTuple

from sortedcontainers import SortedList

from quarterdeck.storage.interface import Event, KeyValue


class LogRecord(NamedTuple):
    """One write. `before`: what the key held; None: nothing."""

    event: Event
    before: KeyValue | None


class State:
    """`revision` is the newest one; `value_bytes` and `logged_bytes` count values that live and those of the log."""

    __slots__ = (
        "_is_shared",
        "compacted",
        "current",
        "keys",
        "log",
        "logged_bytes",
        "revision",
        "settled",
        "value_bytes",
    )

    def __init__(self, revision: int) -> None:
        self.revision = self.compacted = revision
        self.settled = -1
        self.current: dict[str, KeyValue] = {}
        self.keys: SortedList[str] = SortedList()
        self.log: deque[LogRecord] = deque()
        self.value_bytes = self.logged_bytes = 0
        self._is_shared = False

    def fork(self) -> State:
        """A state of its own with the same past: as quick for many objects as for none. Whichever is written first
        pays for it, a copy of references."""
        forked = State(self.revision)
        forked.compacted, forked.settled = self.compacted, self.settled
        forked.current, forked.keys, forked.log = self.current, self.keys, self.log
        forked.value_bytes, forked.logged_bytes = self.value_bytes, self.logged_bytes
        self._is_shared = forked._is_shared = True
        return forked

    def restored(self, above: int) -> State:
        """A fork that continues after revision `above`, and whose past cannot be told: what was written meanwhile has
        never been, and no revision means two things."""
        restored = self.snapshot()
        is_settled = restored.is_settled
        restored.revision = restored.compacted = max(above, self.revision) + 1
        restored.note_settled(is_settled)
        return restored

    def snapshot(self) -> State:
        """A fork whose past cannot be told, and does not take up room."""
        snapshot = self.fork()
        snapshot.compacted = self.revision
        snapshot.log, snapshot.logged_bytes = deque(), 0
        return snapshot

    @property
    def is_settled(self) -> bool:
        return self.settled == self.revision

    def note_settled(self, is_settled: bool) -> None:
        self.settled = self.revision if is_settled else -1

    def _own(self) -> None:
        """Before the containers are changed."""
        if self._is_shared:
            self.current, self.keys, self.log = self.current.copy(), self.keys.copy(), self.log.copy()
            self._is_shared = False

    def write(self, key: str, value: bytes | None) -> Event:
        """The next revision; `value` None removes a key, which has to be there."""
        self._own()
        self.revision = revision = self.revision + 1
        before = self.current.get(key)
        event = Event(key, value, revision, before is None, None)
        if value is None:
            del self.current[key]
            self.keys.remove(key)
        else:
            if before is None:
                self.keys.add(key)
            self.current[key] = KeyValue(key, value, revision, before.create_revision if before else revision)
            self.value_bytes += len(value)
        if before is not None:
            self.value_bytes -= len(before.value)
        self.log.append(LogRecord(event, before))
        self.logged_bytes += _size(event)
        return event

    def forget(self, revision: int) -> None:
        """What was superseded at or before `revision`."""
        self._own()
        while self.log and self.log[0].event.revision <= revision:
            self.logged_bytes -= _size(self.log.popleft().event)
        self.compacted = max(self.compacted, revision)

    def shorten(self, rows_max: int, bytes_max: int) -> None:
        """Forget the oldest writes until the log is no longer than that; the last one stays."""
        while len(self.log) > rows_max or (self.logged_bytes > bytes_max and len(self.log) > 1):
            self.forget(self.log[0].event.revision)

    def since(self, revision: int) -> Iterator[LogRecord]:
        """The writes after `revision`, which is not below `compacted`; oldest first."""
        return islice(self.log, max(0, revision - self.compacted), None)

    def undo(self, revision: int) -> dict[str, KeyValue | None]:
        """What the keys held at `revision` that were written since; None: nothing."""
        earlier: dict[str, KeyValue | None] = {}
        for event, before in self.since(revision):
            earlier.setdefault(event.key, before)
        return earlier

    def walk(self, start: str, end: str | None, earlier: dict[str, KeyValue | None]) -> Iterator[KeyValue]:
        """What lies from `start` on, before `end` (None: all), in key order; `earlier` is laid over it."""
        current = self.current
        keys: Iterator[str] = self.keys.irange(start or None, end, (True, False))
        if not earlier:
            yield from (current[key] for key in keys)
            return
        gone = sorted(
            key
            for key, before in earlier.items()
            if before is not None and key not in current and key >= start and (end is None or key < end)
        )
        for key in merge(keys, gone):
            found = earlier[key] if key in earlier else current[key]
            if found is not None:
                yield found

    def count(self, start: str, end: str | None, earlier: dict[str, KeyValue | None]) -> int:
        """How many `walk` gives, without walking."""
        last: int = len(self.keys) if end is None else self.keys.bisect_left(end)
        first: int = self.keys.bisect_left(start)
        changed = sum(
            (before is not None) - (key in self.current)
            for key, before in earlier.items()
            if key >= start and (end is None or key < end)
        )
        return max(0, last - first) + changed


def _size(event: Event) -> int:
    return len(event.key) + len(event.value or b"")
