"""The feed of writes. Named after apiserver/pkg/storage/testing/watcher_tests.go (RunTestWatch → test_watch).

What etcd promises of a watch: ordered, unique, reliable, atomic, resumable. Selectors and bookmarks are the cacher's.
"""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.interface import Event, Storage
from support.feed import Feed

POD = "/registry/pods/ns/foo"


async def test_watch(store: Storage) -> None:
    feed = Feed(store.revision)
    store.subscribe(feed)
    note = object()
    first = await store.create(POD, b"1", note)
    second = await store.update(POD, b"2", first)
    third = await store.delete(POD, second, "note")
    fourth = await store.create(POD, b"4")
    assert feed.events == [
        Event(POD, b"1", first, True, note),
        Event(POD, b"2", second, False, None),
        Event(POD, None, third, False, "note"),
        Event(POD, b"4", fourth, True, None),
    ]


async def test_watch_sees_a_write_before_its_writer(store: Storage) -> None:
    feed = Feed(store.revision)
    store.subscribe(feed)

    async def write(number: int) -> None:
        revision = await store.create(f"/registry/pods/ns/{number}", b"x")
        assert feed.revision >= revision
        assert store.revision >= revision

    await asyncio.gather(*(write(number) for number in range(50)))


async def test_watch_from_zero(store: Storage) -> None:
    """All that was ever written in a fresh store can be replayed."""
    first = store.revision
    feed = Feed(first)
    store.subscribe(feed)
    made = await store.create(POD, b"1")
    await store.update(POD, b"2", made)
    assert [event._replace(hint=None) for event in feed.events] == await store.events("/registry/", first)


async def test_watch_from_non_zero(store: Storage) -> None:
    first = await store.create(POD, b"1")
    second = await store.update(POD, b"2", first)
    third = await store.create(POD + "2", b"3")
    assert await store.events("/registry/pods/", first) == [
        Event(POD, b"2", second, False, None),
        Event(POD + "2", b"3", third, True, None),
    ]
    assert await store.events("/registry/pods/", third) == []


async def test_watch_from_the_future(store: Storage) -> None:
    assert await store.events("/registry/pods/", store.revision + 10) == []


async def test_delete_trigger_watch(store: Storage) -> None:
    feed = Feed(store.revision)
    store.subscribe(feed)
    revision = await store.create(POD, b"1")
    deleted = await store.delete(POD, revision)
    assert feed.events[-1] == Event(POD, None, deleted, False, None)


async def test_watch_delete_event_object_have_latest_rv(store: Storage) -> None:
    feed = Feed(store.revision)
    store.subscribe(feed)
    revision = await store.create(POD, b"1")
    deleted = await store.delete(POD, revision)
    assert feed.events[-1].revision == deleted > revision


@pytest.mark.parametrize("prefix", ["/registry/pods/", "/registry/pods/ns/", "/registry/pods/ns/foo"])
async def test_namespace_scoped_watch(store: Storage, prefix: str) -> None:
    start = store.revision
    keys = [POD, "/registry/pods/other/foo", "/registry/podsets/ns/foo", "/registry/nodes/n"]
    for key in keys:
        await store.create(key, b"x")
    expected = [key for key in keys if key.startswith(prefix)]
    assert [event.key for event in await store.events(prefix, start)] == expected


async def test_cluster_scoped_watch(store: Storage) -> None:
    start = store.revision
    await store.create("/registry/nodes/a", b"x")
    await store.create("/registry/nodesets/a", b"x")
    assert [event.key for event in await store.events("/registry/nodes/", start)] == ["/registry/nodes/a"]


async def test_watch_error(store: Storage) -> None:
    """A revision that was compacted away cannot be resumed from; the compacted one itself can."""
    first = await store.create(POD, b"1")
    second = await store.update(POD, b"2", first)
    third = await store.update(POD, b"3", second)
    await store.compact(second)
    with pytest.raises(interface.Compacted):
        await store.events("/registry/", first)
    assert await store.events("/registry/", second) == [Event(POD, b"3", third, False, None)]


async def test_watch_is_atomic(store: Storage) -> None:
    """The writes of one commit are published together, with the revision that holds all of them."""
    feed = Feed(store.revision)
    store.subscribe(feed)
    made = await asyncio.gather(*(store.create(f"/registry/pods/ns/{number}", b"x") for number in range(200)))
    assert sorted(made) == [event.revision for event in feed.events]
    assert [event.revision for batch in feed.batches for event in batch] == sorted(made)
