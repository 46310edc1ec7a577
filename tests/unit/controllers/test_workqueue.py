"""Queues: a key waits once, is worked on by one worker at a time, comes again after failures as client-go's does."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

from quarterdeck.controllers.backoff import BACKOFF_MAX_S, RETRIES_AT_ONCE, Backoff
from quarterdeck.controllers.workqueue import PASSING_FAILURES, Controller
from support.fake_clock import FakeClock
from support.waiting import until


class Recorder:
    def __init__(self) -> None:
        self.done: list[str] = []
        self.failing: set[str] = set()
        self.values: list[float] = []

    async def sync(self, key: str) -> None:
        self.done.append(key)
        if key in self.failing:
            raise ValueError(key)

    def observe(self, value: float) -> None:
        self.values.append(value)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


async def work(queue: Controller) -> None:
    while queue.depth:
        await queue.work_on_next()


async def test_a_key_waits_once_in_the_order_of_its_first_add(clock: FakeClock, recorder: Recorder) -> None:
    queue = Controller("q", recorder.sync, clock=clock)
    for key in ("a", "b", "a"):
        queue.add(key)
    assert (queue.depth, queue.adds) == (2, 2)
    await work(queue)
    assert recorder.done == ["a", "b"]


async def test_workers_come_with_keys_no_more_than_are_needed_and_in_the_context_of_the_start() -> None:
    told: ContextVar[str] = ContextVar("told", default="the start")
    gate, seen = asyncio.Event(), list[str]()

    async def sync(key: str) -> None:
        seen.append(told.get())
        await gate.wait()

    before = asyncio.all_tasks()
    queue = Controller("q", sync, workers=3)
    queue.start()
    assert queue.is_running
    assert asyncio.all_tasks() == before
    for number, count in enumerate((1, 2, 3, 3), 1):
        told.set("a request")
        queue.add(f"k{number}")
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks() - before) == count
    gate.set()
    await until(lambda: queue.is_idle)
    queue.add("k5")
    await until(lambda: len(seen) == 5 and queue.is_idle)
    assert seen == ["the start"] * 5
    assert len(asyncio.all_tasks() - before) == 3, "who waits for a key takes the next one"
    await queue.stop()
    assert asyncio.all_tasks() == before


async def test_a_key_added_while_it_is_worked_on_comes_again_and_never_twice_at_once() -> None:
    active = most = 0
    done = 0
    gate = asyncio.Event()

    async def sync(key: str) -> None:
        nonlocal active, most, done
        active += 1
        most = max(most, active)
        await gate.wait()
        active -= 1
        done += 1

    queue = Controller("q", sync, workers=3)
    queue.start()
    queue.add("a")
    await asyncio.sleep(0)
    queue.add("a")
    assert queue.depth == 1
    gate.set()
    while not queue.is_idle:
        await asyncio.sleep(0)
    await queue.stop()
    assert (done, most) == (2, 1)


async def test_failures_double_the_delay_up_to_a_thousand_seconds(clock: FakeClock, recorder: Recorder) -> None:
    queue = Controller("q", recorder.sync, clock=clock)
    recorder.failing = {"a"}
    delays = []
    queue.add("a")
    for _ in range(22):
        await work(queue)
        delays.append(clock.due_s()[0])
        clock.advance(delays[-1])
    assert delays[:4] == pytest.approx([0.005, 0.01, 0.02, 0.04])
    assert delays[17:] == pytest.approx([0.005 * 2**17, BACKOFF_MAX_S, BACKOFF_MAX_S, BACKOFF_MAX_S, BACKOFF_MAX_S])
    assert queue.retries == 22


async def test_success_forgets_the_failures(clock: FakeClock, recorder: Recorder) -> None:
    queue = Controller("q", recorder.sync, clock=clock)
    recorder.failing = {"a"}
    queue.add("a")
    for _ in range(5):
        await work(queue)
        clock.advance(1)
    recorder.failing = set()
    await work(queue)
    recorder.failing = {"a"}
    queue.add("a")
    await work(queue)
    assert clock.due_s() == pytest.approx([0.005])


def test_many_failing_keys_come_again_ten_a_second_after_the_first_hundred(clock: FakeClock) -> None:
    backoff = Backoff()
    delays = [backoff.delay_s(f"k{number}", clock.now_s()) for number in range(RETRIES_AT_ONCE + 20)]
    assert delays[:RETRIES_AT_ONCE] == pytest.approx([0.005] * RETRIES_AT_ONCE)
    assert delays[RETRIES_AT_ONCE:] == pytest.approx([0.1 * (number + 1) for number in range(20)])
    clock.advance(12)
    assert backoff.delay_s("later", clock.now_s()) == pytest.approx(0.005)


async def test_a_queue_has_its_own_first_and_longest_wait(clock: FakeClock, recorder: Recorder) -> None:
    queue = Controller("q", recorder.sync, clock=clock, retry_first_s=0.5, retry_max_s=1.5)
    recorder.failing = {"a"}
    queue.add("a")
    for wait_s in (0.5, 1.0, 1.5, 1.5):
        await work(queue)
        assert clock.due_s() == pytest.approx([wait_s])
        clock.advance(wait_s)
    await queue.hold()
    queue.resume()
    queue.add("a")
    await work(queue)
    assert clock.due_s() == pytest.approx([0.5])


async def test_one_failing_key_does_not_hold_up_another(clock: FakeClock, recorder: Recorder) -> None:
    queue = Controller("q", recorder.sync, clock=clock)
    recorder.failing = {"bad"}
    queue.add("bad")
    queue.add("good")
    await work(queue)
    assert recorder.done == ["bad", "good"]


@pytest.mark.parametrize("first_s, second_s", [(1.0, 5.0), (5.0, 1.0)])
async def test_the_earlier_of_two_times_stands(
    clock: FakeClock, recorder: Recorder, first_s: float, second_s: float
) -> None:
    queue = Controller("q", recorder.sync, clock=clock)
    queue.add_after("a", first_s)
    queue.add_after("a", second_s)
    assert clock.due_s() == [1.0]
    clock.advance(10)
    await work(queue)
    assert recorder.done == ["a"]
    assert queue.is_idle


async def test_a_stopped_queue_leaves_nothing_behind(clock: FakeClock, recorder: Recorder) -> None:
    queue = Controller("q", recorder.sync, clock=clock)
    queue.start()
    queue.add_after("a", 1)
    await queue.stop()
    clock.advance(10)
    assert recorder.done == []


async def test_times_are_told(clock: FakeClock, recorder: Recorder) -> None:
    begun, gate = asyncio.Event(), asyncio.Event()

    async def sync(key: str) -> None:
        begun.set()
        await gate.wait()

    queue = Controller("q", sync, clock=clock)
    queue.queue_durations, work_durations = recorder, Recorder()
    queue.work_durations = work_durations
    queue.add("a")
    clock.advance(2)
    queue.start()
    await begun.wait()
    clock.advance(3)
    assert (queue.unfinished_s(), queue.longest_s()) == (3, 3)
    gate.set()
    while not queue.is_idle:
        await asyncio.sleep(0)
    await queue.stop()
    assert (recorder.values, work_durations.values) == ([2], [3])
    assert (queue.unfinished_s(), queue.longest_s()) == (0, 0)


async def test_failed_keys_and_short_waits_go_by_the_steady_clock_while_the_own_one_stands(
    clock: FakeClock, recorder: Recorder
) -> None:
    queue, steady = Controller("q", recorder.sync, clock=clock), FakeClock()
    queue.steady_clock = steady
    recorder.failing = {"a"}
    queue.add("a")
    queue.add_soon("b", 0.1)
    queue.add_soon("b", 5)
    queue.add_after("c", 60)
    await work(queue)
    assert (steady.due_s(), clock.due_s()) == (pytest.approx([0.005, 0.1]), pytest.approx([60]))
    recorder.failing = set()
    steady.advance(1)
    await work(queue)
    assert recorder.done == ["a", "a", "b"]


async def test_a_queue_has_settled_once_nothing_is_left_but_what_waits_for_its_time_or_fails_on_and_on(
    clock: FakeClock, recorder: Recorder
) -> None:
    queue, steady = Controller("q", recorder.sync, clock=clock), FakeClock()
    queue.steady_clock = steady
    recorder.failing = {"a"}
    queue.add("a")
    assert queue.is_settled  # nobody works on it
    queue.start()
    assert not queue.is_settled
    for failures in range(1, PASSING_FAILURES + 2):
        while queue.depth or queue.unfinished_s():
            await asyncio.sleep(0)
        assert queue.is_settled == (failures > PASSING_FAILURES)
        steady.advance(10)
    queue.add_after("b", 60)
    while queue.depth or queue.unfinished_s():
        await asyncio.sleep(0)
    assert queue.is_settled
    assert not queue.is_idle
    await queue.stop()
    assert queue.is_idle


async def test_keys_pause_each_for_the_same_time_whatever_adds_them_meanwhile(
    clock: FakeClock, recorder: Recorder
) -> None:
    queue = Controller("q", recorder.sync, clock=clock, pause_s=1)
    queue.add_paused("a")
    clock.advance(0.5)
    for key in "ab":
        queue.add_paused(key)
    queue.add("a")
    await work(queue)
    assert recorder.done == [] and not queue.is_idle and len(clock.due_s()) == 1
    clock.advance(0.5)
    await work(queue)
    assert recorder.done == ["a"]
    queue.add("a")  # which pauses no more
    await work(queue)
    assert recorder.done == ["a", "a"]
    clock.advance(0.5)
    await work(queue)
    assert recorder.done == ["a", "a", "b"] and queue.is_idle


async def test_a_key_that_rests_is_worked_on_after_it_if_anything_adds_it(clock: FakeClock, recorder: Recorder) -> None:
    queue = Controller("q", recorder.sync, clock=clock, pause_s=1)
    for key in "ab":
        queue.rest(key)
    queue.add("b")
    await work(queue)
    assert recorder.done == []
    clock.advance(1)
    await work(queue)
    assert recorder.done == ["b"] and queue.is_idle


async def test_no_key_pauses_where_the_clock_may_stand_still(clock: FakeClock, recorder: Recorder) -> None:
    queue = Controller("q", recorder.sync, clock=clock, pause_s=1)
    queue.steady_clock = FakeClock()
    queue.add_paused("a")
    await work(queue)
    assert recorder.done == ["a"]


async def test_what_pauses_is_forgotten_with_the_end_of_the_queue(clock: FakeClock, recorder: Recorder) -> None:
    queue = Controller("q", recorder.sync, clock=clock, pause_s=1)
    queue.add_paused("a")
    await queue.stop()
    clock.advance(2)
    await work(queue)
    assert recorder.done == [] and queue.is_idle
    queue.add_paused("a")
    clock.advance(2)
    await work(queue)
    assert recorder.done == ["a"]
