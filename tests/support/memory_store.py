"""A storage backend that keeps everything in memory, forever or until compacted: what tests of the cache run on.

Slow and obvious. A commit is what was asked for within one turn of the loop.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from quarterdeck.storage.interface import (
    Compacted,
    Corrupt,
    Event,
    FutureRevision,
    KeyExists,
    KeyNotFound,
    KeyValue,
    RangeResult,
    RevisionConflict,
    Sink,
)


class MemoryStore:
    def __init__(self, revision: int = 1) -> None:
        self.revision = revision
        self.lags = False
        self.tell_revision = None
        self.compacted_revision = 0
        self.is_stale = None
        self.log: list[Event] = []
        self._current: dict[str, KeyValue] = {}
        self._sink: Sink | None = None
        self._batch: list[Event] = []
        self._committed: asyncio.Future[None] | None = None

    def subscribe(self, sink: Sink) -> None:
        assert self._sink is None
        self._sink = sink

    async def create(self, key: str, value: bytes, hint: object = None) -> int:
        if key in self._current:
            raise KeyExists(key)
        return await self._write(key, value, True, hint)

    async def current_revision(self) -> int:
        return self.revision

    def seek(self, revision: int) -> bool:
        return True

    async def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> int:
        self._check(key, expected_revision)
        return await self._write(key, value, False, hint)

    async def delete(self, key: str, expected_revision: int, hint: object = None) -> int:
        self._check(key, expected_revision)
        return await self._write(key, None, False, hint)

    def _check(self, key: str, expected: int) -> None:
        current = self._current.get(key)
        if current is None:
            raise KeyNotFound(key)
        if current.revision != expected:
            raise RevisionConflict(key, expected, current.revision)

    async def _write(self, key: str, value: bytes | None, created: bool, hint: object) -> int:
        revision = self.revision + len(self._batch) + 1
        self._batch.append(Event(key, value, revision, created, hint))
        if value is None:
            del self._current[key]
        else:
            create_revision = revision if created else self._current[key].create_revision
            self._current[key] = KeyValue(key, value, revision, create_revision)
        if self._committed is None:
            self._committed = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(self._commit)
        await asyncio.shield(self._committed)
        return revision

    def _commit(self) -> None:
        batch, self._batch = self._batch, []
        committed, self._committed = self._committed, None
        self.log += batch
        self.revision += len(batch)
        if self._sink is not None:
            self._sink(batch, self.revision)
        if committed is not None:
            committed.set_result(None)

    def _at(self, revision: int) -> dict[str, KeyValue]:
        if revision > self.revision:
            raise FutureRevision(revision, self.revision)
        if 0 < revision < self.compacted_revision:
            raise Compacted(revision, self.compacted_revision)
        state: dict[str, KeyValue] = {}
        for event in self.log:
            if revision and event.revision > revision:
                break
            if event.value is None:
                state.pop(event.key, None)
            else:
                before = state.get(event.key)
                created = event.revision if before is None else before.create_revision
                state[event.key] = KeyValue(event.key, event.value, event.revision, created)
        return state

    async def get(self, key: str, revision: int = 0) -> KeyValue | None:
        return self._at(revision).get(key)

    async def range(self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0) -> RangeResult:
        state = self._at(revision)
        keys = sorted(key for key in state if key.startswith(prefix) and key >= start_key)
        chosen = keys[:limit] if limit else keys
        return RangeResult([state[key] for key in chosen], revision or self.revision, len(keys) - len(chosen))

    async def load_all(
        self, batch_rows: int = 1000, corrupt: Callable[[Corrupt], None] | None = None
    ) -> AsyncIterator[list[KeyValue]]:
        found = list(self._at(0).values())
        for start in range(0, len(found), batch_rows):
            yield found[start : start + batch_rows]

    async def events(self, prefix: str, after_revision: int, *, limit: int = 0) -> list[Event]:
        if after_revision < self.compacted_revision:
            raise Compacted(after_revision, self.compacted_revision)
        log: Sequence[Event] = self.log
        found = [e._replace(hint=None) for e in log if e.key.startswith(prefix) and e.revision > after_revision]
        return found[:limit] if limit else found

    async def compact(self, revision: int) -> None:
        if revision > self.revision:
            raise FutureRevision(revision, self.revision)
        if revision <= self.compacted_revision:
            raise Compacted(revision, self.compacted_revision)
        self.compacted_revision = revision

    async def close(self) -> None:
        pass
