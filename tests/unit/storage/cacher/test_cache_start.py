"""What a cache holds once it has started over a store that is not new."""

from __future__ import annotations

import asyncio
from pathlib import Path

import apsw
import pytest

from quarterdeck.storage.cacher import Cacher
from quarterdeck.storage.sqlite import SQLiteStorage
from support.watch_client import make_object

PREFIX = "/registry/test.io/widgets/ns/"


async def write_objects(path: Path, count: int) -> int:
    store = await SQLiteStorage.open(path, compaction_interval_s=0)
    revisions = await asyncio.gather(*(store.create(f"{PREFIX}o{n}", make_object(f"o{n}")) for n in range(count)))
    await store.update(f"{PREFIX}o0", make_object("o0", color="red"), revisions[0])
    await store.delete(f"{PREFIX}o1", revisions[1])
    revision = store.revision
    await store.close()
    return revision


async def read_cache(path: Path) -> tuple[list[str], int]:
    """The paths that a new cache holds, and its revision."""
    store = await SQLiteStorage.open(path, compaction_interval_s=0)
    cacher = Cacher(store)
    await cacher.start()
    paths = [entry.path for cache in cacher.caches() for entry in cache.state.all()]
    revision = cacher.revision
    await cacher.close()
    await store.close()
    return paths, revision


def test_everything_that_lives_is_loaded(tmp_path: Path) -> None:
    revision = asyncio.run(write_objects(tmp_path / "store.db", 5))
    assert asyncio.run(read_cache(tmp_path / "store.db")) == (["ns/o0", "ns/o2", "ns/o3", "ns/o4"], revision)


def test_a_damaged_record_costs_its_object_and_not_the_start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    revision = asyncio.run(write_objects(tmp_path / "store.db", 5))
    connection = apsw.Connection(str(tmp_path / "store.db"))
    connection.execute("UPDATE revisions SET value = zeroblob(length(value)) WHERE key = ?", (f"{PREFIX}o3",))
    connection.close()
    assert asyncio.run(read_cache(tmp_path / "store.db")) == (["ns/o0", "ns/o2", "ns/o4"], revision)
    assert f"{PREFIX}o3" in caplog.text
