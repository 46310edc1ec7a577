"""What another server wrote and this one cannot read: neither the old object nor silence."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import recovery
from support.watch_client import Harness, make_object

Run = Callable[[Callable[[Harness], Coroutine[Any, Any, None]]], None]


async def write_unreadably(harness: Harness, name: str) -> int:
    """It is written elsewhere: the feed has what is wrong with it in the place of its value."""
    store = harness.store
    sink, store._sink = store._sink, lambda *_: None
    entry = harness.cache.get("ns", name)
    assert entry is not None
    revision = int(await store.update(harness.key(name), make_object(name, color="new"), entry.revision))
    store._sink = sink
    error = interface.Untransformable(harness.key(name), "no key")
    sink([interface.Event(harness.key(name), None, revision, False, error)], revision)
    return revision


def test_it_is_neither_shown_as_it_was_nor_told_as_deleted(run: Run) -> None:
    async def body(harness: Harness) -> None:
        before = await harness.put("a")
        await harness.put("b")
        watch, writer = harness.watch(resource_version=str(before))
        gone: list[Any] = []
        harness.cache.listeners.append(gone.append)
        await write_unreadably(harness, "a")
        await harness.settle()
        assert watch.is_ended
        assert [event.type for event in writer.events] == ["ADDED"]
        assert gone == []
        assert harness.cache.get("ns", "a") is None
        with pytest.raises(errors.StorageReadError, match="failed to read"):
            harness.list()
        assert harness.cacher.damaged_count == 1

    run(body)


def test_who_watches_lists_anew_before_and_after_it_can_be_read(run: Run) -> None:
    async def body(harness: Harness) -> None:
        before = await harness.put("a")
        since = await write_unreadably(harness, "a")

        async def outcome(revision: int) -> list[str]:
            _, writer = harness.watch(resource_version=str(revision))
            await harness.settle()
            return [event.type for event in writer.events]

        assert await outcome(before) == ["ERROR"]
        assert await outcome(since) == []
        after = await harness.put("b")
        assert await recovery.retry(harness.cacher) == 1
        assert await outcome(since) == ["ERROR"]
        assert await outcome(after) == []
        entry = harness.cache.get("ns", "a")
        assert entry is not None and entry.revision == since
        assert len(harness.list().entries) == 2

    run(body)


def test_the_next_write_and_a_deletion_end_it(run: Run) -> None:
    async def body(harness: Harness) -> None:
        await harness.put("a")
        for write in (False, True):
            revision = await write_unreadably(harness, "a")
            key = harness.key("a")
            if write:
                await harness.store.update(key, make_object("a"), revision)
            else:
                await harness.store.delete(key, revision)
            assert harness.cacher.damaged_count == 0
            assert [entry.name for entry in harness.list().entries] == (["a"] if write else [])
            if not write:
                await harness.put("a")

    run(body)
