"""Work on many items at once: bounded, and over when it fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quarterdeck.apimachinery.concurrency import for_each


def test_every_item_is_worked_on_and_few_at_once() -> None:
    done: list[int] = []
    under_way = most = 0

    async def work(item: int) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        done.append(item)

    asyncio.run(for_each(range(100), work, at_once=7))
    assert sorted(done) == list(range(100))
    assert most == 7


def test_after_a_failure_nothing_is_begun_and_what_is_under_way_is_finished() -> None:
    begun: list[int] = []
    finished: list[int] = []

    async def work(item: int) -> None:
        begun.append(item)
        await asyncio.sleep(0)
        if item == 1:
            raise ValueError("no")
        await asyncio.sleep(0)
        finished.append(item)

    with pytest.raises(ValueError, match="no"):
        asyncio.run(for_each(range(100), work, at_once=3))
    assert begun == [0, 1, 2]
    assert finished == [0, 2]


def test_a_failure_at_once_keeps_those_after_it_from_beginning() -> None:
    begun: list[int] = []

    async def work(item: int) -> None:
        begun.append(item)
        if item == 1:
            raise ValueError("no")
        await asyncio.sleep(0)

    with pytest.raises(ValueError, match="no"):
        asyncio.run(for_each(range(100), work, at_once=5))
    assert begun == [0, 1]


@pytest.mark.parametrize(("items", "expected"), [(0, 0), (3, 3), (100, 7)])
def test_no_more_tasks_are_made_than_there_are_items(items: int, expected: int) -> None:
    made = 0

    async def work(item: int) -> None:
        await asyncio.sleep(0)

    async def main() -> None:
        def build(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
            nonlocal made
            made += 1
            return asyncio.Task(coroutine, loop=loop, **options)

        asyncio.get_running_loop().set_task_factory(build)
        await for_each(range(items), work, at_once=7)
        assert made == expected  # the end of the loop makes some of its own

    asyncio.run(main())
