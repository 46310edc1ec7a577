"""Reads and writes of one store. Named after apiserver's storage/testing/store_tests.go (RunTestCreate: test_create).

What upstream tests above this interface (selectors, continue tokens, decoding) is tested where this project does it.
"""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.interface import KeyValue, Storage
from support.feed import Feed

POD = "/registry/pods/ns/foo"


async def _fill(store: Storage, *keys: str) -> dict[str, int]:
    return {key: await store.create(key, key.encode()) for key in keys}


async def _keys(store: Storage, prefix: str, **options: object) -> list[str]:
    return [item.key for item in (await store.range(prefix, **options)).items]  # type: ignore[arg-type]


async def test_create(store: Storage) -> None:
    before = store.revision
    revision = await store.create(POD, b'{"a":1}')
    assert revision > before > 0
    assert store.revision == revision
    assert await store.get(POD) == KeyValue(POD, b'{"a":1}', revision, revision)


async def test_create_with_key_exist(store: Storage) -> None:
    revision = await store.create(POD, b"1")
    with pytest.raises(interface.KeyExists) as raised:
        await store.create(POD, b"2")
    assert raised.value.key == POD
    assert store.revision == revision, "a refused write must not take a revision"
    assert await store.get(POD) == KeyValue(POD, b"1", revision, revision)


async def test_create_again_after_delete(store: Storage) -> None:
    first = await store.create(POD, b"1")
    await store.delete(POD, first)
    again = await store.create(POD, b"2")
    assert await store.get(POD) == KeyValue(POD, b"2", again, again)


async def test_create_empty_value(store: Storage) -> None:
    revision = await store.create(POD, b"")
    assert await store.get(POD) == KeyValue(POD, b"", revision, revision)


async def test_create_keys_of_any_script(store: Storage) -> None:
    keys = ["/registry/x/ä", "/registry/x/z", "/registry/x/日本", "/registry/x/😀", "/registry/x/\uffff"]
    await _fill(store, *keys)
    assert await _keys(store, "/registry/x/") == sorted(keys)


async def test_get(store: Storage) -> None:
    assert await store.get(POD) is None
    first = await store.create(POD, b"1")
    second = await store.update(POD, b"2", first)
    assert await store.get(POD) == KeyValue(POD, b"2", second, first)
    assert await store.get(POD, first) == KeyValue(POD, b"1", first, first)
    assert await store.get(POD + "x") is None
    assert await store.get(POD[:-1]) is None


async def test_get_in_the_future(store: Storage) -> None:
    with pytest.raises(interface.FutureRevision) as raised:
        await store.get(POD, store.revision + 1)
    assert raised.value.current == store.revision


async def test_get_deleted_at_older_revisions(store: Storage) -> None:
    before = store.revision
    first = await store.create(POD, b"1")
    second = await store.delete(POD, first)
    third = await store.create(POD, b"3")
    assert await store.get(POD, before) is None
    assert await store.get(POD, first) == KeyValue(POD, b"1", first, first)
    assert await store.get(POD, second) is None
    assert await store.get(POD, third) == KeyValue(POD, b"3", third, third)


async def test_conditional_delete(store: Storage) -> None:
    revision = await store.create(POD, b"1")
    with pytest.raises(interface.RevisionConflict) as raised:
        await store.delete(POD, revision - 1)
    assert (raised.value.expected, raised.value.current) == (revision - 1, revision)
    deleted = await store.delete(POD, revision)
    assert deleted == store.revision > revision
    assert await store.get(POD) is None


async def test_delete_with_conflict(store: Storage) -> None:
    revision = await store.create(POD, b"1")
    newer = await store.update(POD, b"2", revision)
    with pytest.raises(interface.RevisionConflict):
        await store.delete(POD, revision)
    assert await store.get(POD) == KeyValue(POD, b"2", newer, revision)


async def test_delete_with_suggestion_of_deleted_object(store: Storage) -> None:
    revision = await store.create(POD, b"1")
    await store.delete(POD, revision)
    with pytest.raises(interface.KeyNotFound):
        await store.delete(POD, revision)


async def test_guaranteed_update(store: Storage) -> None:
    with pytest.raises(interface.KeyNotFound):
        await store.update(POD, b"0", store.revision)
    first = await store.create(POD, b"1")
    second = await store.update(POD, b"2", first)
    third = await store.update(POD, b"2", second)
    assert first < second < third
    assert await store.get(POD) == KeyValue(POD, b"2", third, first)


async def test_guaranteed_update_with_conflict(store: Storage) -> None:
    first = await store.create(POD, b"1")
    results = await asyncio.gather(
        *(store.update(POD, b"%d" % number, first) for number in range(10)), return_exceptions=True
    )
    winners = [result for result in results if isinstance(result, int)]
    assert len(winners) == 1
    assert all(isinstance(result, int | interface.RevisionConflict) for result in results)
    found = await store.get(POD)
    assert found is not None
    assert found.revision == winners[0]


