"""Long work in slices: others have their turns, works take turns, errors and limits come out."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from quarterdeck.apimachinery import slices


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
        worker = slices.Slices()
        return await worker.run(count(0, "none", []), 1), await worker.run(count(1000, "all", []), 10)

    assert asyncio.run(run()) == ("none", "all")


def test_one_slice_runs_in_a_turn_however_many_works_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    # A slice has time for one look at the clock before it ends, so that it is one step.
    monkeypatch.setattr(slices, "time", Clock(slices.SLICE_S * 0.6))
    log: list[str] = []

    async def run() -> None:
        worker = slices.Slices()

        async def turn() -> None:
            while True:
                log.append("|")
                await asyncio.sleep(0)

        turns = asyncio.create_task(turn())
        await asyncio.gather(*(worker.run(count(3, name, log), 10) for name in "ab"))
        turns.cancel()

    asyncio.run(run())
    text = "".join(log).strip("|")
    assert sorted(text.replace("|", "")) == sorted("aaabbb")
    assert all(len(turn) <= 1 for turn in text.split("|"))
    assert text.replace("|", "") == "ababab"


def test_errors_pass_and_the_next_work_goes_on() -> None:
    def fail() -> Generator[None, None, None]:
        yield
        raise KeyError("x")

    async def run() -> str:
        worker = slices.Slices()
        with pytest.raises(KeyError):
            await worker.run(fail(), 1)
        return await worker.run(count(1, "next", []), 1)

    assert asyncio.run(run()) == "next"


def test_work_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "time", Clock(0.001))
    closed: list[bool] = []

    def forever() -> Generator[None, None, None]:
        try:
            while True:
                yield
        finally:
            closed.append(True)

    async def run() -> None:
        with pytest.raises(slices.OutOfTime):
            await slices.Slices().run(forever(), 0.02)

    asyncio.run(run())
    assert closed == [True]
