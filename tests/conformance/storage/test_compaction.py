"""What is forgotten and what stays. Named after RunTestCompactRevision and etcd's compaction tests."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.interface import Storage

POD = "/registry/pods/ns/foo"


async def test_compact_revision(store: Storage) -> None:
    first = await store.create(POD, b"1")
    second = await store.update(POD, b"2", first)
    third = await store.update(POD, b"3", second)
    await store.compact(second)
    assert store.compacted_revision == second
    with pytest.raises(interface.Compacted):
        await store.get(POD, first)
    with pytest.raises(interface.Compacted):
        await store.range("/registry/", revision=first)
    for revision, value in ((second, b"2"), (third, b"3"), (0, b"3")):
        found = await store.get(POD, revision)
        assert found is not None
        assert (found.value, found.create_revision) == (value, first)


async def test_compact_in_the_future(store: Storage) -> None:
    with pytest.raises(interface.FutureRevision):
        await store.compact(store.revision + 1)


async def test_compact_twice(store: Storage) -> None:
    revision = await store.create(POD, b"1")
    await store.compact(revision)
    with pytest.raises(interface.Compacted):
        await store.compact(revision)
    with pytest.raises(interface.Compacted):
        await store.compact(revision - 1)


async def test_a_fresh_store_counts_its_first_revisions_as_compacted(store: Storage) -> None:
    assert store.compacted_revision > 1
    with pytest.raises(interface.Compacted):
        await store.events("/registry/", 1)
    with pytest.raises(interface.Compacted):
        await store.range("/registry/", revision=1)


async def test_compact_keeps_what_lives(store: Storage) -> None:
    for number in range(300):
        key = f"/registry/pods/ns/{number}"
        revision = await store.create(key, b"1")
        if number % 2:
            revision = await store.update(key, b"2", revision)
        if number % 3 == 0:
            await store.delete(key, revision)
    before = await store.range("/registry/")
    await store.compact(store.revision)
    assert (await store.range("/registry/")).items == before.items
    assert (await store.range("/registry/", revision=store.compacted_revision)).items == before.items


async def test_compact_a_deleted_key_and_create_it_again(store: Storage) -> None:
    first = await store.create(POD, b"1")
    deleted = await store.delete(POD, first)
    await store.compact(deleted)
    assert await store.get(POD) is None
    assert store.revision == deleted
    again = await store.create(POD, b"2")
    assert again > deleted
    assert await store.get(POD, deleted) is None


async def test_writes_and_reads_during_compaction(store: Storage) -> None:
    revisions = {f"/registry/pods/ns/{number}": 0 for number in range(50)}
    for key in revisions:
        revisions[key] = await store.create(key, b"0")

    async def write(key: str) -> None:
        for number in range(20):
            revisions[key] = await store.update(key, b"%d" % number, revisions[key])

    async def read() -> None:
        for _ in range(20):
            found = await store.range("/registry/pods/")
            assert [item.key for item in found.items] == sorted(revisions)
            await asyncio.sleep(0)

    async def compact() -> None:
        for _ in range(20):
            if store.revision > store.compacted_revision:
                await store.compact(store.revision)
            await asyncio.sleep(0)

    await asyncio.gather(*(write(key) for key in revisions), read(), compact())
    found = await store.range("/registry/pods/")
    assert {item.key: item.revision for item in found.items} == revisions
    assert all(item.value == b"19" for item in found.items)
