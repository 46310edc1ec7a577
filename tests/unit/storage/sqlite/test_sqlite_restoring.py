"""A restored store goes on where no client has been, and a half restored one is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import SQLiteStorage, restoring

ITEMS = [interface.KeyValue(f"/registry/x/y/{number}", b"%d" % number, 110 + number, 105) for number in range(5)]


async def test_the_past_is_compacted_and_revisions_go_on_beyond(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    assert restoring.build(path, 1_000_114, ITEMS) == 5
    store = await SQLiteStorage.open(path, compaction_interval_s=0)
    assert (store.revision, store.compacted_revision) == (1_000_114, 1_000_114)
    assert (await store.range("/")).items == ITEMS
    with pytest.raises(interface.Compacted):
        await store.range("/", revision=114)
    with pytest.raises(interface.Compacted):
        await store.events("/", 114)
    with pytest.raises(interface.RevisionConflict):
        await store.update("/registry/x/y/0", b"", 5000)
    assert await store.update("/registry/x/y/0", b"new", 110) == 1_000_115
    assert await store.delete("/registry/x/y/1", 111) == 1_000_116
    await store.compact(store.revision)
    await store.close()
    store = await SQLiteStorage.open(path, compaction_interval_s=0)
    assert len((await store.range("/")).items) == 4
    await store.close()


class Stopped(Exception):
    pass


async def test_a_restore_that_ends_early_leaves_no_store_to_start(tmp_path: Path) -> None:
    def records() -> Iterator[interface.KeyValue]:
        yield ITEMS[0]
        raise Stopped

    path = tmp_path / "store.db"
    with pytest.raises(Stopped):
        restoring.build(path, 1_000_114, records())
    with pytest.raises(interface.Lost):
        await SQLiteStorage.open(path, compaction_interval_s=0)


async def test_a_store_that_is_filled_aside_counts_once_it_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    aside = restoring.begin_aside(path, 500_000)
    store = await SQLiteStorage.open(aside, compaction_interval_s=0)
    assert await store.create("/registry/x/y/1", b"1") == 500_001
    await store.close()
    with pytest.raises(interface.Lost):
        await SQLiteStorage.open(path, compaction_interval_s=0)
    restoring.finish_aside(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["store.db", "store.db-mark"]
    store = await SQLiteStorage.open(path, compaction_interval_s=0)
    assert (await store.range("/")).items == [interface.KeyValue("/registry/x/y/1", b"1", 500_001, 500_001)]
    await store.close()
