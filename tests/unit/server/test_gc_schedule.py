"""Full collections of cycles are made when it is quiet, and what one has left is not walked by the next."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Iterator

import pytest

from quarterdeck.server import gcschedule
from quarterdeck.server.gcschedule import GCSchedule
from support.waiting import until


class _Knot:
    """Refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _whole() -> Iterator[None]:
    gc.collect()
    yield
    gc.unfreeze()


def _begun(*, is_quiet: bool, is_idle: Callable[[], bool] = lambda: True) -> GCSchedule:
    async def begin() -> GCSchedule:
        made = GCSchedule(lambda: is_quiet, is_idle)
        made.begin()
        return made

    return asyncio.run(begin())


def _let_middle_collections_pass() -> None:
    for _ in range(gcschedule._MIDDLE_MIN):
        gc.collect(1)


def _tie() -> weakref.ref[_Knot]:
    return weakref.ref(_Knot())


def test_no_full_collection_comes_by_itself() -> None:
    made = _begun(is_quiet=True)
    knot = _tie()
    gc.collect(1)  # it is of the oldest generation now, or gone
    before = gc.get_stats()[2]["collections"]
    kept = [[number] for number in range(200_000)]
    assert gc.get_stats()[2]["collections"] == before
    made.stop()
    del kept, knot


def test_what_a_few_writes_hold_is_not_walked() -> None:
    made = _begun(is_quiet=True)
    before = [each["collections"] for each in gc.get_stats()]
    kept = [[number] for number in range(4000)]
    assert [each["collections"] for each in gc.get_stats()] == before
    made.stop()
    del kept


def test_a_collector_that_is_switched_off_by_its_threshold_stays_so() -> None:
    usual = gc.get_threshold()
    gc.set_threshold(0)
    try:
        made = _begun(is_quiet=True)
        assert gc.get_threshold()[0] == 0
        made.stop()
    finally:
        gc.set_threshold(*usual)


def test_a_knot_is_collected_when_it_is_quiet() -> None:
    made = _begun(is_quiet=True)
    held = _Knot()
    _let_middle_collections_pass()
    knot = weakref.ref(held)
    del held
    made.look()
    assert knot() is None
    made.stop()


def test_nothing_is_done_while_it_is_not_quiet_but_not_for_ever() -> None:
    made = _begun(is_quiet=False)
    held = _Knot()
    _let_middle_collections_pass()
    knot = weakref.ref(held)
    del held
    for _ in range(gcschedule._LOOKS_MAX - 1):
        made.look()
        assert knot() is not None
    made.look()
    assert knot() is None
    made.stop()


def test_what_was_left_is_walked_again_when_there_is_much_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _begun(is_quiet=True)
    held = _Knot()
    _let_middle_collections_pass()
    made.look()
    knot = weakref.ref(held)
    del held  # a knot now, of what is not walked any more
    _let_middle_collections_pass()
    made.look()
    assert knot() is not None
    monkeypatch.setattr(gcschedule, "_GROWTH_MAX", 0)
    _let_middle_collections_pass()
    made.look()
    assert knot() is None
    made.stop()


def test_when_it_is_never_quiet_a_moment_without_large_trees_is_waited_for() -> None:
    busy: list[int] = [1]
    made = _begun(is_quiet=False, is_idle=lambda: not busy)
    held = _Knot()
    _let_middle_collections_pass()
    knot = weakref.ref(held)
    del held
    for _ in range(gcschedule._LOOKS_MAX + 5):
        made.look()
    assert knot() is not None
    busy.clear()
    made.look()
    assert knot() is None
    made.stop()


def test_when_no_such_moment_comes_it_is_collected_all_the_same() -> None:
    made = _begun(is_quiet=False, is_idle=lambda: False)
    held = _Knot()
    _let_middle_collections_pass()
    knot = weakref.ref(held)
    del held
    for _ in range(gcschedule._LOOKS_MAX + gcschedule._BRIEF_LOOKS_MAX - 1):
        made.look()
    assert knot() is not None
    made.look()
    assert knot() is None
    made.stop()


def test_the_end_leaves_python_as_it_was() -> None:
    usual = gc.get_threshold()
    made = _begun(is_quiet=True)
    assert gc.get_threshold()[0] >= usual[0]
    made.stop()
    assert gc.get_threshold() == usual
    assert not gc.get_freeze_count()


def test_what_is_told_to_be_lost_is_collected_soon_though_it_was_kept_before() -> None:
    async def lose() -> None:
        lost = gcschedule.LostCycles()
        made = GCSchedule(lambda: True, lambda: True, lost)
        knot = _tie()
        made.begin()
        assert knot() is not None
        for _ in range(gcschedule._LOST_MAX):
            lost.add()
        await until(lambda: knot() is None)
        assert not lost.is_much
        made.stop()

    asyncio.run(lose())
