"""The circuit breaker of another server: who may ask, who waits, and when it is left alone."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.controllers.garbage.circuitbreaker import TURNS_MAX, CircuitBreaker
from support import virtual_time
from support.waiting import until


class Queue:
    name = "queue"

    def __init__(self) -> None:
        self.keys: list[str] = []

    def add(self, key: str) -> None:
        self.keys.append(key)


async def test_so_many_may_ask_and_the_others_wait_in_order() -> None:
    breaker, queue = CircuitBreaker("v1.g.dev"), Queue()
    begun = [breaker.begin(queue, str(number)) for number in range(TURNS_MAX + 3)]
    assert begun == [True] * TURNS_MAX + [False] * 3
    breaker.end()
    assert queue.keys == [str(TURNS_MAX)]
    breaker.end()
    assert queue.keys[1:] == [str(TURNS_MAX + 1), str(TURNS_MAX + 2)]
    breaker.close()


async def test_those_that_were_let_go_and_need_nothing_hold_up_nobody() -> None:
    breaker, queue = CircuitBreaker("v1.g.dev"), Queue()
    for number in range(TURNS_MAX + 20):
        breaker.begin(queue, str(number))
    for _ in range(TURNS_MAX):
        breaker.end()
    await until(lambda: len(queue.keys) == 20)
    breaker.close()


def test_a_server_that_fails_is_left_alone_longer_each_time() -> None:
    async def body() -> None:
        breaker, queue = CircuitBreaker("v1.g.dev"), Queue()
        loop = asyncio.get_running_loop()

        async def rest_s() -> float:
            begin_s = loop.time()
            breaker.fail()
            breaker.fail()  # several calls that were under way
            assert breaker.is_resting and not breaker.begin(queue, "key")
            await breaker.usable()
            return loop.time() - begin_s

        assert [await rest_s() for _ in range(8)] == pytest.approx([0.5, 1, 2, 4, 8, 16, 30, 30])
        assert queue.keys == ["key"] * 8
        breaker.succeed()
        assert await rest_s() == pytest.approx(0.5)
        breaker.close()

    virtual_time.run(body())


async def test_news_of_the_server_end_its_rest() -> None:
    breaker, queue = CircuitBreaker("v1.g.dev"), Queue()
    breaker.fail()
    breaker.begin(queue, "key")
    breaker.wake()
    assert not breaker.is_resting and queue.keys == ["key"]
    breaker.close()


async def test_what_waits_for_a_server_that_is_not_needed_any_more_is_looked_at_again() -> None:
    breaker, queue = CircuitBreaker("v1.g.dev"), Queue()
    breaker.fail()
    for key in "abc":
        breaker.defer(queue, key)
    breaker.close()
    await breaker.usable()
    assert queue.keys == ["a", "b", "c"]
