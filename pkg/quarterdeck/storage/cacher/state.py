"""The current objects of one resource in key order, and what stood there at an older revision.

Lists order by storage key: the paths "namespace/name" compared as text. Replacing an object does not move it, so only
creations and deletions touch the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import Any

from sortedcontainers import SortedList

from quarterdeck._kernels import watchobject
from quarterdeck.storage.cacher.kept import KeptList
from quarterdeck.storage.cacher.past import Past

# Lists that are kept at once: of everything, and of the namespaces that were listed first since the last change.
KEPT_MAX: int = 4


class State:
    """Invariants: `_paths` holds the keys of `_entries`, in order; `_kept` holds what is there now."""

    __slots__ = ("_entries", "_kept", "_paths")

    def __init__(self) -> None:
        self._entries: dict[str, watchobject.Entry] = {}
        self._paths: SortedList[str] = SortedList()
        self._kept: dict[str, KeptList] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, path: str) -> watchobject.Entry | None:
        return self._entries.get(path)

    def load(self, entries: list[watchobject.Entry]) -> None:
        """Replace everything."""
        self._kept.clear()
        self._entries = {entry.path: entry for entry in entries}
        self._paths = SortedList(self._entries)

    def put(self, entry: watchobject.Entry) -> None:
        self._kept.clear()
        if entry.path not in self._entries:
            self._paths.add(entry.path)
        self._entries[entry.path] = entry

    def remove(self, path: str) -> None:
        self._kept.clear()
        del self._entries[path]
        self._paths.remove(path)

    def keep(self, prefix: str, kept: KeptList) -> None:
        """Hold the whole range of a prefix, as it is now, until something changes."""
        if len(self._kept) < KEPT_MAX:
            self._kept[prefix] = kept

    def kept(self, prefix: str) -> KeptList | None:
        return self._kept.get(prefix)

    def all(self) -> list[watchobject.Entry]:
        """In key order."""
        entries = self._entries
        return [entries[path] for path in self._paths]

    def unordered(self) -> list[watchobject.Entry]:
        return list(self._entries.values())

    def sample(self, count_max: int) -> list[watchobject.Entry]:
        """Some of them."""
        return list(islice(self._entries.values(), count_max))

    def range(self, prefix: str, start: str = "") -> Iterator[watchobject.Entry]:
        """The entries whose paths begin with `prefix`, from `start` on."""
        entries = self._entries
        for path in self._range_paths(prefix, start):
            yield entries[path]

    def range_at(self, past: Past, prefix: str, start: str = "") -> Iterator[watchobject.Entry]:
        """As `range`, at the revision of `past`, which fits this state."""
        if not past.entries:
            yield from self.range(prefix, start)
            return
        older = past.gone_from(max(prefix, start), _end_of(prefix) if prefix else None)
        for path in merge(self._range_paths(prefix, start), older):
            entry = past.entries[path] if path in past.entries else self._entries[path]
            if entry is not None:
                yield entry

    def count(self, prefix: str, start: str = "") -> int:
        return _count(self._paths, prefix, start)

    def count_at(self, past: Past, prefix: str, start: str = "") -> int:
        """As `count`, at the revision of `past`, which fits this state."""
        count = _count(self._paths, prefix, start)
        if past.gone is not None:
            count += _count(past.gone, prefix, start)
        if past.new is not None:
            count -= _count(past.new, prefix, start)
        return count

    def _range_paths(self, prefix: str, start: str) -> Iterator[str]:
        first = max(prefix, start) or None
        found: Iterator[str] = self._paths.irange(first, _end_of(prefix) if prefix else None, (True, False))
        return found


def _end_of(prefix: str) -> str:
    """The first text that is greater than all that begin with `prefix`."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _count(paths: Any, prefix: str, start: str) -> int:
    first: int = paths.bisect_left(max(prefix, start))
    end: int = paths.bisect_left(_end_of(prefix)) if prefix else len(paths)
    return max(0, end - first)
