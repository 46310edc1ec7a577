"""The line to another server: who may ask, who waits, and when it is left alone."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.controllers.garbage import lines
from quarterdeck.controllers.garbage.lines import TURNS_MAX, Line
from support.waiting import until


class Queue:
    name = "queue"

    def __init__(self) -> None:
        self.keys: list[str] = []

    def add(self, key: str) -> None:
        self.keys.append(key)


async def test_so_many_may_ask_and_the_others_wait_in_order() -> None:
    line, queue = Line("v1.g.dev"), Queue()
    begun = [line.begin(queue, str(number)) for number in range(TURNS_MAX + 3)]
    assert begun == [True] * TURNS_MAX + [False] * 3
    line.end()
    assert queue.keys == [str(TURNS_MAX)]
    line.end()
    assert queue.keys[1:] == [str(TURNS_MAX + 1), str(TURNS_MAX + 2)]
    line.close()


async def test_those_that_were_let_go_and_need_nothing_hold_up_nobody() -> None:
    line, queue = Line("v1.g.dev"), Queue()
    for number in range(TURNS_MAX + 20):
        line.begin(queue, str(number))
    for _ in range(TURNS_MAX):
        line.end()
    await until(lambda: len(queue.keys) == 20)
    line.close()


async def test_a_server_that_fails_is_left_alone_longer_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "REST_FIRST_S", 0.02)
    line, queue = Line("v1.g.dev"), Queue()
    loop = asyncio.get_running_loop()
    rests = []
    for _ in range(4):
        began_s = loop.time()
        line.fail()
        line.fail()  # several calls that were under way
        assert line.is_resting and not line.begin(queue, "key")
        await line.opened()
        rests.append(loop.time() - began_s)
    assert queue.keys == ["key"] * 4
    assert all(rest >= 0.015 * 2**number for number, rest in enumerate(rests))
    line.succeed()
    line.fail()
    began_s = loop.time()
    await line.opened()
    assert loop.time() - began_s < rests[-1]
    line.close()


async def test_news_of_the_server_end_its_rest() -> None:
    line, queue = Line("v1.g.dev"), Queue()
    line.fail()
    line.begin(queue, "key")
    line.wake()
    assert not line.is_resting and queue.keys == ["key"]
    line.close()


async def test_what_waits_for_a_line_that_ends_is_looked_at_again() -> None:
    line, queue = Line("v1.g.dev"), Queue()
    line.fail()
    for key in "abc":
        line.defer(queue, key)
    line.close()
    await line.opened()
    assert queue.keys == ["a", "b", "c"]
