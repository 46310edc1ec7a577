"""What looks at many objects does so in steps: others have their turns, and what is shown is of one revision."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from quarterdeck._kernels import watchobject
from quarterdeck.storage.cacher import Entry, KeptList, Limits, history, stored
from quarterdeck.storage.cacher.history import History
from quarterdeck.storage.cacher.state import State
from support.memory_store import MemoryStore
from support.waiting import PATIENCE_S
from support.watch_client import Harness, make_object, names, select_fields

STEP = 500


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "STEP_OBJECTS", STEP)


async def count_turns(work: Coroutine[Any, Any, Any]) -> tuple[Any, int]:
    """The outcome, and how many turns of the loop it took."""
    task = asyncio.ensure_future(work)
    turns = 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    return await task, turns


async def filled(count: int, limits: Limits | None = None) -> Harness:
    """A cache that has loaded so many objects, a tenth of them red."""
    store = MemoryStore()
    for number in range(count):
        color = "red" if number % 10 == 0 else "blue"
        value = make_object(f"o{number:05}", "ns", labels={"color": color}, color=color)
        await store.create(f"/registry/test.io/widgets/ns/o{number:05}", value)
    return await Harness.start(store, limits)


def run_with(count: int, body: Callable[[Harness], Coroutine[Any, Any, None]], limits: Limits | None = None) -> None:
    async def main() -> None:
        harness = await filled(count, limits)
        try:
            await body(harness)
        finally:
            await harness.cacher.close()

    asyncio.run(main())


def test_the_first_selector_decodes_in_steps_and_later_ones_need_none() -> None:
    async def body(harness: Harness) -> None:
        cache = harness.cache
        assert cache.undecoded == 400
        options = harness.list_options(label_selector="color=red")
        assert cache.list_now(options) is None
        listing, turns = await count_turns(cache.list(options))
        assert len(listing.entries) == 40
        assert turns >= 400 * stored.DECODED_COST / (250 * stored.DECODED_COST)
        assert (cache.undecoded, cache.counts.decoded) == (0, 400)
        assert cache.list_now(options) is not None
        by_field = cache.list_now(harness.list_options(field_selector="spec.color=red"))
        assert by_field is not None
        assert by_field.entries == listing.entries
        assert cache.counts.decoded == 400

    run_with(400, body)


def test_a_list_in_steps_shows_the_revision_at_which_it_began() -> None:
    async def body(harness: Harness) -> None:
        revision = harness.cacher.revision
        task = asyncio.ensure_future(harness.cache.list(harness.list_options(label_selector="color=red")))
        await asyncio.sleep(0)
        await harness.put("a-new-one", labels={"color": "red"})
        await harness.put("o01999", labels={"color": "red"})
        await harness.put("z-new-one", labels={"color": "red"})
        await harness.delete("o01990")
        await harness.delete("o00000")
        listing = await task
        assert listing.revision == revision
        assert names(listing) == [f"ns/o{number:05}" for number in range(0, 2000, 10)]

    run_with(2000, body)


def test_a_whole_list_of_many_is_kept_until_something_changes() -> None:
    async def body(harness: Harness) -> None:
        cache = harness.cache
        whole, narrowed = harness.list_options(namespace="ns"), harness.list_options(label_selector="color=red")
        assert cache.list_now(whole) is None
        first = await cache.list(whole)
        assert len(first.entries) == 2000
        again = cache.list_now(whole)
        assert again == first
        assert again is not None
        assert again.kept is first.kept is not None
        await cache.list(narrowed)
        page = cache.list_now(harness.list_options(namespace="ns", limit=3))
        assert page is not None
        assert names(page) == ["ns/o00000", "ns/o00001", "ns/o00002"]
        for change in (
            harness.put("o00005", labels={}),
            harness.put("another", labels={}),
            harness.delete("o00007"),
        ):
            await change
            assert cache.list_now(whole) is None, "kept beyond a change"
            listing = await cache.list(whole)
            assert listing.revision == harness.cacher.revision
            assert listing.entries == cache.state.all()
        assert len(first.entries) == 2000, "who was answered before keeps that state"

    run_with(2000, body)


def test_the_bytes_of_many_objects_are_gathered_in_steps() -> None:
    values = [make_object(f"o{number:05}", "ns") for number in range(25_000)]
    entries = [Entry(f"ns/o{number:05}", "ns", value, 1, 1) for number, value in enumerate(values)]
    kept, at_once = KeptList(entries), KeptList(entries)
    assert not kept.is_gathered
    assert not kept.fits_a_step
    _, turns = asyncio.run(count_turns(kept.gather()))
    assert turns >= 3
    at_once.gather_now()
    for each in (kept, at_once):
        assert each.is_gathered
        assert each.data == values
        assert each.data_bytes == sum(map(len, values))


def test_a_list_during_which_something_changed_is_not_kept() -> None:
    async def body(harness: Harness) -> None:
        whole = harness.list_options(namespace="ns")
        task = asyncio.ensure_future(harness.cache.list(whole))
        await asyncio.sleep(0)
        await harness.delete("o01999")
        assert len((await task).entries) == 2000
        assert harness.cache.list_now(whole) is None
        assert len((await harness.cache.list(whole)).entries) == 1999

    run_with(2000, body)


@pytest.mark.parametrize("history_min", [100, 0], ids=["window", "store"])
def test_pages_of_a_selection_in_steps(history_min: int) -> None:
    async def body(harness: Harness) -> None:
        found: list[str] = []
        token = ""
        while True:
            options = harness.list_options(label_selector="color=red", limit=30, continue_token=token)
            listing = harness.cache.list_now(options) or await harness.cache.list(options)
            found += names(listing)
            await harness.put(f"o{random.randrange(2000):05}", labels={"color": "green"})
            await harness.put(f"x{random.randrange(2000):05}", labels={"color": "red"})
            if not (token := listing.continue_token):
                break
        assert found == [f"ns/o{number:05}" for number in range(0, 2000, 10)]

    random.seed(3)
    run_with(2000, body, Limits(history_min=history_min))


def test_a_list_whose_window_is_overtaken_is_read_from_the_store() -> None:
    async def body(harness: Harness) -> None:
        revision = harness.cacher.revision
        task = asyncio.ensure_future(harness.cache.list(harness.list_options(label_selector="color=red")))
        await asyncio.sleep(0)
        await harness.put("a-new-one", labels={"color": "red"})
        listing = await task
        assert (len(listing.entries), listing.revision) == (200, revision)

    run_with(2000, body, Limits(history_min=0))


def test_initial_objects_of_a_watch_are_found_in_steps() -> None:
    async def body(harness: Harness) -> None:
        _, writer = harness.watch(label_selector="color=red", resource_version="0")
        assert not writer.shown
        await harness.put("o00001", labels={"color": "red"})
        async with asyncio.timeout(PATIENCE_S):
            while len(writer.shown) < 201:
                await asyncio.sleep(0)
                await harness.settle()
        assert [line.split()[0] for line in writer.shown] == ["ADDED"] * 201
        assert writer.shown[-1] == f"ADDED ns/o00001 {harness.cacher.revision}"

    run_with(2000, body)


def test_fields_are_found_anew_only_where_others_are_selected() -> None:
    async def body(harness: Harness) -> None:
        await harness.cache.list(harness.list_options(field_selector="spec.color=red"))
        harness.cacher.resource("test.io", "widgets", select_fields)
        assert harness.cache.undecoded == 0
        harness.cacher.resource("test.io", "widgets", lambda obj: {"spec.color": "green"})
        assert harness.cache.undecoded == 400
        listing = await harness.cache.list(harness.list_options(field_selector="spec.color=green"))
        assert len(listing.entries) == 400

    run_with(400, body)


# - the window


def make_entry(path: str, revision: int, size: int = 10) -> Entry:
    return Entry(path, path.split("/")[0], b"x" * size, revision, revision, {}, {})


def test_the_window_is_bounded_by_what_it_keeps_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "BYTES_MAX", 100_000)
    window = History(0, 1000)
    for revision in range(1, 101):
        window.append(watchobject.Change(make_entry(f"ns/{revision}", revision, 5000), None, revision))
    assert len(window) == 100  # what was created lives anyway
    for revision in range(101, 201):
        old = make_entry(f"ns/{revision - 100}", revision - 100, 5000)
        window.append(watchobject.Change(None, old, revision))
    kept = [change for change in window.since(window.floor) if change.entry is None]
    assert sum(len(change.old.data) for change in kept if change.old is not None) <= 100_000
    assert kept


@pytest.mark.parametrize("seed", range(10))
def test_an_older_state_follows_the_changes(seed: int) -> None:
    rng = random.Random(seed)
    paths = [f"{namespace}/{number}" for namespace in "ab" for number in range(8)]
    state, window = State(), History(0, 10_000)
    past: list[dict[str, Entry]] = [{}]
    for revision in range(1, 150):
        path = rng.choice(paths)
        old = state.get(path)
        if old is not None and rng.random() < 0.5:
            entry = None
            state.remove(path)
        else:
            entry = make_entry(path, revision)
            state.put(entry)
        window.append(watchobject.Change(entry, old, revision))
        past.append({each.path: each for each in state.all()})
        if rng.random() < 0.5:
            asked = rng.randrange(revision + 1)
            one = window.past_at(asked)
            while not window.follow(one, 3):
                pass
            prefix, start = rng.choice(["", "a/", "b/"]), rng.choice(["", "a/3", "b/5"])
            wanted = [past[asked][key] for key in sorted(past[asked]) if key.startswith(prefix) and key >= start]
            assert list(state.range_at(one, prefix, start)) == wanted
            assert state.count_at(one, prefix, start) == len(wanted)
