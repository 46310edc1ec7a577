"""Reads from the database: what a starting cache and requests for older revisions need. Runs on the store's thread.

Each read is a generator of steps: between two steps the thread commits writes. A read sees one revision throughout.
All rows of a statement are fetched before they are looked at: an error whose traceback keeps a statement open would
hold up every checkpoint.

There is no index by key in the file (it would double what a write costs). The newest revision of each key is in memory
(keys.py); the state at an older revision is the newest one with the later writes undone: each row names the revision
that it superseded. That scan is bounded by what compaction keeps.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import islice
from typing import Any, TypeVar, cast

import apsw

from quarterdeck._kernels.storedrows import living
from quarterdeck.storage import interface
from quarterdeck.storage.interface import Corrupt
from quarterdeck.storage.sqlite import format as fmt
from quarterdeck.storage.sqlite.database import State
from quarterdeck.storage.sqlite.keys import Located, Undone, end_of
from quarterdeck.storage.sqlite.scan import resource_of

T = TypeVar("T")
Steps = Generator[None, None, T]

# How many rows one step reads with their values, how many it looks at, and how many keys it puts in order.
_STEP_ROWS = 500
_SCAN_ROWS = 2000
_STEP_KEYS = 1000
# Older revisions that lists are read at side by side without undoing all later writes for each page.
_UNDONE_MAX = 4

_ROW = f"SELECT {fmt.COLUMNS} FROM revisions WHERE revision = ?"
_LATER_KEYS = """
SELECT key, previous_revision FROM revisions WHERE revision > ? AND revision <= ? ORDER BY revision
"""
_LATER_OF_KEY = """
SELECT previous_revision FROM revisions WHERE revision > ? AND revision <= ? AND key = ? ORDER BY revision LIMIT 1
"""
_LATER_ROWS = f"SELECT {fmt.COLUMNS} FROM revisions WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?"
_LATER_BELOW_PREFIX = f"""
SELECT {fmt.COLUMNS} FROM revisions WHERE revision > ? AND revision <= ? AND substr(key, 1, ?) = ? ORDER BY revision
"""


class Reader:
    def __init__(self, connection: apsw.Connection, state: State) -> None:
        self._connection = connection
        self._state = state
        # The pages of one list ask for the same revision again and again.
        self._undone: dict[int, Undone] = {}

    def get(self, key: str, revision: int) -> Steps[interface.KeyValue | None]:
        revision = self._resolve(revision)
        after, later = revision, None
        while later is None and after < self._state.revision:
            end = min(after + _SCAN_ROWS, self._state.revision)
            later = self._connection.execute(_LATER_OF_KEY, (after, end, key)).fetchone()
            after = end
            if later is None and after < self._state.revision:
                yield  # not behind the last piece: what is written meanwhile would not be looked at
        at = self._state.current.revision_of(key) if later is None else cast(int, later[0])
        if not at:
            self._check_missing(key)
            return None
        return self._fetch(revision, [(key, at)])[0]

    def range(self, prefix: str, start_key: str, limit: int, revision: int) -> Steps[interface.RangeResult]:
        revision = self._resolve(revision)
        undone = self._undone_at(revision)
        keys, current = self._state.keys, self._state.current
        start, end = max(prefix, start_key), end_of(prefix)
        self._check_missing(prefix)
        items: list[interface.KeyValue] = []
        while True:
            yield from self._catch_up(undone, in_order=True)
            rows = min(_STEP_ROWS, limit - len(items)) if limit else _STEP_ROWS
            located = list(islice(undone.walk(keys, current, start, end), rows))
            items += self._fetch(revision, located)
            if len(located) < rows:
                self._undone.pop(revision, None)
                return interface.RangeResult(items, revision, 0)
            start = located[-1][0] + "\0"
            if len(items) == limit:
                return interface.RangeResult(items, revision, undone.count(keys, start, end))
            yield

    def load(self, after: int, end: int, rows_max: int) -> Steps[tuple[list[interface.KeyValue], list[Corrupt], int]]:
        """What lives at revision `end`, in the order of its last writes, from those after `after` on.

        Looks at `rows_max` rows; tells which it could not read, and how far it came. One pass over the file, instead of
        one look-up for each key.
        """
        undone = self._undone_at(self._resolve(end))
        yield from self._catch_up(undone, in_order=False)
        rows = self._rows(_LATER_ROWS, after, end, rows_max)
        items, faulty = living(rows, self._state.current, undone.earlier, interface.KeyValue)
        unreadable = [self._fault_of(row) for row in faulty]
        return items, unreadable, end if len(rows) < rows_max else rows[-1][0]

    def _fault_of(self, row: Any) -> Corrupt:
        """What is wrong with a row that is not as it was written."""
        try:
            fmt.verify_row(row)
        except Corrupt as error:
            return Corrupt(error.key, error.detail, is_key_certain=row[0] not in self._state.damaged)
        raise AssertionError("unreachable: the row is as it was written")

    def events(self, prefix: str, after_revision: int, limit: int) -> Steps[list[interface.Event]]:
        end, compacted = self._state.revision, self._state.meta.compacted
        if after_revision < compacted:
            raise interface.Compacted(after_revision, compacted)
        found: list[interface.Event] = []
        for after in range(after_revision, end, _STEP_ROWS):
            window = (after, min(after + _STEP_ROWS, end), len(prefix), prefix)
            for row in self._rows(_LATER_BELOW_PREFIX, *window):
                fmt.verify_row(row)
                found.append(interface.Event(row[1], row[6], row[0], row[3] == 0, None))
            if limit and len(found) >= limit:
                return found[:limit]
            yield
        return found

    def _check_missing(self, key: str) -> None:
        """Raises Corrupt where a record that nobody knows the key of may be one of this key, or below this prefix."""
        for revision, name in self._state.damaged.items():
            resource = resource_of(name)
            is_there = self._state.current.revision_of(name) == revision
            if is_there and (key.startswith(resource) or resource.startswith(key)):
                raise Corrupt(name, "its key is not known", is_key_certain=False)

    def _rows(self, sql: str, *arguments: int | str) -> list[Any]:
        return self._connection.execute(sql, arguments).fetchall()

    def _resolve(self, revision: int) -> int:
        state = self._state
        if revision == 0:
            return state.revision
        if revision > state.revision:
            raise interface.FutureRevision(revision, state.revision)
        if revision < state.meta.compacted:
            raise interface.Compacted(revision, state.meta.compacted)
        return revision

    def _undone_at(self, revision: int) -> Undone:
        """Kept for the next page of the same list."""
        undone = self._undone.pop(revision, None) or Undone(revision)
        self._undone[revision] = undone
        if len(self._undone) > _UNDONE_MAX:
            del self._undone[next(iter(self._undone))]
        return undone

    def _catch_up(self, undone: Undone, *, in_order: bool) -> Steps[None]:
        """Undo the writes so far and, with `in_order`, bring the keys into order.

        Writes go on between the steps, and are followed. What this leaves fits the newest state until the next step.

        Raises Compacted where the writes that are to be undone may have been forgotten meanwhile.
        """
        state = self._state
        while True:
            if undone.revision < state.meta.compacted:
                raise interface.Compacted(undone.revision, state.meta.compacted)
            if undone.up_to < state.revision:
                up_to = min(undone.up_to + _SCAN_ROWS, state.revision)
                undone.add(self._rows(_LATER_KEYS, undone.up_to, up_to), up_to, state.current)
            is_ready = state.keys.update(_STEP_KEYS) if in_order else True
            if is_ready and undone.up_to == state.revision:
                return
            yield

    def _fetch(self, revision: int, located: Sequence[Located]) -> list[interface.KeyValue]:
        rows = cast(list[fmt.Row], self._connection.executemany(_ROW, [(at,) for _, at in located]).fetchall())
        items: list[interface.KeyValue] = []
        for (key, _), row in zip(located, rows, strict=False):
            if row[1] != key:
                break
            fmt.verify_row(row)
            items.append(interface.KeyValue(key, row[6] or b"", row[0], row[2]))
        if len(items) < len(located):
            if revision < self._state.meta.compacted:
                raise interface.Compacted(revision, self._state.meta.compacted)
            raise Corrupt(located[len(items)][0], "the row is missing")
        return items
