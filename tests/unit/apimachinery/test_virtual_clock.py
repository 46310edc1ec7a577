"""A clock that goes when it is told to: timers in their order, each at its time, what they begin is done in between."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.apimachinery.virtualclock import OutOfRange, VirtualClock, VirtualTimer

START_S = 1_767_225_600.0  # 2026-01-01T00:00:00Z


async def settled() -> bool:
    return True


def run(test: Callable[[VirtualClock], Awaitable[None]]) -> None:
    async def begin() -> None:
        await test(VirtualClock(START_S))

    asyncio.run(begin())


def test_time_stands_until_it_is_told_to_go() -> None:
    async def test(clock: VirtualClock) -> None:
        assert (clock.now_s(), clock.wall_s(), clock.text()) == (0, START_S, "2026-01-01T00:00:00Z")
        await asyncio.sleep(0.01)
        assert (clock.now_s(), clock.wall_s()) == (0, START_S)
        assert await clock.advance(600, settled)
        assert (clock.now_s(), clock.text()) == (600, "2026-01-01T00:10:00Z")
        await clock.advance(0.25, settled)
        assert clock.text() == "2026-01-01T00:10:00.250000Z"

    run(test)


def test_it_stops_at_each_timer_until_what_it_began_is_done() -> None:
    """A timer that asks for the next one, three times in a minute, and work that a timer only begins."""

    async def test(clock: VirtualClock) -> None:
        done: list[tuple[str, float]] = []
        begun: list[str] = []

        def fire(key: str) -> None:
            begun.append(key)
            if key == "each 20 s":
                clock.call_at(clock.now_s() + 20, fire, key)

        async def settle() -> bool:
            await asyncio.sleep(0)
            done.extend((key, clock.now_s()) for key in begun)
            begun.clear()
            return True

        clock.call_at(20, fire, "each 20 s")
        clock.call_at(40, fire, "at 40 s")
        clock.call_at(61, fire, "later")
        await clock.advance(60, settle)
        assert done == [("each 20 s", 20), ("at 40 s", 40), ("each 20 s", 40), ("each 20 s", 60)]
        assert (clock.waiting(), clock.next_s()) == (2, 1)

    run(test)


def test_what_is_cancelled_is_not_called_and_not_kept() -> None:
    async def test(clock: VirtualClock) -> None:
        called: list[str] = []
        timers = [clock.call_at(1, called.append, str(number)) for number in range(1000)]
        for timer in timers[:-1]:
            timer.cancel()
            timer.cancel()
        assert clock.waiting() == 1
        assert len(clock._timers) < 200
        await clock.advance(1, settled)
        timers[-1].cancel()  # too late
        assert (called, clock.waiting(), clock.next_s()) == (["999"], 0, None)

    run(test)


def test_a_step_moves_the_time_of_day_and_no_timer() -> None:
    async def test(clock: VirtualClock) -> None:
        called: list[float] = []
        clock.call_at(10, lambda _: called.append(clock.wall_s() - START_S), "")
        clock.step(-3600)
        assert (clock.text(), clock.now_s(), clock.next_s()) == ("2025-12-31T23:00:00Z", 0, 10)
        clock.step(7200)
        clock.set(START_S + 86400)
        assert (clock.text(), called) == ("2026-01-02T00:00:00Z", [])
        await clock.advance(10, settled)
        assert called == [86410]

    run(test)


def test_no_name_is_made_twice_of_a_time_that_stands_or_goes_back() -> None:
    async def test(clock: VirtualClock) -> None:
        told = [clock.unique_ns(), clock.unique_ns()]
        clock.step(-60)
        told.append(clock.unique_ns())
        await clock.advance(120, settled)
        told += [clock.unique_ns()]
        assert told == [int(START_S) * 10**9 + more for more in (0, 1, 2, 60 * 10**9)]

    run(test)


def test_times_that_the_api_cannot_tell_are_refused_and_change_nothing() -> None:
    async def test(clock: VirtualClock) -> None:
        for change in (lambda: clock.step(1e12), lambda: clock.step(-1e11), lambda: clock.set(-1e11)):
            with pytest.raises(OutOfRange):
                change()
        with pytest.raises(OutOfRange):
            await clock.advance(1e12, settled)
        assert clock.wall_s() == START_S

    run(test)


def test_who_gives_up_leaves_the_time_where_it_is_and_who_advances_beside_waits() -> None:
    async def test(clock: VirtualClock) -> None:
        clock.call_at(5, lambda _: None, "")
        reached, gate = asyncio.Event(), asyncio.Event()

        async def hang() -> bool:
            if clock.now_s():
                reached.set()
                await gate.wait()
            return True

        first = asyncio.create_task(clock.advance(60, hang))
        await reached.wait()
        second = asyncio.create_task(clock.advance(1, settled))
        await asyncio.sleep(0)
        assert clock.now_s() == 5
        first.cancel()
        await second
        assert clock.now_s() == 6

    run(test)


def test_it_tells_when_something_did_not_settle() -> None:
    async def test(clock: VirtualClock) -> None:
        clock.call_at(5, lambda _: None, "")
        answers = [True, False, True]

        async def settle() -> bool:
            return answers.pop(0)

        assert not await clock.advance(60, settle)

    run(test)


@given(st.lists(st.tuples(st.floats(0, 1e7), st.booleans()), max_size=30), st.floats(0, 1e7))
def test_timers_are_called_in_order_at_their_time_and_none_too_early(
    wanted: list[tuple[float, bool]], seconds: float
) -> None:
    async def test(clock: VirtualClock) -> None:
        called: list[tuple[str, float]] = []
        timers: list[VirtualTimer] = [
            clock.call_at(at_s, lambda key: called.append((key, clock.now_s())), str(number))
            for number, (at_s, _) in enumerate(wanted)
        ]
        for timer, (_, is_cancelled) in zip(timers, wanted, strict=True):
            if is_cancelled:
                timer.cancel()
        await clock.advance(seconds, settled)
        due = [(timer.at_ns, timer.number, at_s) for timer, (at_s, off) in zip(timers, wanted, strict=True) if not off]
        expected = sorted(each for each in due if each[0] <= round(seconds * 1e6) * 1000)
        assert [key for key, _ in called] == [str(number - 1) for _, number, _ in expected]
        for (_, now_s), (at_ns, _, at_s) in zip(called, expected, strict=True):
            assert now_s == at_ns / 10**9
            assert at_s - 1e-8 <= now_s < at_s + 2e-6

    run(test)