async def test_guaranteed_update_of_expected_revision_zero(store: Storage) -> None:
    with pytest.raises(interface.KeyNotFound):
        await store.update(POD, b"1", 0)
    await store.create(POD, b"1")
    with pytest.raises(interface.RevisionConflict):
        await store.update(POD, b"2", 0)


async def test_list(store: Storage) -> None:
    assert (await store.range("/registry/pods/")).items == []
    made = await _fill(store, "/registry/pods/b/2", "/registry/pods/a/1", "/registry/pods/b/1", "/registry/other/x")
    found = await store.range("/registry/pods/")
    assert found.revision == store.revision
    assert found.remaining == 0
    assert found.items == [
        KeyValue(key, key.encode(), made[key], made[key])
        for key in ("/registry/pods/a/1", "/registry/pods/b/1", "/registry/pods/b/2")
    ]


async def test_list_without_paging(store: Storage) -> None:
    keys = [f"/registry/pods/ns/{number:03}" for number in range(120)]
    await asyncio.gather(*(store.create(key, b"x") for key in keys))
    assert await _keys(store, "/registry/pods/") == keys
    assert await _keys(store, "/registry/pods/", limit=1000) == keys


async def test_list_paging(store: Storage) -> None:
    keys = [f"/registry/pods/ns/{number}" for number in range(1, 8)]
    await _fill(store, *keys)
    page = await store.range("/registry/pods/", limit=3)
    assert [item.key for item in page.items] == keys[:3]
    assert page.remaining == 4
    last = await store.range("/registry/pods/", limit=4, start_key=keys[3])
    assert [item.key for item in last.items] == keys[3:]
    assert last.remaining == 0


async def test_list_continuation(store: Storage) -> None:
    """The next page shows the revision of the first one, whatever was written in between."""
    keys = [f"/registry/pods/ns/{number}" for number in range(1, 6)]
    made = await _fill(store, *keys)
    page = await store.range("/registry/pods/", limit=2)
    await store.delete(keys[2], made[keys[2]])
    await store.update(keys[3], b"changed", made[keys[3]])
    await store.create(keys[3] + "-new", b"new")
    rest = await store.range("/registry/pods/", limit=2, start_key=page.items[-1].key + "\0", revision=page.revision)
    assert [(item.key, item.value) for item in rest.items] == [(key, key.encode()) for key in keys[2:4]]
    assert (rest.remaining, rest.revision) == (1, page.revision)


async def test_list_inconsistent_continuation(store: Storage) -> None:
    keys = [f"/registry/pods/ns/{number}" for number in range(1, 6)]
    made = await _fill(store, *keys)
    page = await store.range("/registry/pods/", limit=2)
    newest = await store.update(keys[4], b"changed", made[keys[4]])
    await store.compact(newest)
    with pytest.raises(interface.Compacted) as raised:
        await store.range("/registry/pods/", limit=2, start_key=keys[2], revision=page.revision)
    assert (raised.value.revision, raised.value.compacted) == (page.revision, newest)
    assert await _keys(store, "/registry/pods/", start_key=keys[2]) == keys[2:]


async def test_list_resource_version_match(store: Storage) -> None:
    """Exact: each revision has its own list."""
    lists: dict[int, list[KeyValue]] = {store.revision: []}
    revision = 0
    for number in range(4):
        await store.create(f"/registry/pods/ns/{number}", b"1")
        lists[store.revision] = (await store.range("/registry/pods/")).items
    for number in range(4):
        found = await store.get(f"/registry/pods/ns/{number}")
        assert found is not None
        if number % 2:
            await store.delete(found.key, found.revision)
        else:
            await store.update(found.key, b"2", found.revision)
        lists[store.revision] = (await store.range("/registry/pods/")).items
    for revision, items in lists.items():
        assert (await store.range("/registry/pods/", revision=revision)).items == items
    with pytest.raises(interface.FutureRevision):
        await store.range("/registry/pods/", revision=store.revision + 1)


async def test_consistent_list(store: Storage) -> None:
    """Who awaited a write finds it, and everything before it, in the list."""

    async def write(worker: int) -> None:
        for number in range(10):
            key = f"/registry/pods/{worker}/{number}"
            revision = await store.create(key, b"x")
            found = await store.range(f"/registry/pods/{worker}/")
            assert found.revision >= revision
            assert len(found.items) == number + 1

    await asyncio.gather(*(write(worker) for worker in range(4)))


