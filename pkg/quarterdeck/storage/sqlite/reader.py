"""Reads from the database: what a starting cache and requests for older revisions need. Runs on the store's thread.

Each read is a generator of steps: between two steps the thread commits writes. A read sees one revision throughout.
All rows of a statement are fetched before they are looked at: an error that leaves a statement open, in the traceback
of who keeps it, would hold up every checkpoint.

There is no index by key (it would double what a write costs). The newest revision of each key is in memory; the state
at an older revision is the newest one with the later writes undone, newest first: each row names the revision that it
superseded. That scan is bounded by what compaction keeps.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeVar, cast

import apsw

from quarterdeck.storage import interface
from quarterdeck.storage.interface import Corrupt
from quarterdeck.storage.sqlite import format as fmt
from quarterdeck.storage.sqlite.database import State

T = TypeVar("T")
Steps = Generator[None, None, T]

Located = tuple[str, int]
"""A key and the revision of the row that holds its value."""

# How many rows one step reads with their values, and how many it looks at.
_STEP_ROWS = 500
_SCAN_ROWS = 2000

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
        # The pages of one list ask for the same prefix and revision again and again.
        self._snapshot: tuple[str, int, list[Located]] = ("", 0, [])

    def get(self, key: str, revision: int) -> Steps[interface.KeyValue | None]:
        revision = self._resolve(revision)
        after, later = revision, None
        while later is None and after < self._state.revision:
            later = self._connection.execute(_LATER_OF_KEY, (after, after + _SCAN_ROWS, key)).fetchone()
            after += _SCAN_ROWS
            yield
        at = self._state.current.get(key, (0, 0))[0] if later is None else cast(int, later[0])
        return self._fetch(revision, [(key, at)])[0] if at else None

    def range(self, prefix: str, start_key: str, limit: int, revision: int) -> Steps[interface.RangeResult]:
        revision = self._resolve(revision)
        located = yield from self._locate(prefix, revision)
        first = _first_at_or_after(located, start_key)
        last = first + limit if limit else len(located)
        items: list[interface.KeyValue] = []
        for start in range(first, min(last, len(located)), _STEP_ROWS):
            yield
            items += self._fetch(revision, located[start : min(start + _STEP_ROWS, last)])
        if last >= len(located):
            self.forget()
        return interface.RangeResult(items, revision, max(0, len(located) - last))

    def load(self, after: int, end: int, rows: int) -> Steps[tuple[list[interface.KeyValue], list[Corrupt], int]]:
        """What lives at revision `end`, in the order of its last writes, from those after `after` on.

        Looks at `rows` rows; tells which it could not read, and how far it came. One pass over the file, instead of
        one look-up for each key.
        """
        earlier = yield from self._undo_later(self._resolve(end))
        current = self._state.current
        missing = (0, 0)
        items: list[interface.KeyValue] = []
        unreadable: list[Corrupt] = []
        for row in self._rows(_LATER_ROWS, after, end, rows):
            after, key, create_revision, _, _, _, value = row
            alive = earlier.get(key)
            if (current.get(key, missing)[0] if alive is None else alive) == after:
                try:
                    fmt.verify_row(row)
                except Corrupt as error:
                    unreadable.append(error)
                else:
                    items.append(interface.KeyValue(key, value or b"", after, create_revision))
            rows -= 1
        return items, unreadable, end if rows else after

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

    def forget(self) -> None:
        self._snapshot = ("", 0, [])

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

    def _undo_later(self, revision: int) -> Steps[dict[str, int]]:
        """For each key written after `revision`: the revision that it had then, 0 if it did not exist.

        Writes go on between the steps, and are followed. The result fits the newest state until the next step.
        """
        earlier: dict[str, int] = {}
        while revision < self._state.revision:
            for key, previous in self._rows(_LATER_KEYS, revision, revision + _SCAN_ROWS):
                earlier.setdefault(key, previous)
            revision += _SCAN_ROWS
            if revision < self._state.revision:
                yield
        return earlier

    def _locate(self, prefix: str, revision: int) -> Steps[list[Located]]:
        if self._snapshot[:2] == (prefix, revision):
            return self._snapshot[2]
        earlier = yield from self._undo_later(revision)
        found = {key: known[0] for key, known in self._state.current.items() if key.startswith(prefix)}
        found |= {key: at for key, at in earlier.items() if key.startswith(prefix)}
        located = sorted(item for item in found.items() if item[1])
        self._snapshot = (prefix, revision, located)
        return located

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


def _first_at_or_after(located: Sequence[Located], start_key: str) -> int:
    low, high = 0, len(located)
    while low < high:
        middle = (low + high) // 2
        if located[middle][0] < start_key:
            low = middle + 1
        else:
            high = middle
    return low
