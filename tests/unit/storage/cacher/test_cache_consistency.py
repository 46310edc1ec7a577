"""The checker finds what the cache has wrong, and nothing else."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

import pytest

from quarterdeck.storage.cacher import consistency
from quarterdeck.storage.cacher.consistency import ConsistencyChecker, Mismatch
from support.watch_client import Harness


class Checked:
    """A checker, what it found and how its checks ended."""

    def __init__(self, harness: Harness, period_s: float = 0.0) -> None:
        self.found: list[Mismatch] = []
        self.outcomes: Counter[str] = Counter()
        self.checker = ConsistencyChecker(harness.cacher, self.found.append, self._count, period_s)

    def _count(self, prefix: str, outcome: str) -> None:
        assert prefix == "/registry/test.io/widgets/"
        self.outcomes[outcome] += 1


def test_a_right_cache_is_found_right_while_it_is_written(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        checked = Checked(harness, period_s=0.001)
        checked.checker.start()
        for n in range(200):
            await harness.put(f"o{n % 7}", n=n)
            if n % 5 == 0:
                await harness.delete(f"o{n % 7}")
            await asyncio.sleep(0.0002)
        await checked.checker.stop()
        assert checked.found == []
        assert checked.outcomes["success"] > 3
        assert set(checked.outcomes) == {"success"}

    run(body)


def test_a_period_of_zero_means_never(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        checked = Checked(harness)
        checked.checker.start()
        await asyncio.sleep(0.01)
        await checked.checker.stop()
        assert not checked.outcomes

    run(body)


def test_a_store_that_has_forgotten_the_revision_is_an_error_and_no_mismatch(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        await harness.put("a")
        checked = Checked(harness)
        check = asyncio.ensure_future(checked.checker.check(harness.cache))
        harness.store.compacted_revision = harness.store.revision + 1
        assert await check is None
        assert checked.outcomes == {"error": 1}
        assert checked.found == []

    run(body)


@pytest.mark.parametrize("page", [1, 2, 3, 1000])
def test_each_kind_of_difference_is_found(run: Callable[..., None], page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "_PAGE", page)

    async def body(harness: Harness) -> None:
        for name in "abc":
            await harness.put(name)
        checked = Checked(harness)
        state = harness.cache.state
        missing = state.get("ns/b")
        assert missing is not None
        state.remove("ns/b")
        await checked.checker.check(harness.cache)
        state.put(missing)
        await checked.checker.check(harness.cache)
        stale = harness.cache.build_entry(harness.key("a"), missing.data, 1, 1, None)
        state.put(stale)
        await checked.checker.check(harness.cache)
        await harness.put("d")
        gone = harness.cache.build_entry(harness.key("z"), missing.data, 1, 1, None)
        state.put(gone)
        await checked.checker.check(harness.cache)
        assert [(mismatch.cached, mismatch.stored) for mismatch in checked.found] == [
            ([], [("ns/b", 3)]),
            ([("ns/a", 1)], [("ns/a", 2)]),
            ([("ns/a", 1), ("ns/z", 1)], [("ns/a", 2)]),
        ]
        assert checked.outcomes == {"success": 1, "failure": 3}

    run(body)
