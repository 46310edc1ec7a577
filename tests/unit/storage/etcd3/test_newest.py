"""The revision of the store, asked once for many."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck._kernels.protobufwire import bytes_field, varint_field
from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import client
from quarterdeck.storage.etcd3.newest import NewestRevision
from support.waiting import until


class Etcd:
    """It answers when it is told to."""

    def __init__(self) -> None:
        self.questions: list[asyncio.Future[int]] = []

    async def ask(self) -> int:
        self.questions.append(asyncio.get_running_loop().create_future())
        return await self.questions[-1]

    async def wait_for(self, count: int) -> None:
        await until(lambda: len(self.questions) >= count)


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


class Call:
    """One that ends when it is told to."""

    def __init__(self, owner: NewestRevision) -> None:
        self.owner = owner
        self.is_over = self.is_cancelled = False
        self.status = -1
        self._answer: bytes | None = None

    def end(self, status: int, answer: bytes | None = None) -> None:
        self.is_over, self.status, self._answer = True, status, answer
        self.owner.touched(self)

    def take(self) -> bytes | None:
        return self._answer

    def cancel(self) -> None:
        self.is_cancelled = True


class Calls:
    """`is_away`: there is no connection."""

    def __init__(self) -> None:
        self.made: list[Call] = []
        self.is_away = False

    def begin(self, owner: NewestRevision) -> Call | None:
        if self.is_away:
            return None
        self.made.append(Call(owner))
        return self.made[-1]

    async def wait_for(self, count: int) -> None:
        await until(lambda: len(self.made) >= count)


def answer_of(revision: int) -> bytes:
    return bytes_field(1, varint_field(3, revision)) + varint_field(4, 1)


async def test_a_call_tells_all_who_came_before_it_at_once() -> None:
    etcd, calls = Etcd(), Calls()
    newest = NewestRevision(etcd.ask, calls.begin)
    told: list[tuple[str, int, BaseException | None]] = []
    newest.tell(lambda revision, error: told.append(("early", revision, error)))
    newest.tell(lambda revision, error: told.append(("other", revision, error)))
    assert calls.made == []  # who comes in this turn is still in time
    await calls.wait_for(1)
    newest.tell(lambda revision, error: told.append(("late", revision, error)))
    calls.made[0].end(0, answer_of(5))
    assert told == [("early", 5, None), ("other", 5, None)]
    await calls.wait_for(2)
    calls.made[1].end(0, answer_of(7))
    assert told[2:] == [("late", 7, None)]
    assert etcd.questions == []
    newest.close()


async def test_a_call_that_fails_or_cannot_be_made_is_tried_again_in_the_usual_way() -> None:
    etcd, calls = Etcd(), Calls()
    newest = NewestRevision(etcd.ask, calls.begin)
    first = newest.get()
    await calls.wait_for(1)
    calls.made[0].end(14)
    await etcd.wait_for(1)
    etcd.questions[0].set_result(5)
    assert await first == 5
    calls.is_away = True
    second = newest.get()
    await etcd.wait_for(2)
    etcd.questions[1].set_exception(interface.Unavailable("away"))
    with pytest.raises(interface.Unavailable, match="away"):
        await second
    calls.is_away = False
    third = newest.get()
    await calls.wait_for(2)
    calls.made[1].end(0, answer_of(6))
    assert await third == 6
    newest.close()


async def test_one_who_fails_when_told_leaves_the_others_their_answer() -> None:
    calls = Calls()
    newest = NewestRevision(Etcd().ask, calls.begin)
    newest.tell(lambda revision, error: {}[revision])
    other = newest.get()
    await calls.wait_for(1)
    calls.made[0].end(0, answer_of(5))
    assert await other == 5
    newest.close()


async def test_a_call_without_an_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls()
    newest = NewestRevision(Etcd().ask, calls.begin)
    waiting = newest.get()
    await calls.wait_for(1)
    loop = asyncio.get_running_loop()
    now_s = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now_s + client.CALL_S - 1)
    newest._look()
    assert not calls.made[0].is_cancelled
    monkeypatch.setattr(loop, "time", lambda: now_s + client.CALL_S + 1)
    newest._look()
    with pytest.raises(client.EtcdError, match="context deadline exceeded"):
        await waiting
    assert calls.made[0].is_cancelled
    newest.close()
