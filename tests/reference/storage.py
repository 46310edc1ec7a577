"""The storage contract in its most obvious form: a list of all writes ever made. The oracle of the real backends.

Nothing is indexed, nothing is fast; the state at a revision is found by replaying the list up to there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from quarterdeck.storage import interface


@dataclass(frozen=True)
class Entry:
    revision: int
    key: str
    value: bytes | None
    created: bool


class ReferenceStorage:
    def __init__(self, first_revision: int = 100) -> None:
        self.log: list[Entry] = []
        self.revision = self.compacted_revision = first_revision
        self.is_stale = None
        self.lags = False
        self.tell_revision = None
        self._sink: interface.Sink | None = None

    def state(self, revision: int) -> dict[str, interface.KeyValue]:
        alive: dict[str, interface.KeyValue] = {}
        for entry in self.log:
            if entry.revision > revision:
                break
            if entry.value is None:
                del alive[entry.key]
            else:
                created = entry.revision if entry.created else alive[entry.key].create_revision
                alive[entry.key] = interface.KeyValue(entry.key, entry.value, entry.revision, created)
        return dict(sorted(alive.items()))

    async def current_revision(self) -> int:
        return self.revision

    def seek(self, revision: int) -> bool:
        return True

    async def create(self, key: str, value: bytes, hint: object = None) -> int:
        if key in self.state(self.revision):
            raise interface.KeyExists(key)
        return self._append(key, value, True, hint)

    async def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> int:
        self._compare(key, expected_revision)
        return self._append(key, value, False, hint)

    async def delete(self, key: str, expected_revision: int, hint: object = None) -> int:
        self._compare(key, expected_revision)
        return self._append(key, None, False, hint)

    async def get(self, key: str, revision: int = 0) -> interface.KeyValue | None:
        return self.state(self._resolve(revision)).get(key)

    async def range(
        self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0
    ) -> interface.RangeResult:
        revision = self._resolve(revision)
        found = [kv for key, kv in self.state(revision).items() if key.startswith(prefix) and key >= start_key]
        items = found[:limit] if limit else found
        return interface.RangeResult(items, revision, len(found) - len(items))

    async def load_all(
        self, batch_rows: int = 1000, corrupt: Callable[[interface.Corrupt], None] | None = None
    ) -> AsyncIterator[list[interface.KeyValue]]:
        found = list(self.state(self.revision).values())
        for start in range(0, len(found), batch_rows):
            yield found[start : start + batch_rows]

    async def events(self, prefix: str, after_revision: int, *, limit: int = 0) -> list[interface.Event]:
        if after_revision < self.compacted_revision:
            raise interface.Compacted(after_revision, self.compacted_revision)
        found = [
            interface.Event(entry.key, entry.value, entry.revision, entry.created, None)
            for entry in self.log
            if entry.revision > after_revision and entry.key.startswith(prefix)
        ]
        return found[:limit] if limit else found

    def subscribe(self, sink: interface.Sink) -> None:
        self._sink = sink

    async def compact(self, revision: int) -> None:
        if revision > self.revision:
            raise interface.FutureRevision(revision, self.revision)
        if revision <= self.compacted_revision:
            raise interface.Compacted(revision, self.compacted_revision)
        self.compacted_revision = revision

    async def close(self) -> None:
        pass

    def _append(self, key: str, value: bytes | None, created: bool, hint: object) -> int:
        self.revision += 1
        self.log.append(Entry(self.revision, key, value, created))
        if self._sink is not None:
            self._sink([interface.Event(key, value, self.revision, created, hint)], self.revision)
        return self.revision

    def _compare(self, key: str, expected: int) -> None:
        known = self.state(self.revision).get(key)
        if known is None:
            raise interface.KeyNotFound(key)
        if known.revision != expected:
            raise interface.RevisionConflict(key, expected, known.revision)

    def _resolve(self, revision: int) -> int:
        if revision == 0:
            return self.revision
        if revision > self.revision:
            raise interface.FutureRevision(revision, self.revision)
        if revision < self.compacted_revision:
            raise interface.Compacted(revision, self.compacted_revision)
        return revision
