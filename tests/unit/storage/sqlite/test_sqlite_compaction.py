"""Compaction at work: in pieces, by itself, taken up after a restart, and space is used again."""

from __future__ import annotations

import asyncio
from pathlib import Path

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import SQLiteStorage
from quarterdeck.storage.sqlite.compaction import compact_periodically
from reference.storage import ReferenceStorage
from support.engines import finish, open_engine, read_all, write_of
from support.waiting import PATIENCE_S, until


async def test_writes_and_reads_go_on_during_a_long_compaction(tmp_path: Path) -> None:
    store = await SQLiteStorage.open(tmp_path / "store.db", compaction_interval_s=0)
    made = await asyncio.gather(*(store.create(f"/registry/pods/{number}", b"x" * 1500) for number in range(3000)))
    await asyncio.gather(
        *(store.update(f"/registry/pods/{number}", b"y", revision) for number, revision in enumerate(made))
    )
    compaction = asyncio.ensure_future(store.compact(store.revision))
    written = 0
    while not compaction.done():
        await store.create(f"/registry/new/{written}", b"x")
        assert await store.get(f"/registry/new/{written}") is not None
        written += 1
    assert written >= 5, "the compaction held up the writes"
    assert len((await store.range("/registry/pods/")).items) == 3000
    await store.close()


async def test_a_compaction_that_was_cut_off_is_taken_up(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    engine = open_engine(path)
    for number in range(1000):
        expected = engine.state.revision if number else None
        engine.commit([write_of("/a", b"%d" % number, expected)])
    steps = engine.compactor.compact(engine.state.revision)
    next(steps)
    next(steps)
    meta = engine.state.meta
    assert meta.pruned < meta.compacted == engine.state.revision
    rows = engine.connection.execute("SELECT count(*) FROM revisions").get
    engine.close()
    engine = open_engine(path)
    assert engine.state.meta[:3] == meta[:3]
    finish(engine.tidy_up())
    assert engine.state.meta.pruned == engine.state.meta.compacted
    assert rows > 1 == engine.connection.execute("SELECT count(*) FROM revisions").get
    assert read_all(engine) == {"/a": (b"999", engine.state.revision)}
    engine.close()


async def test_history_is_forgotten_after_its_time(tmp_path: Path) -> None:
    store = await SQLiteStorage.open(tmp_path / "store.db", compaction_interval_s=0.02)
    revision = await store.create("/a", b"0")
    await until(lambda: store.compacted_revision >= revision)
    # Nothing new: nothing to compact, and no error.
    await asyncio.sleep(0.1)
    assert await store.get("/a", revision) is not None
    assert store.compacted_revision == revision
    await store.close()


async def test_space_is_used_again_and_given_back(tmp_path: Path) -> None:
    store = await SQLiteStorage.open(tmp_path / "store.db", compaction_interval_s=0)
    sizes = []
    revisions: list[int | None] = [None] * 20

    async def write(number: int) -> None:
        expected, value = revisions[number], b"x" * 50_000
        key = f"/registry/blobs/{number}"
        if expected is None:
            revisions[number] = await store.create(key, value)
        else:
            revisions[number] = await store.update(key, value, expected)

    for _ in range(6):
        for _ in range(20):
            await asyncio.gather(*(write(number) for number in range(20)))
        await store.compact(store.revision)
        sizes.append(store.stats().size_bytes)
    assert max(sizes) < 2 * 20 * 20 * 50_000, "20 generations of history at most, and the log"
    await store.close()
    assert (tmp_path / "store.db").stat().st_size < 12 << 20, "what is free beyond 8 MiB goes back to the disk"


class StubbornStorage(ReferenceStorage):
    """Compactions fail with the given errors first."""

    def __init__(self, *errors: interface.StorageError) -> None:
        super().__init__()
        self.errors = list(errors)

    async def compact(self, revision: int) -> None:
        if self.errors:
            raise self.errors.pop(0)
        await super().compact(revision)


async def test_automatic_compaction_goes_on_after_errors() -> None:
    storage = StubbornStorage(interface.SpaceExceeded("full"), interface.Compacted(1, 2), interface.Corrupt("/a", "x"))
    revision = await storage.create("/a", b"1")
    task = asyncio.ensure_future(compact_periodically(storage, 0.001))
    await until(lambda: storage.compacted_revision >= revision)
    assert storage.errors == []
    task.cancel()


async def test_automatic_compaction_ends_with_the_store() -> None:
    storage = StubbornStorage(interface.Unavailable("stopped"))
    await storage.create("/a", b"1")
    async with asyncio.timeout(PATIENCE_S):
        await compact_periodically(storage, 0.001)


def test_compaction_leaves_one_row_for_each_object(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "store.db")
    for number in range(250):
        key = f"/registry/pods/{number}"
        engine.commit([write_of(key, b"1", None)])
        if number % 2:
            engine.commit([write_of(key, b"2", engine.state.revision)])
        if number % 5:
            engine.commit([write_of(key, None, engine.state.revision)])
    finish(engine.compactor.compact(engine.state.revision))
    assert engine.connection.execute("SELECT count(*) FROM revisions").get == len(engine.state.current) == 50
    engine.close()


async def test_a_read_that_has_begun_is_not_cut_off_by_compaction(tmp_path: Path) -> None:
    store = await SQLiteStorage.open(tmp_path / "store.db", compaction_interval_s=0)
    made = await asyncio.gather(*(store.create(f"/registry/pods/{number}", b"old") for number in range(3000)))
    before = store.revision
    await store.compact(before)
    await asyncio.gather(
        *(store.update(f"/registry/pods/{number}", b"new", revision) for number, revision in enumerate(made))
    )
    found, _ = await asyncio.gather(store.range("/registry/pods/", revision=before), store.compact(store.revision))
    assert len(found.items) == 3000
    assert {item.value for item in found.items} == {b"old"}
    await store.close()
