"""A small disk runs full, for real: reads and deletions go on, and so do writes when there is room again.

Needs the right to mount a tmpfs; skipped where that is missing (test_io_faults.py covers the rest everywhere).
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import Limits, SQLiteStorage

pytestmark = pytest.mark.crash

LIMITS = Limits(reserve_bytes=2 << 20, checkpoint_bytes=400_000, batch_bytes_max=1 << 20)
VALUE = b"v" * 50_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], capture_output=True, check=False
    )
    if mount.returncode:
        pytest.skip("may not mount a file system here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


async def fill(store: SQLiteStorage) -> dict[str, int]:
    """Create objects until they are refused for good: the first refusals still find something to tidy up."""
    made: dict[str, int] = {}
    refusals = 0
    while refusals < 30:
        key = f"/registry/blobs/{len(made):05}"
        try:
            made[key] = await store.create(key, VALUE)
        except interface.SpaceExceeded:
            refusals += 1
            assert await store.get(key) is None
        else:
            refusals = 0
    assert len(made) > 50
    return made


async def test_reads_and_deletions_go_on_when_the_disk_is_full(small_disk: Path) -> None:
    store = await SQLiteStorage.open(small_disk / "store.db", limits=LIMITS, compaction_interval_s=0)
    assert not store.is_space_short
    made = await fill(store)
    assert store.is_space_short, "what /readyz tells"
    revision = store.revision
    with pytest.raises(interface.SpaceExceeded):
        await store.update("/registry/blobs/00000", VALUE * 3, made["/registry/blobs/00000"])
    assert store.revision == revision
    assert (await store.get("/registry/blobs/00001")) is not None
    assert [item.key for item in (await store.range("/registry/")).items] == sorted(made)
    for key, at in made.items():
        await store.delete(key, at)
    assert (await store.range("/registry/")).items == []
    assert not store.is_space_short
    # What the deletions freed can be written again, without a restart; history gives way when space gets short.
    refusals = 0
    for number in range(len(made) - 20):
        while True:
            try:
                await store.create(f"/registry/again/{number}", VALUE)
                break
            except interface.SpaceExceeded:
                refusals += 1
                assert refusals < 5
                with contextlib.suppress(interface.Compacted):
                    await store.compact(store.revision)
    await store.close()


async def test_writes_go_on_when_space_returns(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(10 << 20))
    store = await SQLiteStorage.open(small_disk / "store.db", limits=LIMITS, compaction_interval_s=0)
    made = await fill(store)
    assert store.is_space_short
    ballast.unlink()
    assert not store.is_space_short
    for number in range(50):
        await store.create(f"/registry/again/{number}", VALUE)
    assert len((await store.range("/registry/")).items) == len(made) + 50
    await store.close()


async def test_starts_on_a_full_disk(small_disk: Path) -> None:
    store = await SQLiteStorage.open(small_disk / "store.db", limits=LIMITS, compaction_interval_s=0)
    made = {key: await store.create(key, VALUE) for key in (f"/registry/blobs/{number}" for number in range(100))}
    await store.close()
    with contextlib.suppress(OSError), (small_disk / "ballast").open("wb", buffering=0) as ballast:
        while True:
            ballast.write(bytes(4096))
    store = await SQLiteStorage.open(small_disk / "store.db", limits=LIMITS, compaction_interval_s=0)
    assert len((await store.range("/registry/")).items) == len(made)
    with pytest.raises(interface.SpaceExceeded):
        for number in range(100):
            await store.create(f"/registry/more/{number}", VALUE)
    for key, at in made.items():
        await store.delete(key, at)
    await store.close()


async def test_a_store_that_cannot_be_made_says_so(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes((24 << 20) - 4096))
    with pytest.raises(interface.SpaceExceeded):
        await SQLiteStorage.open(small_disk / "store.db", limits=LIMITS, compaction_interval_s=0)
