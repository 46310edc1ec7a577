"""The memory backend's face: writes of one turn of the loop are one commit, with no thread and no file.

Nothing here is durable, and nothing pretends to be: what interface.py says of durability holds for as long as the
process lives. Older revisions can be read within a window (Limits); a list that is continued after it has passed is
told that its token has expired, as after a compaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from quarterdeck.storage import interface
from quarterdeck.storage.backend import Stats
from quarterdeck.storage.memory.state import State

# A client that asks for revision 1 has to be told that it is gone, as by a store that has compacted once.
_FIRST_REVISION: Final = 100


@dataclass(frozen=True, slots=True)
class Limits:
    """`window_*_max`: how many of the newest writes, and how many bytes of them, are kept to read older revisions."""

    value_bytes_max: int = interface.VALUE_BYTES_MAX
    window_rows_max: int = 20_000
    window_bytes_max: int = 64 << 20


def new_state() -> State:
    """Of a store in which nothing has been written."""
    return State(_FIRST_REVISION)


class _Write(NamedTuple):
    key: str
    value: bytes | None
    expected: int | None
    """None: the key must not exist."""
    hint: object
    future: asyncio.Future[int]


class MemoryStorage:
    """A storage backend in memory; see interface.Storage for the meaning of each method. `on_fatal` is called once,
    when the sink has failed and nothing more is acknowledged. `state`: what it begins with."""

    kind: Final = "memory"

    def __init__(
        self,
        limits: Limits | None = None,
        on_fatal: Callable[[BaseException], None] | None = None,
        state: State | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._limits = limits or Limits()
        self._on_fatal = on_fatal
        self._state = state or new_state()
        self._outbox: list[_Write] = []
        self._sink: interface.Sink | None = None
        self._commits = self._rows = 0
        self._stopped: interface.Unavailable | None = None

    @property
    def lags(self) -> bool:
        return False

    @property
    def state(self) -> State:
        """Up to the last commit. To be forked, not to be written."""
        return self._state

    @property
    def revision(self) -> int:
        return self._state.revision

    async def current_revision(self) -> int:
        return self._state.revision

    @property
    def tell_revision(self) -> None:
        return None

    def seek(self, revision: int) -> bool:
        return True

    @property
    def compacted_revision(self) -> int:
        return self._state.compacted

    @property
    def is_stale(self) -> None:
        """Values are stored as they are given."""
        return None

    @property
    def is_available(self) -> bool:
        return self._stopped is None

    @property
    def is_space_short(self) -> bool:
        return False

    def stats(self) -> Stats:
        pending_bytes = sum(len(write.value or b"") for write in self._outbox)
        size = self._state.value_bytes + self._state.logged_bytes
        return Stats(self._commits, self._rows, len(self._outbox), pending_bytes, size)

    def subscribe(self, sink: interface.Sink) -> None:
        self._sink = sink

    def create(self, key: str, value: bytes, hint: object = None) -> Awaitable[int]:
        return self._write(key, value, None, hint)

    def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> Awaitable[int]:
        return self._write(key, value, expected_revision, hint)

    def delete(self, key: str, expected_revision: int, hint: object = None) -> Awaitable[int]:
        return self._write(key, None, expected_revision, hint)

    async def get(self, key: str, revision: int = 0) -> interface.KeyValue | None:
        state = self._check()
        if self._resolve(revision) != state.revision:
            for event, before in state.since(revision):
                if event.key == key:
                    return before
        return state.current.get(key)

    async def range(
        self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0
    ) -> interface.RangeResult:
        state = self._check()
        revision = self._resolve(revision)
        earlier = state.undo(revision)
        start, end = max(prefix, start_key), _end_of(prefix)
        items = list(islice(state.walk(start, end, earlier), limit or None))
        remaining = state.count(start, end, earlier) - len(items) if limit else 0
        return interface.RangeResult(items, revision, remaining)

    async def load_all(
        self, batch_rows: int = 1000, corrupt: Callable[[interface.Corrupt], None] | None = None
    ) -> AsyncIterator[list[interface.KeyValue]]:
        found = list(self._check().current.values())
        for start in range(0, len(found), batch_rows):
            yield found[start : start + batch_rows]
            await asyncio.sleep(0)

    async def events(self, prefix: str, after_revision: int, *, limit: int = 0) -> list[interface.Event]:
        state = self._check()
        if after_revision < state.compacted:
            raise interface.Compacted(after_revision, state.compacted)
        found: list[interface.Event] = []
        for event, _ in state.since(after_revision):
            if event.key.startswith(prefix):
                found.append(event)
                if len(found) == limit:
                    break
        return found

    async def compact(self, revision: int) -> None:
        state = self._check()
        if revision > state.revision:
            raise interface.FutureRevision(revision, state.revision)
        if revision <= state.compacted:
            raise interface.Compacted(revision, state.compacted)
        state.forget(revision)

    async def close(self) -> None:
        self._commit()
        self._stopped = self._stopped or interface.Unavailable("the store is closed")

    def _check(self) -> State:
        if self._stopped is not None:
            raise interface.Unavailable(str(self._stopped))
        return self._state

    def _resolve(self, revision: int) -> int:
        state = self._state
        if revision > state.revision:
            raise interface.FutureRevision(revision, state.revision)
        if 0 < revision < state.compacted:
            raise interface.Compacted(revision, state.compacted)
        return revision or state.revision

    def _write(self, key: str, value: bytes | None, expected: int | None, hint: object) -> asyncio.Future[int]:
        future: asyncio.Future[int] = self._loop.create_future()
        if value is not None and len(value) > self._limits.value_bytes_max:
            text = f"{key} has {len(value)} bytes, at most {self._limits.value_bytes_max} are taken"
            future.set_exception(interface.TooLarge(text))
        elif self._stopped is not None:
            future.set_exception(interface.Unavailable(str(self._stopped)))
        else:
            if not self._outbox:
                self._loop.call_soon(self._commit)
            self._outbox.append(_Write(key, value, expected, hint, future))
        return future

    def _commit(self) -> None:
        """All that was asked for since the last turn: the sink is told first, then the writers."""
        writes, self._outbox = self._outbox, []
        if not writes:
            return
        events: list[interface.Event] = []
        outcomes = [self._apply(write, events) for write in writes]
        error: interface.Unavailable | None = None
        if events:
            self._commits += 1
            self._rows += len(events)
            self._state.shorten(self._limits.window_rows_max, self._limits.window_bytes_max)
            if self._sink is not None:
                try:
                    self._sink(events, self._state.revision)
                except Exception as failure:  # noqa: BLE001 - a bug of the sink: nothing after it can be trusted
                    error = self._stop(failure)
        for write, outcome in zip(writes, outcomes, strict=True):
            if write.future.done():  # cancelled: no one waits for it, but it happened
                continue
            if error is not None:
                write.future.set_exception(error)
            elif isinstance(outcome, int):
                write.future.set_result(outcome)
            else:
                write.future.set_exception(outcome)

    def _apply(self, write: _Write, events: list[interface.Event]) -> int | interface.StorageError:
        known = self._state.current.get(write.key)
        if write.expected is None:
            if known is not None:
                return interface.KeyExists(write.key)
        elif known is None:
            return interface.KeyNotFound(write.key)
        elif known.revision != write.expected:
            return interface.RevisionConflict(write.key, write.expected, known.revision)
        event = self._state.write(write.key, write.value)
        events.append(event._replace(hint=write.hint))
        return event.revision

    def _stop(self, failure: Exception) -> interface.Unavailable:
        self._stopped = interface.Unavailable(f"the store has stopped: {failure}")
        if self._on_fatal is not None:
            self._on_fatal(failure)
        return self._stopped


def _end_of(prefix: str) -> str | None:
    """The first text that is greater than all that begin with `prefix`; None: there is none."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1) if prefix else None
