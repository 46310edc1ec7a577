"""The keys of the store in order, now and at an older revision: what a range and its count are read from.

KeyIndex follows the newest state. Writes only list the keys that came or went; a read brings the index up to date, a
bounded step at a time, so that a store that is never read by range pays nothing for its order.

Undone is the difference to an older revision: the state of each key that has been written since. It is kept from page
to page and follows the writes, so that each write is undone once a list and not once a page.

Both are touched on the store's thread only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge

from sortedcontainers import SortedList

from quarterdeck._kernels.keytable import KeyTable

Located = tuple[str, int]
"""A key and the revision of the row that holds its value."""


class KeyIndex:
    """`current` is the store's state by key. `touched`: keys that may have come or gone since `update`; None before the
    index was first asked for. `_unread`: so many of the table's keys, its first ones, have not been looked at since."""

    __slots__ = ("_current", "_keys", "_unread", "touched")

    def __init__(self, current: KeyTable) -> None:
        self._current = current
        self._keys: SortedList[str] = SortedList()
        self._unread = 0
        self.touched: set[str] | None = None

    def update(self, keys_max: int) -> bool:
        """Take in so many keys; whether the index is up to date, which lasts until the next write."""
        if self.touched is None:
            self.touched = set()
            self._unread = len(self._current)
        touched, keys = self.touched, self._keys
        read = self._read(keys_max)
        for _ in range(min(keys_max - read, len(touched))):
            key = touched.pop()
            if key not in self._current:
                keys.discard(key)
            elif key not in keys:
                keys.add(key)
        return not (touched or self._unread)

    def _read(self, keys_max: int) -> int:
        """Take in the last ones of the unread keys, at most so many. From the end on: where a key is removed the last
        one of the table takes its place, and none that moves so is passed over."""
        end = min(self._unread, len(self._current))
        self._unread = max(0, end - keys_max)
        for key in self._current.keys(self._unread, end):
            if key not in self._keys:
                self._keys.add(key)
        return end - self._unread

    def walk(self, start: str, end: str | None) -> Iterator[str]:
        """The keys from `start` on, before `end` (None: all)."""
        found: Iterator[str] = self._keys.irange(start or None, end, (True, False))
        return found

    def count(self, start: str, end: str | None) -> int:
        return _count(self._keys, start, end)


class Undone:
    """The state at `revision`, seen from the newest one. `earlier`: key → the revision that it had then, 0 if it did
    not exist, for each key that has been written since. `up_to`: writes up to this revision are among them.

    Invariant, once `up_to` is the newest revision: `_gone` are the keys that existed then and do not now, `_new` those
    that exist now and did not then.
    """

    __slots__ = ("_gone", "_new", "earlier", "revision", "up_to")

    def __init__(self, revision: int) -> None:
        self.revision = self.up_to = revision
        self.earlier: dict[str, int] = {}
        self._gone: SortedList[str] = SortedList()
        self._new: SortedList[str] = SortedList()

    def add(self, rows: Iterable[Located], up_to: int, current: KeyTable) -> None:
        """`rows`: the writes after the old `up_to`, oldest first: a key and the revision that it had before. A key
        that is written after these as well comes again, so it does no harm that `current` may be ahead of them."""
        self.up_to = up_to
        for key, previous in rows:
            earlier = self.earlier.setdefault(key, previous)
            _set_member(self._gone, key, is_member=earlier != 0 and key not in current)
            _set_member(self._new, key, is_member=earlier == 0 and key in current)

    def walk(self, index: KeyIndex, current: KeyTable, start: str, end: str | None) -> Iterator[Located]:
        """What existed then, in key order."""
        earlier = self.earlier
        for key in merge(index.walk(start, end), self._gone.irange(start or None, end, (True, False))):
            revision = earlier.get(key)
            if revision is None:
                yield key, current.revision_of(key)
            elif revision:
                yield key, revision

    def count(self, index: KeyIndex, start: str, end: str | None) -> int:
        return index.count(start, end) + _count(self._gone, start, end) - _count(self._new, start, end)


def end_of(prefix: str) -> str | None:
    """The first text that is greater than all that begin with `prefix`; None: there is none."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1) if prefix else None


def _set_member(keys: SortedList[str], key: str, *, is_member: bool) -> None:
    if not is_member:
        if keys:
            keys.discard(key)
    elif key not in keys:
        keys.add(key)


def _count(keys: SortedList[str], start: str, end: str | None) -> int:
    first: int = keys.bisect_left(start)
    last: int = len(keys) if end is None else keys.bisect_left(end)
    return max(0, last - first)