async def test_get_list_recursive_prefix(store: Storage) -> None:
    keys = ["/registry/pods/ns/a", "/registry/pods/ns/a/b", "/registry/pods/ns2/a", "/registry/podsets/ns/a"]
    await _fill(store, *keys)
    assert await _keys(store, "/registry/pods/") == keys[:3]
    assert await _keys(store, "/registry/pods/ns/") == keys[:2]
    assert await _keys(store, "/registry/pods/ns") == keys[:3]
    assert await _keys(store, "/registry/pods/ns/a") == keys[:2]
    assert await _keys(store, "/registry/") == keys
    assert await _keys(store, "/registry/none/") == []


async def test_namespace_scoped_list(store: Storage) -> None:
    """Keys are compared as strings: `ns-b/` comes before `ns/`, as etcd orders them."""
    await _fill(store, "/registry/pods/ns/a", "/registry/pods/ns-b/a", "/registry/pods/nt/a")
    assert await _keys(store, "/registry/pods/") == [
        "/registry/pods/ns-b/a",
        "/registry/pods/ns/a",
        "/registry/pods/nt/a",
    ]


async def test_count(store: Storage) -> None:
    await _fill(store, *(f"/registry/pods/ns/{number}" for number in range(5)))
    counted = await store.range("/registry/pods/", limit=1)
    assert len(counted.items) + counted.remaining == 5


async def test_load_all(store: Storage) -> None:
    made = await _fill(store, *(f"/registry/pods/{number % 3}/{number}" for number in range(25)))
    gone = "/registry/pods/1/4"
    await store.delete(gone, made.pop(gone))
    changed = "/registry/pods/2/5"
    await store.update(changed, b"new", made[changed])
    loaded = [item async for batch in store.load_all(batch_rows=4) for item in batch]
    assert sorted(loaded) == (await store.range("")).items
    assert len(loaded) == len(made)


async def test_load_all_of_an_empty_store(store: Storage) -> None:
    assert [batch async for batch in store.load_all()] == []


async def test_writes_of_one_turn_take_effect_in_their_order(store: Storage) -> None:
    feed = Feed(store.revision)
    store.subscribe(feed)
    results = await asyncio.gather(
        store.create("/registry/pods/ns/a", b"1"),
        store.create("/registry/pods/ns/a", b"2"),
        store.create("/registry/pods/ns/b", b"3"),
        store.update("/registry/pods/ns/c", b"4", 5),
        return_exceptions=True,
    )
    assert isinstance(results[3], interface.KeyNotFound)
    if store.lags:  # requests of their own: they may overtake each other
        assert {type(results[0]), type(results[1])} == {int, interface.KeyExists}
        assert isinstance(results[2], int)
        assert len(feed.events) == 2
        return
    assert isinstance(results[0], int)
    assert isinstance(results[1], interface.KeyExists)
    assert results[2] == results[0] + 1
    assert [event.value for event in feed.events] == [b"1", b"3"]


async def test_refused_writes_leave_no_trace(store: Storage) -> None:
    feed = Feed(store.revision)
    store.subscribe(feed)
    before = store.revision
    with pytest.raises(interface.KeyNotFound):
        await store.delete(POD, 1)
    assert store.revision == before
    assert feed.batches == []


async def test_a_get_at_a_revision_sees_no_write_that_comes_while_it_looks(store: Storage) -> None:
    made = await _fill(store, *(f"/registry/pods/ns/{number}" for number in range(200)))
    at = store.revision
    await store.create("/registry/pods/other", b"x")  # there is something to look through

    async def check(key: str, turns: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
        found = await store.get(key, at)
        assert found is not None
        assert found.revision == made[key]

    async def update(key: str) -> None:
        await store.update(key, b"new", made[key])

    for key in made:
        await asyncio.gather(check(key, 0), update(key), *(check(key, turns) for turns in range(1, 6)))


async def test_reads_show_one_revision_while_writes_go_on(store: Storage) -> None:
    made = await _fill(store, *(f"/registry/pods/ns/{number:03}" for number in range(100)))
    known = dict(made)
    is_done = False

    async def write(writer: int) -> None:
        number = 0
        while not is_done:
            number += 1
            key = f"/registry/pods/ns/{number * 7 % 10:02}{writer}"
            known[key] = await store.update(key, b"%d" % number, known[key])
            await store.create(f"/registry/pods/new/{writer}-{number}", b"x")

    async def read() -> None:
        nonlocal is_done
        before = (await store.range("/registry/pods/")).revision
        expected = (await store.range("/registry/pods/", revision=before)).items
        for _ in range(5):
            assert (await store.range("/registry/pods/", revision=before)).items == expected
            assert await store.get(expected[7].key, before) == expected[7]
            newest = store.revision
            loaded = sorted([item async for batch in store.load_all(10) for item in batch])
            assert loaded == (await store.range("", revision=newest)).items
        is_done = True

    await asyncio.gather(read(), *(write(writer) for writer in range(10)))
