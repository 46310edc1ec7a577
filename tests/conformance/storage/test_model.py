"""The embedded store against the reference, by random histories: same answers, same errors, same feed, also after
restarts and compactions, at every revision."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvloop
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import Limits, SQLiteStorage
from reference.storage import ReferenceStorage
from support.feed import Feed

KEYS = [f"/registry/{resource}/{name}" for resource in ("a", "ab", "b") for name in ("", "x", "x/y", "y", "é", "😀")]

keys = st.sampled_from(KEYS)
prefixes = st.sampled_from(["", "/", "/registry/a", "/registry/a/", "/registry/b/", "/registry/a/x", "/z"])
values = st.binary(max_size=20) | st.integers(1, 3).map(lambda n: b"large" * 1500 * n)
# Small bounds, so that the histories cross them.
LIMITS = Limits(batch_rows_max=3, pending_rows_max=5, checkpoint_bytes=80_000, reserve_bytes=0)

Operation = Callable[[interface.Storage], Awaitable[Any]]


class StorageMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self.model = ReferenceStorage()
        self.model_feed = Feed(self.model.revision)
        self.model.subscribe(self.model_feed)
        self.feed = Feed(self.model.revision)
        self.runner.run(self.open())

    async def open(self) -> None:
        path = Path(self.folder.name) / "store.db"
        self.store = await SQLiteStorage.open(path, limits=LIMITS, compaction_interval_s=0)
        self.store.subscribe(self.feed)

    def teardown(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()
        self.folder.cleanup()

    def compare(self, *operations: Operation) -> None:
        """All at once on the store, one after another on the model: the store keeps the order."""

        async def run(store: interface.Storage) -> list[Any]:
            return await asyncio.gather(*(operation(store) for operation in operations), return_exceptions=True)

        async def run_model() -> list[Any]:
            return [
                (await asyncio.gather(operation(self.model), return_exceptions=True))[0] for operation in operations
            ]

        got, expected = self.runner.run(run(self.store)), self.runner.run(run_model())
        for mine, theirs in zip(got, expected, strict=True):
            if isinstance(theirs, BaseException):
                assert type(mine) is type(theirs), (mine, theirs)
                assert mine.args == theirs.args
            else:
                assert mine == theirs

    def write(self, kind: str, key: str, value: bytes, offset: int) -> Operation:
        if kind == "create":
            return lambda store: store.create(key, value)
        known = self.model.state(self.model.revision).get(key)
        expected = (known.revision if known else self.model.revision) + offset
        if kind == "delete":
            return lambda store: store.delete(key, expected)
        return lambda store: store.update(key, value, expected)

    def revision(self, back: int) -> int:
        return max(1, self.model.revision + 1 - back)

    @rule(key=keys, value=values)
    def create(self, key: str, value: bytes) -> None:
        self.compare(self.write("create", key, value, 0))

    @rule(
        writes=st.lists(
            st.tuples(st.sampled_from(["create", "update", "delete"]), keys, values, st.sampled_from([0, 0, 0, 0, -1])),
            min_size=1,
            max_size=12,
        )
    )
    def write_many(self, writes: list[tuple[str, str, bytes, int]]) -> None:
        self.compare(*(self.write(*write) for write in writes))

    @rule(key=keys, back=st.integers(0, 30), newest=st.booleans())
    def get(self, key: str, back: int, newest: bool) -> None:
        revision = 0 if newest else self.revision(back)
        self.compare(lambda store: store.get(key, revision))

    @rule(prefix=prefixes, start=keys | st.just(""), limit=st.integers(0, 5), back=st.integers(0, 30))
    def range(self, prefix: str, start: str, limit: int, back: int) -> None:
        revision = self.revision(back)
        self.compare(
            lambda store: store.range(prefix, start_key=start, limit=limit, revision=revision),
            lambda store: store.range(prefix, start_key=start, limit=limit),
        )

    @rule(prefix=prefixes, back=st.integers(0, 30), limit=st.integers(0, 5))
    def events(self, prefix: str, back: int, limit: int) -> None:
        revision = self.revision(back)
        self.compare(lambda store: store.events(prefix, revision, limit=limit))

    @rule(rows=st.integers(1, 20))
    def load_all(self, rows: int) -> None:
        async def load(store: interface.Storage) -> list[interface.KeyValue]:
            return sorted([item async for batch in store.load_all(rows) for item in batch])

        self.compare(load)

    @rule(back=st.integers(0, 15))
    def compact(self, back: int) -> None:
        revision = self.revision(back)
        self.compare(lambda store: store.compact(revision))

    @rule()
    def restart(self) -> None:
        async def restart() -> None:
            await self.store.close()
            await self.open()

        self.runner.run(restart())

    @invariant()
    def agree(self) -> None:
        assert self.store.revision == self.model.revision
        assert self.store.compacted_revision == self.model.compacted_revision
        assert self.feed.events == self.model_feed.events


StorageMachine.TestCase.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestStorageMachine = StorageMachine.TestCase
