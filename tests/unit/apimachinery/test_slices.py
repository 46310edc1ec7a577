"""Long work in slices: others' steps have their turns, errors and limits come out, what is left is closed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator

import pytest

from quarterdeck.apimachinery import offload, slices


def count(steps: int, name: str, log: list[str]) -> Generator[None, None, str]:
    for _ in range(steps):
        log.append(name)
        yield
    return name


class Clock:
    """Every look at it takes `look_s`."""

    def __init__(self, look_s: float) -> None:
        self._now_s, self._look_s = 0.0, look_s

    def monotonic(self) -> float:
        self._now_s += self._look_s
        return self._now_s


def test_work_ends_with_its_result() -> None:
    async def run() -> tuple[str, str]:
        return await slices.run(count(0, "none", []), 1), await slices.run(count(1000, "all", []), 10)

    assert asyncio.run(run()) == ("none", "all")


def test_it_runs_beside_the_event_loop() -> None:
    def name_thread() -> Generator[None, None, threading.Thread]:
        yield
        return threading.current_thread()

    assert asyncio.run(slices.run(name_thread(), 1)) is not threading.current_thread()


def test_works_and_other_steps_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    # A slice has time for one look at the clock before it ends, so that it is one step.
    monkeypatch.setattr(slices, "time", Clock(slices.SLICE_S * 0.6))
    log: list[str] = []

    async def run() -> None:
        works = [asyncio.create_task(slices.run(count(3, name, log), 100)) for name in "ab"]
        steps = [asyncio.create_task(offload.run(log.append, "c"))]
        await asyncio.gather(*works, *steps)

    asyncio.run(run())
    assert "".join(log) == "abcabab"


def test_errors_pass_and_the_next_work_goes_on() -> None:
    def fail() -> Generator[None, None, None]:
        yield
        raise KeyError("x")

    async def run() -> str:
        with pytest.raises(KeyError):
            await slices.run(fail(), 1)
        return await slices.run(count(1, "next", []), 1)

    assert asyncio.run(run()) == "next"


def test_work_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "time", Clock(0.001))
    closed = threading.Event()

    async def run() -> None:
        with pytest.raises(slices.OutOfTime):
            await slices.run(without_end(closed), 0.2)
        await offload.run(int)  # what was handed over before is done

    asyncio.run(run())
    assert closed.is_set()


def test_work_of_a_request_that_is_gone_is_closed() -> None:
    begun, closed = threading.Event(), threading.Event()

    async def run() -> None:
        task = asyncio.create_task(slices.run(without_end(closed, begun), 1000))
        await asyncio.to_thread(begun.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await offload.run(int)

    asyncio.run(run())
    assert closed.is_set()


def without_end(closed: threading.Event, begun: threading.Event | None = None) -> Generator[None, None, None]:
    try:
        while True:
            if begun is not None:
                begun.set()
            yield
    finally:
        closed.set()
