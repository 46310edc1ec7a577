"""Turns a batch of writes into one durable commit (group commit). Runs on the store's thread; knows no event loop.

For each write in order: compare-and-swap against the keys' revisions in memory, give it the next revision, make its
row. Then all rows go to SQLite in one transaction. If that fails because the disk is full, the batch is undone as if
it had never come; any other failure means that the outcome is unknown, and is for the caller to stop on.

Source of the semantics: etcd's Txn with a ModRevision comparison, as apiserver/pkg/storage/etcd3/store.go sends it.
"""

from __future__ import annotations

from asyncio import Future
from collections.abc import Sequence
from enum import Enum
from functools import cache
from typing import Final

import apsw

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import format as fmt
from quarterdeck.storage.sqlite.database import PAGE_BYTES, State, roll_back

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_Event: Final = interface.Event

# Rows go in by statements of many rows, because each step of a statement gives up the GIL and has to win it back from
# the event loop: with a busy loop 32 rows took 119 ms one by one (executemany) and 7 ms in one statement.
_STATEMENT_ROWS_MAX = 32

# What a commit logs besides its rows: the last page before it, and two of the tree and of the list of free pages.
_COMMIT_BYTES: Final = 3 * PAGE_BYTES


class Write:
    """One write on its way. `expected` None: the key must not exist. `value` None: delete.

    `size` counts its bytes for the bounds. `outcome` is set by the writer: the new revision, or the error. `future`
    belongs to the event loop's side.
    """

    __slots__ = ("expected", "future", "hint", "key", "outcome", "size", "value")

    def __init__(
        self, key: str, value: bytes | None, expected: int | None, hint: object, size: int, future: Future[int]
    ) -> None:
        self.key = key
        self.value = value
        self.expected = expected
        self.hint = hint
        self.size = size
        self.future = future
        self.outcome: int | interface.StorageError = 0


class Admit(Enum):
    """Which writes are taken, by the space that is left."""

    ALL = 0
    DELETIONS = 1
    NOTHING = 2


@cache
def _insert_sql(rows: int) -> str:
    return f"INSERT INTO revisions ({fmt.COLUMNS}) VALUES " + ",".join(["(?,?,?,?,?,?,?)"] * rows)


class Writer:
    def __init__(self, connection: apsw.Connection, state: State) -> None:
        self._connection = connection
        self._state = state

    def commit(self, writes: Sequence[Write], admit: Admit = Admit.ALL) -> list[interface.Event]:
        """Set every outcome and return the events of the commit, which is durable when this returns.

        apsw.FullError: nothing happened, and no outcome counts. Any other exception: the outcome is unknown.
        """
        state = self._state
        undo: list[tuple[str, tuple[int, int] | None]] = []
        events: list[interface.Event] = []
        values: list[object] = []
        revision = state.revision
        logged_bytes = _COMMIT_BYTES
        current, touched = state.current, state.keys.touched
        for write in writes:
            key, value, expected = write.key, write.value, write.expected
            known = current.get(key)
            if known is None:
                if expected is not None:
                    write.outcome = interface.KeyNotFound(key)
                    continue
                created = previous = 0
            else:
                previous, created = known
                if expected is None:
                    write.outcome = interface.KeyExists(key)
                    continue
                if expected != previous:
                    write.outcome = interface.RevisionConflict(key, expected, previous)
                    continue
            if admit is not Admit.ALL and (value is not None or admit is Admit.NOTHING):
                write.outcome = interface.SpaceExceeded("no space is left for the store")
                continue
            revision += 1
            write.outcome = revision
            undo.append((key, known))
            if touched is not None and (known is None or value is None):
                touched.add(key)
            if value is None:
                current.discard(key)
                created = 0
            else:
                created = created or revision
                current.set(key, revision, created)
            logged_bytes += write.size
            values += fmt.encode_row(revision, key, created, previous, value)
            # A named tuple's own constructor is interpreted.
            events.append(tuple.__new__(_Event, (key, value, revision, expected is None, write.hint)))
        if events:
            try:
                state.mark.reserve(revision)
                self._insert(values, len(events))
            except apsw.FullError:
                self._undo(undo)
                raise
            state.mark.acknowledge(revision)
            state.revision = revision
            state.logged_bytes += logged_bytes
        return events

    def _insert(self, values: list[object], rows: int) -> None:
        execute = self._connection.execute
        if rows <= _STATEMENT_ROWS_MAX:
            execute(_insert_sql(rows), values)
            return
        execute("BEGIN")
        width = len(values) // rows
        for start in range(0, rows, _STATEMENT_ROWS_MAX):
            count = min(_STATEMENT_ROWS_MAX, rows - start)
            execute(_insert_sql(count), values[start * width : (start + count) * width])
        execute("COMMIT")

    def _undo(self, undo: list[tuple[str, tuple[int, int] | None]]) -> None:
        roll_back(self._connection)
        for key, known in reversed(undo):
            if known is None:
                self._state.current.discard(key)
            else:
                self._state.current.set(key, *known)
