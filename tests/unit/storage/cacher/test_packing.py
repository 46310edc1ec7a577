"""Large objects that only the window holds are packed: it holds less, and whoever reads them is shown the same."""

from __future__ import annotations

import asyncio
import gc
import random
from collections.abc import Callable, Iterator

import pytest

from quarterdeck._kernels import watchobject
from quarterdeck.storage.cacher import history, packing
from quarterdeck.storage.cacher.history import History
from support.watch_client import Harness

UNPACKED_MAX = 200_000


@pytest.fixture(autouse=True)
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "UNPACKED_BYTES_MAX", UNPACKED_MAX)
    monkeypatch.setattr(packing, "STEP_BYTES", 100_000)


def entry_of(path: str, revision: int, data: bytes) -> watchobject.Entry:
    return watchobject.Entry(path, path.split("/")[0], data, revision, revision, {}, {})


def superseding(sizes: list[int], rng: random.Random) -> Iterator[tuple[watchobject.Change, bytes]]:
    """Changes of some objects, each with what it superseded; some are deletions."""
    live: dict[str, watchobject.Entry] = {}
    for revision, size in enumerate(sizes, 2):
        path = f"ns/{rng.randrange(5)}"
        old = live.pop(path, None)
        is_random = rng.random() < 0.05  # nothing that packs well
        data = rng.randbytes(size) if is_random else (b'{"resourceVersion":"%d","a":"b"}' % revision) * (size // 30)
        entry = None if old is not None and rng.random() < 0.2 else entry_of(path, revision, data)
        if entry is not None:
            live[path] = entry
        yield watchobject.Change(entry, old, revision), b"" if old is None else old.data


def held_by(window: History) -> int:
    return sum(each.old.held_bytes for each in window.since(window.floor) if each.old is not None)


@pytest.mark.parametrize("seed", range(20))
def test_a_window_shows_what_was_there_and_holds_less(seed: int) -> None:
    rng = random.Random(seed)
    window, expected = History(1, 300), {}
    for change, old_data in superseding(rng.choices([100, 20_000, 60_000, 300_000], (4, 4, 2, 1), k=400), rng):
        window.append(change)
        expected[change.revision] = old_data
        assert window._bytes == sum(history._size(each) for each in window.since(window.floor))
    kept = window.since(window.floor)
    assert [each.revision for each in kept] == list(expected)[-len(kept) :]
    assert all(each.old is None or each.old.data == expected[each.revision] for each in kept)
    assert held_by(window) < sum(len(expected[each.revision]) for each in kept) / 2


def test_what_the_window_drops_is_gone_also_where_it_waits_to_be_packed() -> None:
    gc.collect()
    before = watchobject.count_alive()
    rng = random.Random(1)
    window = History(1, 10)
    for change, _ in superseding([60_000] * 100, rng):
        window.append(change)
        del change
    assert watchobject.count_alive()["changes"] - before["changes"] == len(window)
    window.forget(1000)
    assert watchobject.count_alive()["changes"] == before["changes"]


def test_few_large_objects_and_many_small_ones_are_left_alone() -> None:
    window = History(1, 100_000)
    for revision in range(2, 60):
        large = entry_of("ns/a", revision, b"x" * 4000)
        window.append(watchobject.Change(large, entry_of("ns/a", revision - 1, b"x" * 4000), revision))
    for revision in range(60, 63):
        large = entry_of("ns/b", revision, b"x" * 60_000)
        window.append(watchobject.Change(large, entry_of("ns/b", revision - 1, b"x" * 60_000), revision))
    assert held_by(window) == 58 * 4000 + 3 * 60_000


def test_what_large_objects_may_wait_is_bounded() -> None:
    window = History(1, 100_000)
    data = b'{"a":"b"}' * 5000
    for revision in range(2, 500):
        entry, old = entry_of("ns/a", revision, data), entry_of("ns/a", revision - 1, data)
        window.append(watchobject.Change(entry, old, revision))
        assert held_by(window) < UNPACKED_MAX + len(data) + (revision - 1) * len(data) / 50


@pytest.mark.parametrize("selector", ["", "app=1"])
def test_a_watch_that_resumes_sees_packed_objects(run: Callable[..., None], selector: str) -> None:
    async def body(harness: Harness) -> None:
        text = "some text " * 4000
        _, live = harness.watch(label_selector=selector)
        first = await harness.put("other")
        for n in range(20):
            await harness.put("a", labels={"app": str(n % 3 % 2)}, text=f"{n} {text}")
        await harness.delete("a")
        await harness.settle()
        changes = harness.cache.history.since(first)
        assert sum(each.old is not None and each.old.held_bytes < 10_000 for each in changes) > 10
        _, resumed = harness.watch(resource_version=str(first), label_selector=selector)
        await asyncio.sleep(0)
        await harness.settle()
        told = [(each.type, each.revision, each.obj) for each in live.events if each.revision > first]
        assert [(each.type, each.revision, each.obj) for each in resumed.events] == told
        assert len(told) > 10

    run(body)


def test_a_list_of_the_past_shows_packed_objects(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        text = "some text " * 4000
        revisions = [await harness.put("a", text=f"{n} {text}") for n in range(20)]
        for n, revision in enumerate(revisions):
            options = harness.list_options(resource_version=str(revision), resource_version_match="Exact")
            (entry,) = (await harness.cache.list(options)).entries
            assert f'"text":"{n} some text'.encode() in entry.data
            assert f'"resourceVersion":"{revision}"'.encode() in entry.data

    run(body)
