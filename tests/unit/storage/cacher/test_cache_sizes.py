"""How much of the past a cache keeps: the least size of its window, and no window at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from quarterdeck.apimachinery import offload
from quarterdeck.storage.cacher import Limits, aging, packing
from quarterdeck.storage.cacher.history import CAPACITY_MAX, CAPACITY_MIN, History
from quarterdeck.storage.cacher.resource import STORE_REPLAY_MAX
from quarterdeck.storage.interface import Event
from support import virtual_time
from support.memory_store import MemoryStore
from support.watch_client import Harness, names

WIDGETS = "/registry/test.io/widgets/"


def play(limits: Limits, body: Callable[[Harness], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        harness = await Harness.start(limits=limits)
        try:
            await body(harness)
        finally:
            await harness.cacher.close()

    virtual_time.run(main())


def test_the_window_keeps_at_least_its_least_size() -> None:
    async def body(harness: Harness) -> None:
        for n in range(50):
            await harness.put("o", n=n)
        assert len(harness.cache.history) == 50
        other = harness.cacher.resource("test.io", "gadgets")
        assert other.history.capacity == 7

    play(Limits(7, {WIDGETS: 40}), body)


@pytest.mark.parametrize(
    ("limits", "shown"),
    [
        (Limits(), 3),
        (Limits(0), 3),
        (Limits(7, {WIDGETS: 0}), 3),
        (Limits(has_cache=False), 1),
        (Limits(uncached=frozenset((WIDGETS,))), 1),
    ],
)
def test_without_a_cache_a_limit_counts_whatever_the_revision(limits: Limits, shown: int) -> None:
    async def body(harness: Harness) -> None:
        for name in ("a", "b", "c"):
            await harness.put(name)
        for match in ("", "NotOlderThan"):
            listing = harness.list(limit=1, resource_version="0", resource_version_match=match)
            assert len(listing.entries) == shown

    play(limits, body)


def test_a_least_size_above_the_largest_is_kept() -> None:
    history = History(0, CAPACITY_MAX * 3)
    assert history.capacity == CAPACITY_MAX * 3


def test_without_a_window_a_watch_resumes_from_the_store() -> None:
    async def body(harness: Harness) -> None:
        first = await harness.put("a", n=1)
        await harness.put("a", n=2)
        await harness.put("b")
        await harness.delete("a")
        assert len(harness.cache.history) == 0
        watch, writer = harness.watch(resource_version=str(first))
        await harness.put("c")  # while the store is asked
        await asyncio.sleep(0.01)
        await harness.settle()
        await harness.put("d")
        await harness.settle()
        assert writer.shown == [
            "MODIFIED ns/a 3",
            "ADDED ns/b 4",
            "DELETED ns/a 5",
            "ADDED ns/c 6",
            "ADDED ns/d 7",
        ]
        watch.closed()

    play(Limits(0), body)


@pytest.mark.parametrize("writes", [1, 200])
def test_changes_of_the_same_turn_come_once(writes: int) -> None:
    """The store is asked for what was before the watch was opened, however much comes until it answers."""

    async def body(harness: Harness) -> None:
        first = await harness.put("a")
        await harness.put("b")
        watch, writer = harness.watch(resource_version=str(first))
        pending = [asyncio.ensure_future(harness.put(f"c{n}")) for n in range(writes)]
        await asyncio.gather(*pending)
        await asyncio.sleep(0.01)
        await harness.settle()
        revisions = [event.revision for event in writer.events]
        assert revisions == list(range(first + 1, first + 2 + writes))
        watch.closed()

    play(Limits(0), body)


def test_without_a_window_a_compacted_revision_is_too_old_as_the_store_says_it() -> None:
    async def body(harness: Harness) -> None:
        first = await harness.put("a", n=1)
        last = await harness.put("a", n=2)
        await harness.store.compact(last)
        _, writer = harness.watch(resource_version=str(first))
        assert writer.is_ended
        (event,) = writer.events
        assert event.type == "ERROR"
        assert event.obj["code"] == 410
        assert event.obj["message"] == "The resourceVersion for the provided watch is too old."

    play(Limits(0), body)


def test_without_a_window_the_past_is_listed_from_the_store() -> None:
    async def body(harness: Harness) -> None:
        await harness.put("a")
        past = await harness.put("b")
        await harness.delete("a")
        options = harness.list_options(resource_version=str(past), resource_version_match="Exact")
        assert harness.cache.list_now(options) is None
        assert names(await harness.cache.list(options)) == ["ns/a", "ns/b"]
        assert names(harness.list()) == ["ns/b"]
        assert isinstance(harness.store, MemoryStore)

    play(Limits(100, {WIDGETS: 0}), body)


def test_a_watch_that_missed_very_much_is_too_old_and_not_all_of_it_is_read() -> None:
    limits: list[int] = []

    class Store(MemoryStore):
        async def events(self, prefix: str, after_revision: int, *, limit: int = 0) -> list[Event]:
            limits.append(limit)
            return await super().events(prefix, after_revision, limit=limit)

    async def body() -> None:
        harness = await Harness.start(Store(), Limits(0))
        first = await harness.put("a")
        for n in range(STORE_REPLAY_MAX + 100):
            last = await harness.put("a", n=n)
        _, writer = harness.watch(resource_version=str(first))
        _, nearer = harness.watch(resource_version=str(last - STORE_REPLAY_MAX))
        await asyncio.sleep(0.01)
        await harness.settle()
        (event,) = writer.events
        assert (event.type, event.obj["code"]) == ("ERROR", 410)
        assert len(nearer.events) == STORE_REPLAY_MAX
        assert limits == [STORE_REPLAY_MAX + 1] * 2
        await harness.cacher.close()

    virtual_time.run(body())


def test_what_is_minutes_old_leaves_the_window_though_nothing_is_written() -> None:
    async def body(harness: Harness) -> None:
        for n in range(2 * CAPACITY_MIN):
            await harness.put("old", n=n)
        await asyncio.sleep(aging.KEPT_S - aging.LOOK_S)
        assert len(harness.cache.history) == 2 * CAPACITY_MIN
        younger = await harness.put("young")
        await harness.put("young", n=2)
        await asyncio.sleep(2.5 * aging.LOOK_S)
        assert len(harness.cache.history) == 2
        watch, writer = harness.watch(resource_version=str(younger))
        await harness.settle()
        assert [event.type for event in writer.events] == ["MODIFIED"]
        await asyncio.sleep(aging.KEPT_S)
        assert len(harness.cache.history) == 0
        assert harness.cache.history.floor == harness.cache.revision
        watch.end()

    play(Limits(3 * CAPACITY_MIN), body)


def test_a_watch_from_before_an_aged_window_resumes_from_the_store() -> None:
    async def body(harness: Harness) -> None:
        first = await harness.put("a", n=1)
        await harness.put("a", n=2)
        await harness.delete("a")
        await asyncio.sleep(aging.KEPT_S + 2 * aging.LOOK_S)
        assert len(harness.cache.history) == 0
        watch, writer = harness.watch(resource_version=str(first))
        await asyncio.sleep(0.01)
        await harness.settle()
        assert [event.type for event in writer.events] == ["MODIFIED", "DELETED"]
        watch.end()

    play(Limits(CAPACITY_MIN), body)


def test_much_that_is_old_leaves_in_several_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aging, "_DROPPED_AT_ONCE", 7)

    async def body(harness: Harness) -> None:
        other = harness.cacher.resource("test.io", "gadgets")
        for n in range(CAPACITY_MIN):
            await harness.put("a", n=n)
        await asyncio.sleep(aging.KEPT_S + 2 * aging.LOOK_S)
        assert len(harness.cache.history) == len(other.history) == 0

    play(Limits(CAPACITY_MIN), body)


@pytest.mark.parametrize(
    "writes, size, is_much", [(5, 100, False), (5, 1_200_000, True), (aging.TRIMMED_FROM + 1, 1, True)]
)
def test_the_memory_of_much_that_is_old_is_given_back(
    monkeypatch: pytest.MonkeyPatch, writes: int, size: int, is_much: bool
) -> None:
    """Few large objects are as much as many small ones."""
    trims: list[bool] = []
    monkeypatch.setattr(offload, "trim_heap", lambda: trims.append(True))
    monkeypatch.setattr(aging, "_DROPPED_AT_ONCE", 3 * CAPACITY_MIN)
    monkeypatch.setattr(packing, "UNPACKED_BYTES_MAX", 1 << 30)

    async def body(harness: Harness) -> None:
        for n in range(writes):
            await harness.put("a", padding="x" * size, n=n)
        await asyncio.sleep(aging.KEPT_S + 3 * aging.LOOK_S)
        assert len(harness.cache.history) == 0
        assert bool(trims) == is_much

    play(Limits(3 * CAPACITY_MIN), body)
