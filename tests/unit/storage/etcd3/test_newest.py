"""The revision of the store, asked once for many."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3.newest import NewestRevision


class Etcd:
    """It answers when it is told to."""

    def __init__(self) -> None:
        self.questions: list[asyncio.Future[int]] = []

    async def ask(self) -> int:
        self.questions.append(asyncio.get_running_loop().create_future())
        return await self.questions[-1]

    async def wait_for(self, count: int) -> None:
        async with asyncio.timeout(60):
            while len(self.questions) < count:
                await asyncio.sleep(0)


async def test_who_comes_later_is_not_told_what_was_asked_before() -> None:
    etcd = Etcd()
    newest = NewestRevision(etcd.ask)
    early = [newest.get() for _ in range(10)]
    await etcd.wait_for(1)
    late = [newest.get() for _ in range(10)]
    etcd.questions[0].set_result(5)
    assert await asyncio.gather(*early) == [5] * 10
    await etcd.wait_for(2)
    assert not any(future.done() for future in late)
    etcd.questions[1].set_result(7)
    assert await asyncio.gather(*late) == [7] * 10
    alone = newest.get()
    await etcd.wait_for(3)
    etcd.questions[2].set_result(8)
    assert (await alone, len(etcd.questions)) == (8, 3)


async def test_all_who_waited_are_told_of_a_failure_and_the_next_is_not() -> None:
    etcd = Etcd()
    newest = NewestRevision(etcd.ask)
    failing = [newest.get(), newest.get()]
    await etcd.wait_for(1)
    next_one = newest.get()
    etcd.questions[0].set_exception(interface.Unavailable("away"))
    for future in failing:
        with pytest.raises(interface.Unavailable, match="away"):
            await future
    await etcd.wait_for(2)
    etcd.questions[1].set_result(9)
    assert await next_one == 9


async def test_who_gives_up_leaves_the_others_waiting() -> None:
    etcd = Etcd()
    newest = NewestRevision(etcd.ask)
    given_up, other = newest.get(), newest.get()
    given_up.cancel()
    await etcd.wait_for(1)
    etcd.questions[0].set_result(3)
    assert await other == 3
    assert given_up.cancelled()
