"""The clock that objects are stamped by: the machine's, or one that was handed in to a context or to the process."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from quarterdeck._kernels import uids
from quarterdeck.apimachinery import clock, meta, randomness


@dataclass(frozen=True)
class Fixed:
    at_s: float

    def wall_s(self) -> float:
        return self.at_s

    def unique_ns(self) -> int:
        return int(self.at_s) * 10**9 + 7


@dataclass(frozen=True)
class Same:
    byte: bytes

    def take(self, count: int) -> bytes:
        return self.byte * count


@pytest.fixture(autouse=True)
def _the_machines_at_the_end() -> Iterator[None]:
    yield
    clock.replace(None)
    randomness.replace(None)


def told() -> tuple[str, float, int]:
    return clock.now(), clock.wall_s(), clock.unique_ns()


def test_the_machines_clock_is_told_in_whole_seconds() -> None:
    clock.replace(None)
    before = int(time.time())
    now, wall_s, unique_ns = told()
    assert before <= wall_s < time.time() + 1
    assert before * 10**9 <= unique_ns
    assert now in {time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second)) for second in (before, before + 1)}


def test_what_is_handed_in_counts_from_then_on() -> None:
    clock.now()
    clock.replace(Fixed(1_000_000_000.5))
    assert told() == ("2001-09-09T01:46:40Z", 1_000_000_000.5, 1_000_000_000 * 10**9 + 7)
    clock.replace(Fixed(0))
    assert told() == ("1970-01-01T00:00:00Z", 0, 7)


def test_tasks_go_by_the_clock_of_the_context_that_began_them() -> None:
    clock.replace(Fixed(0))
    randomness.replace(Same(b"\1"))

    async def ask() -> tuple[str, str]:
        await asyncio.sleep(0)
        return clock.now(), meta.new_uid()

    def begin(day: int) -> asyncio.Task[tuple[str, str]]:
        clock.use(Fixed(day * 86400))
        randomness.use(Same(bytes([day])))
        return asyncio.get_running_loop().create_task(ask())

    async def ask_all() -> list[tuple[str, str]]:
        tasks = [contextvars.copy_context().run(begin, day) for day in (1, 2)]
        return await asyncio.gather(*tasks, ask())

    assert asyncio.run(ask_all()) == [
        ("1970-01-02T00:00:00Z", "01010101-0101-4101-8101-010101010101"),
        ("1970-01-03T00:00:00Z", "02020202-0202-4202-8202-020202020202"),
        ("1970-01-01T00:00:00Z", "01010101-0101-4101-8101-010101010101"),
    ]


def test_requests_have_ids_of_the_systems_own_randomness() -> None:
    randomness.replace(Same(b"\1"))
    assert meta.new_uid() == meta.new_uid()
    assert meta.generate_name("a-") == meta.generate_name("a-")
    assert len({uids.new_request_id() for _ in range(600)}) == 600


def test_choices_by_chance_reach_every_value_below_their_bound() -> None:
    randomness.replace(None)
    assert {randomness.below(3) for _ in range(200)} == {0, 1, 2}
