"""The checker finds what the cache has wrong, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from quarterdeck.storage.cacher.consistency import ConsistencyChecker, Mismatch
from support.watch_client import Harness


def test_a_right_cache_is_found_right_while_it_is_written(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        found: list[Mismatch] = []
        checker = ConsistencyChecker(harness.cacher, found.append, period_s=0.001)
        task = asyncio.ensure_future(checker.run())
        for n in range(200):
            await harness.put(f"o{n % 7}", n=n)
            if n % 5 == 0:
                await harness.delete(f"o{n % 7}")
            await asyncio.sleep(0.0002)
        task.cancel()
        assert found == []
        assert checker.checks["success"] > 3
        assert checker.checks["failure"] == 0

    run(body)


def test_each_kind_of_difference_is_found(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        for name in "abc":
            await harness.put(name)
        found: list[Mismatch] = []
        checker = ConsistencyChecker(harness.cacher, found.append)
        state = harness.cache.state
        missing = state.get("ns/b")
        assert missing is not None
        state.remove("ns/b")
        await checker.check(harness.cache)
        state.put(missing)
        await checker.check(harness.cache)
        stale = harness.cache.build_entry(harness.key("a"), missing.data, 1, 1, None)
        state.put(stale)
        await checker.check(harness.cache)
        assert [(mismatch.cached, mismatch.stored) for mismatch in found] == [
            ([], [("ns/b", 3)]),
            ([("ns/a", 1)], [("ns/a", 2)]),
        ]
        assert checker.checks == {"success": 1, "failure": 2, "error": 0}

    run(body)
