"""What a cache holds once it has started over a store that is not new."""

from __future__ import annotations

import asyncio
from pathlib import Path

import apsw
import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.storage.cacher import Cacher, ListOptions, build_selection
from quarterdeck.storage.interface import RevisionConflict
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


def damage(path: Path, key: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE revisions SET value = zeroblob(length(value)) WHERE key = ?", (key,))
    connection.close()


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
    damage(tmp_path / "store.db", f"{PREFIX}o3")
    assert asyncio.run(read_cache(tmp_path / "store.db")) == (["ns/o0", "ns/o2", "ns/o4"], revision)
    assert f"{PREFIX}o3" in caplog.text


def test_a_list_does_not_pass_over_what_cannot_be_read(tmp_path: Path) -> None:
    asyncio.run(write_objects(tmp_path / "store.db", 5))
    damage(tmp_path / "store.db", f"{PREFIX}o3")

    async def read() -> None:
        store = await SQLiteStorage.open(tmp_path / "store.db", compaction_interval_s=0)
        cacher = Cacher(store)
        await cacher.start()
        cache = cacher.resource("test.io", "widgets")
        for namespace in ("", "ns"):
            with pytest.raises(errors.StorageReadError, match=f"{PREFIX}o3"):
                cache.list_now(ListOptions(namespace, build_selection(namespace)))
        assert cache.list_now(ListOptions("other", build_selection("other"))) is not None
        with pytest.raises(RevisionConflict) as conflict:
            await store.delete(f"{PREFIX}o3", 0)
        assert cacher.damaged_count == 1
        await store.delete(f"{PREFIX}o3", conflict.value.current)
        assert cacher.damaged_count == 0
        listing = cache.list_now(ListOptions())
        assert listing is not None
        assert [entry.name for entry in listing.entries] == ["o0", "o2", "o4"]
        await cacher.close()
        await store.close()

    asyncio.run(read())
