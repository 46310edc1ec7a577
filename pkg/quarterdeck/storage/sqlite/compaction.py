"""Forgetting: removes superseded rows and tombstones in small transactions, so that no write waits long for one.

Each row names the revision that it superseded. So what goes with a compaction to revision R are the rows that the
writes in (pruned, R] name, and the tombstones among these writes: no index and no scan of the living keys is needed.

`compacted` rises first and at once (reads below it fail from then on); `pruned` follows piece by piece, and a start
takes up what was left over. Freed pages are used again by later writes; when much is free it is given back to the disk.

Source of the schedule: apiserver/pkg/storage/etcd3/compact.go (every 5 minutes, to where the store was 5 minutes ago).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import cast

import apsw

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import format as fmt
from quarterdeck.storage.sqlite.database import PAGE_BYTES, State, transaction
from quarterdeck.storage.sqlite.reader import Steps

_log = logging.getLogger(__name__)

# Measured with rows of 1.5 KB: a piece takes 1 ms, and a checkpoint after ten pieces 25 ms when the rows are spread
# over the whole file, 1 ms when they are not. Twice the piece saves 5 % of the CPU.
_PIECE_ROWS = 100
_VACUUM_PAGES = 200
# Less than this much free space is kept for the next writes; so is a quarter of the file.
_FREE_PAGES_KEPT = 2000

_HEADS = f"SELECT {fmt.HEAD_COLUMNS} FROM revisions WHERE revision > ? AND revision <= ? ORDER BY revision"


class Compactor:
    """`published` is called with the new compacted revision as soon as that is durable."""

    def __init__(self, connection: apsw.Connection, state: State, published: Callable[[int], None]) -> None:
        self._connection = connection
        self._state = state
        self._published = published

    def compact(self, revision: int) -> Steps[None]:
        state = self._state
        if revision > state.revision:
            raise interface.FutureRevision(revision, state.revision)
        if revision <= state.meta.compacted:
            raise interface.Compacted(revision, state.meta.compacted)
        with transaction(self._connection, state, state.meta._replace(compacted=revision)):
            pass
        self._published(revision)
        yield
        yield from self.prune()

    def prune(self) -> Steps[None]:
        """Remove what the compacted revision made superfluous, then give back free pages."""
        meta = self._state.meta
        while meta.pruned < meta.compacted:
            self._prune_piece(min(meta.pruned + _PIECE_ROWS, meta.compacted))
            yield
            meta = self._state.meta
        yield from self.release_pages(max(_FREE_PAGES_KEPT, self._connection.pragma("page_count") // 4))

    def release_pages(self, pages_kept: int) -> Steps[None]:
        """Return free pages beyond `pages_kept` back to the disk; the file shrinks with the next checkpoint."""
        while (free := self._connection.pragma("freelist_count")) > pages_kept:
            pages = min(free - pages_kept, _VACUUM_PAGES)
            self._connection.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
            self._state.logged_bytes += 2 * pages * PAGE_BYTES
            yield

    def _prune_piece(self, end: int) -> None:
        meta = self._state.meta
        heads = cast(list[fmt.Head], self._connection.execute(_HEADS, (meta.pruned, end)).fetchall())
        gone: list[int] = []
        for head in heads:
            fmt.verify_head(head)
            revision, _, _, previous, _, length = head
            if previous:
                gone.append(previous)
            if length is None:
                gone.append(revision)
        survivors = meta.survivors + len(heads) - len(gone)
        with transaction(self._connection, self._state, meta._replace(pruned=end, survivors=survivors)):
            if gone:
                marks = ",".join("?" * len(gone))
                self._connection.execute(f"DELETE FROM revisions WHERE revision IN ({marks})", gone)
                if self._connection.changes() != len(gone):
                    raise interface.Corrupt("revisions", f"rows superseded up to revision {end} are missing")
        self._state.logged_bytes += len(gone) * PAGE_BYTES


async def compact_periodically(storage: interface.Storage, interval_s: float) -> None:
    """Every interval, forget what was superseded before the one before. Ends with the store."""
    revision = storage.revision
    while True:
        await asyncio.sleep(interval_s)
        revision, target = storage.revision, revision
        if target <= storage.compacted_revision:
            continue
        try:
            await storage.compact(target)
        except interface.Unavailable:
            return
        except interface.StorageError as error:
            _log.warning("history is not compacted now: %s", error)
