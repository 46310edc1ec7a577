"""The embedded store without file descriptors or memory to be had, and under clocks that jump."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import Limits, SQLiteStorage

pytestmark = pytest.mark.crash
VALUE = b"x" * 3000
LIMITS = Limits(checkpoint_bytes=100_000, reserve_bytes=1 << 20)
TEN_YEARS_S = 10 * 365 * 86400


async def open_store(path: Path, interval_s: float = 0) -> SQLiteStorage:
    return await SQLiteStorage.open(path, limits=LIMITS, compaction_interval_s=interval_s)


@contextmanager
def no_descriptors() -> Iterator[None]:
    """None can be opened."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare = os.open("/dev/null", os.O_RDONLY)
    os.close(spare)  # the lowest number that is free
    resource.setrlimit(resource.RLIMIT_NOFILE, (spare, before[1]))
    try:
        with pytest.raises(OSError) as refused:
            os.open("/dev/null", os.O_RDONLY)
        assert refused.value.errno == errno.EMFILE
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_an_open_store_needs_no_more_descriptors(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "store.db")
    with no_descriptors():
        for number in range(100):
            revision = await store.create(f"/registry/x/y/{number}", VALUE)
            await store.update(f"/registry/x/y/{number}", VALUE, revision)
        await store.compact(store.revision)
        assert len((await store.range("/registry/x/")).items) == 100
        await store.delete("/registry/x/y/1", (await store.get("/registry/x/y/1")).revision)  # type: ignore[union-attr]
        assert store.is_available
    await store.close()


async def test_a_store_that_cannot_be_opened_for_want_of_descriptors_is_not_harmed(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await open_store(path)
    revision = await store.create("/registry/x/y/1", VALUE)
    await store.close()
    with no_descriptors(), pytest.raises((OSError, interface.Unavailable)):
        await open_store(path)
    store = await open_store(path)
    assert (await store.get("/registry/x/y/1")) == interface.KeyValue("/registry/x/y/1", VALUE, revision, revision)
    await store.close()


async def test_a_commit_without_memory_is_not_acknowledged(tmp_path: Path) -> None:
    """Nothing that fails for want of memory is taken for done, and what was done before is there afterwards."""
    path = tmp_path / "store.db"
    store = await open_store(path)
    done = {f"/registry/x/y/{number}": await store.create(f"/registry/x/y/{number}", VALUE) for number in range(50)}
    before = apsw.hard_heap_limit(apsw.memory_used() + 4096)
    try:
        answers = await asyncio.gather(
            *(store.create(f"/registry/x/z/{number}", b"y" * 1_000_000) for number in range(8)), return_exceptions=True
        )
    finally:
        apsw.hard_heap_limit(before)
    assert any(isinstance(answer, interface.Unavailable) for answer in answers)
    assert all(isinstance(answer, (int, interface.Unavailable)) for answer in answers)
    assert not store.is_available
    await store.close()
    store._worker._engine.connection.close(True)  # as the end of the process would
    store = await open_store(path)
    found = {item.key: item.revision for item in (await store.range("/registry/")).items}
    for number, answer in enumerate(answers):
        if isinstance(answer, int):
            done[f"/registry/x/z/{number}"] = answer
    assert done.items() <= found.items()
    assert found.keys() - done.keys() <= {f"/registry/x/z/{number}" for number in range(8)}
    await store.close()


async def test_clocks_that_jump_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose, true_time, jump_s = random.Random(3), time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: true_time() + jump_s[0])
    monkeypatch.setattr(time, "time_ns", lambda: int((true_time() + jump_s[0]) * 1e9))
    store = await open_store(tmp_path / "store.db", interval_s=0.005)
    revisions = [await store.create("/registry/x/y/z", VALUE)]
    before = store.compacted_revision
    while len(revisions) < 300 or store.compacted_revision == before:
        jump_s[0] = choose.choice([0, 3600, -3600, TEN_YEARS_S, -TEN_YEARS_S])
        revisions.append(await store.update("/registry/x/y/z", VALUE, revisions[-1]))
    assert revisions == sorted(set(revisions))
    await store.close()
    jump_s[0] = -TEN_YEARS_S
    store = await open_store(tmp_path / "store.db")
    assert store.revision == revisions[-1]
    await store.close()
