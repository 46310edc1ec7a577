"""The store without threads: what can be done with the open database, one bounded step at a time.

Space: when a commit finds the disk full, the reserve is given up and only deletions are taken, until the reserve can
be laid in again; meanwhile history is forgotten at once instead of after its time, so that deletions do free space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import database
from quarterdeck.storage.sqlite.compaction import Compactor
from quarterdeck.storage.sqlite.limits import Limits
from quarterdeck.storage.sqlite.reader import Reader, Steps
from quarterdeck.storage.sqlite.space import Reserve
from quarterdeck.storage.sqlite.writer import Admit, Write, Writer


class Engine:
    """`compacted` is called with each new compacted revision when it is durable."""

    def __init__(self, path: Path, limits: Limits, vfs: str | None, compacted: Callable[[int], None]) -> None:
        self._limits = limits
        self.connection, self.state = database.open_database(path, vfs)
        self._writer = Writer(self.connection, self.state)
        self.reader = Reader(self.connection, self.state)
        self.compactor = Compactor(self.connection, self.state, compacted)
        self._reserve = Reserve(path.with_name(path.name + "-reserve"), limits.reserve_bytes)
        try:
            self._reserve.hold()
        except OSError:
            self.connection.close(True)
            raise
        self._checkpoint_due_bytes = limits.checkpoint_bytes
        # Whether the last write found no room; the reserve may be back meanwhile.
        self.is_refusing = False
        if self.state.is_doubtful:
            self._skip_reserved()

    @property
    def is_space_short(self) -> bool:
        return not self._reserve.is_held

    def commit(self, batch: Sequence[Write]) -> list[interface.Event]:
        """See Writer.commit; a full disk is dealt with here. Any exception: the outcome is unknown."""
        has_data = self.is_space_short and any(write.value is not None for write in batch)
        has_failed = False
        if self._reserve.is_held or (has_data and self._reserve.hold()):
            try:
                events = self._writer.commit(batch)
                self.is_refusing = self.is_refusing and not events
                return events
            except apsw.FullError:
                has_failed = self.is_refusing = True
                self._reserve.release()
        try:
            events = self._writer.commit(batch, Admit.DELETIONS)
        except apsw.FullError:
            has_failed = True
            events = self._writer.commit(batch, Admit.NOTHING)
        if has_failed and not events:
            self._seal(batch)
        return events

    def _skip_reserved(self) -> None:
        """Go on after all revisions that may have been given out. No gap may stand among the revisions that are kept
        (format.py), so history is forgotten; who resumes a watch is told to list again."""
        state = self.state
        if state.revision > state.meta.compacted:
            for _ in self.compactor.compact(state.revision):
                pass
        else:
            for _ in self.compactor.prune():
                pass
        database.skip(self.connection, state, state.mark.reserved)

    def _seal(self, batch: Sequence[Write]) -> None:
        """Make certain that what was refused for want of space did not happen.

        The failed commit may have left its frames at the end of the log, all but the last one; old bytes of the log
        can complete it by chance, and the next start would take it for a commit. Another commit overwrites it; it has
        to change something, or SQLite writes nothing.
        """
        meta = self.state.meta._replace(refusals=self.state.meta.refusals + 1)
        try:
            with database.transaction(self.connection, self.state, meta):
                pass
        except apsw.FullError:
            for write in batch:
                if isinstance(write.outcome, interface.SpaceExceeded):
                    write.outcome = interface.Unavailable("no space is left for the store, and nothing to settle it")

    def tidy_up(self) -> Steps[None]:
        """What an earlier compaction left over; and everything that can be freed while space is short."""
        state = self.state
        if self.is_space_short and state.revision > state.meta.compacted:
            yield from self.compactor.compact(state.revision)
        else:
            yield from self.compactor.prune()
        if self.is_space_short:
            yield from self.compactor.release_pages(pages_kept=0)
            self._checkpoint(shrink=True)
            self._reserve.hold()

    def checkpoint_if_due(self) -> None:
        if self.state.logged_bytes >= self._checkpoint_due_bytes:
            self._checkpoint()

    def close(self) -> None:
        """Leaves an empty log: one that was copied but is damaged later would undo newer pages of the database."""
        self._checkpoint(shrink=True)
        self.connection.close()
        self.state.mark.close()

    def _checkpoint(self, *, shrink: bool = False) -> None:
        try:
            database.checkpoint(self.connection, self.state, shrink=shrink)
        except apsw.FullError:
            # Nothing is lost, the log keeps it. It is tried again when the log has grown by as much.
            self._checkpoint_due_bytes = self.state.logged_bytes + self._limits.checkpoint_bytes
        else:
            self._checkpoint_due_bytes = self._limits.checkpoint_bytes
