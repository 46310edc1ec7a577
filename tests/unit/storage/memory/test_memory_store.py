"""What the memory backend has beyond the contract: a window of the past, and a stop when its sink fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.memory import Limits, MemoryStorage


def test_old_revisions_can_be_read_within_the_window_and_are_compacted_beyond() -> None:
    async def check() -> None:
        store = MemoryStorage(Limits(window_rows_max=10))
        revision = await store.create("/registry/a", b"0")
        first = revision
        for number in range(20):
            revision = await store.update("/registry/a", b"%d" % number, revision)
        assert store.compacted_revision == revision - 10
        found = await store.get("/registry/a", revision - 10)
        assert found is not None
        assert found.value == b"9"
        with pytest.raises(interface.Compacted):
            await store.get("/registry/a", first)

    asyncio.run(check())


def test_the_window_is_bounded_in_bytes_too() -> None:
    async def check() -> None:
        store = MemoryStorage(Limits(window_bytes_max=1000))
        for number in range(20):
            await store.create(f"/registry/{number:02}", bytes(300))
        assert store.compacted_revision == store.revision - 3
        assert store.stats().size_bytes < 20 * 300 + 1000

    asyncio.run(check())


def test_a_failed_sink_ends_acknowledging() -> None:
    def fail(events: Sequence[interface.Event], revision: int) -> None:
        raise RuntimeError("a bug")

    async def check() -> None:
        told: list[BaseException] = []
        store = MemoryStorage(on_fatal=told.append)
        store.subscribe(fail)
        for _ in range(2):
            with pytest.raises(interface.Unavailable):
                await store.create("/registry/a", b"x")
        assert len(told) == 1
        assert not store.is_available

    asyncio.run(check())


def test_a_page_of_an_older_revision_counts_what_is_left() -> None:
    async def check() -> None:
        store = MemoryStorage()
        made = {key: await store.create(key, b"x") for key in (f"/registry/pods/{number}" for number in range(9))}
        at = store.revision
        await store.delete("/registry/pods/4", made["/registry/pods/4"])
        await store.create("/registry/pods/44", b"x")
        page = await store.range("/registry/pods/", limit=5, revision=at)
        assert [item.key[-1] for item in page.items] == list("01234")
        assert page.remaining == 4

    asyncio.run(check())
