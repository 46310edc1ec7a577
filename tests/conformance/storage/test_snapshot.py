"""Snapshots and copies of every backend: whole, as of one revision, while others write."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable
from pathlib import Path

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.snapshot import copying, file, reading
from quarterdeck.storage.sqlite import SQLiteStorage
from reference.storage import ReferenceStorage


async def fill(store: interface.Storage, count: int) -> None:
    for number in range(count):
        revision = await store.create(f"/registry/x/{number % 7}/{number:04}", b"%d" % number * (number % 50))
        if number % 3 == 0:
            await store.update(f"/registry/x/{number % 7}/{number:04}", b"second", revision)


async def take(store: interface.Storage) -> bytes:
    return b"".join([piece async for piece in reading.snapshot(store)])


async def test_a_snapshot_holds_what_the_store_held_when_it_began(store: interface.Storage) -> None:
    await fill(store, 100)
    await store.create("/registry/large", b"x" * 100_000)
    revision, before = store.revision, (await store.range("/")).items
    pieces = reading.snapshot(store)
    content = [await anext(pieces)]
    gone = before[5]
    await store.delete(gone.key, gone.revision)
    await store.update(before[50].key, b"later", before[50].revision)
    await store.create("/registry/x/0/00000", b"later")
    async for piece in pieces:
        content.append(piece)
        await store.create(f"/registry/x/later/{len(content)}", b"later")
    reader = file.Reader(io.BytesIO(b"".join(content)))
    assert list(reader) == before
    assert reader.summary is not None
    assert (reader.summary.revision, reader.summary.count) == (revision, len(before))
    assert (reader.summary.count, reader.summary.digest) == await reading.digest(store, revision)


async def test_a_store_that_forgets_the_revision_gives_no_snapshot(store: interface.Storage) -> None:
    await fill(store, 100)
    pieces = reading.snapshot(store)
    await anext(pieces)
    await anext(pieces)
    revision = await store.create("/registry/later", b"")
    await store.compact(revision)
    with pytest.raises(interface.Compacted):
        async for _ in pieces:
            pass


async def test_a_copy_is_the_same(store: interface.Storage, tmp_path: Path) -> None:
    await fill(store, 300)
    target = await SQLiteStorage.open(tmp_path / "copy.db", compaction_interval_s=0)
    seen: list[str] = []
    copied = await copying.copy(store, target, lambda page: seen.extend(item.key for item in page))
    found = [(item.key, item.value) for item in (await target.range("/")).items]
    assert found == [(item.key, item.value) for item in (await store.range("/")).items]
    assert seen == [key for key, _ in found]
    assert copied.count == 300
    with pytest.raises(copying.CopyFailed, match="not empty"):
        await copying.copy(store, target, lambda _: None)
    await target.close()


class Forgetful(ReferenceStorage):
    """Changes one value on the way."""

    async def create(self, key: str, value: bytes, hint: object = None) -> int:
        return await super().create(key, b"other" if key.endswith("0017") else value, hint)


async def test_a_copy_that_differs_is_noticed(store: interface.Storage) -> None:
    await fill(store, 30)
    with pytest.raises(copying.CopyFailed, match="the copy differs"):
        await copying.copy(store, Forgetful(), lambda _: None)


async def test_an_empty_store_has_a_snapshot(store: interface.Storage) -> None:
    summary = file.verify(io.BytesIO(await take(store)))
    assert (summary.count, summary.revision) == (0, store.revision)


async def test_pages_are_bounded_by_bytes(store: interface.Storage) -> None:
    writes: list[Awaitable[int]] = [store.create(f"/registry/x/{number:03}", b"x" * 200_000) for number in range(60)]
    await asyncio.gather(*writes)
    sizes = [sum(len(item.value) for item in page) async for page in reading.read_pages(store, store.revision)]
    assert sum(sizes) == 60 * 200_000
    assert max(sizes[1:]) <= 1 << 20
