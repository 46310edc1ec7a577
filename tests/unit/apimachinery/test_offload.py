"""Long steps run beside the event loop, one at a time, and what they tell comes back."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from contextvars import ContextVar
from typing import Any

import pytest

from quarterdeck.apimachinery import offload
from support.waiting import PATIENCE_S, until

_told: ContextVar[str] = ContextVar("told", default="")


def test_a_step_runs_in_another_thread() -> None:
    assert asyncio.run(offload.run(threading.get_ident)) != threading.get_ident()


def test_steps_run_one_at_a_time_while_the_loop_goes_on() -> None:
    release = threading.Event()
    seen: list[str] = []

    def first() -> None:
        release.wait(PATIENCE_S)
        seen.append("first")

    def second() -> None:
        seen.append("second")

    async def drive() -> None:
        waiting = asyncio.gather(offload.run(first), offload.run(second))
        await asyncio.sleep(0)
        seen.append("loop")
        release.set()
        await waiting

    asyncio.run(drive())
    assert seen == ["loop", "first", "second"]


def test_what_a_step_raises_is_its_callers() -> None:
    def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(offload.run(fail))


def test_a_context_variable_that_a_step_sets_is_set_for_its_caller() -> None:
    async def drive() -> str:
        await offload.run(_told.set, "by the step")
        return _told.get()

    assert asyncio.run(drive()) == "by the step"


def test_it_is_quiet_a_while_after_the_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    async def drive() -> None:
        monkeypatch.setattr(offload, "_QUIET_S", 3600.0)
        assert not await offload.run(offload.is_quiet)
        assert not offload.is_quiet()
        monkeypatch.setattr(offload, "_QUIET_S", 0.0)
        await offload.run(int)
        await until(offload.is_quiet)

    asyncio.run(drive())


def test_what_a_step_returned_is_held_until_its_task_has_ended() -> None:
    made: dict[str, object] = {}

    async def request() -> None:
        made["value"] = await offload.run(lambda: [{"a": 1}])
        offload.hold(made["value"])

    async def drive() -> list[object]:
        task = asyncio.get_running_loop().create_task(request())
        await task
        await offload.run(int)  # behind what frees
        held = made["value"]
        assert isinstance(held, list)
        return held

    assert asyncio.run(drive()) == [{"a": 1}]  # somebody holds it: it is not emptied


class Leaf:
    """Somebody can tell whether it is there."""


def test_a_task_that_does_not_end_lets_go_of_what_it_does_not_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offload, "_HELD_S", 0.02)
    gone: list[weakref.ref[Leaf]] = []

    def make() -> dict[str, list[Leaf]]:
        kept, dropped = Leaf(), Leaf()
        gone.extend((weakref.ref(kept), weakref.ref(dropped)))
        return {"kept": [kept], "dropped": [dropped]}

    async def work() -> None:
        kept = (await offload.run(make))["kept"]
        await until(lambda: gone[1]() is None)
        assert kept[0] is gone[0]()

    asyncio.run(work())


def test_what_nobody_holds_is_freed_when_its_task_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offload, "_HELD_S", 3600.0)
    gone: list[weakref.ref[Leaf]] = []

    def make() -> list[object]:
        leaf = Leaf()
        gone.append(weakref.ref(leaf))
        return [{"leaf": leaf}]

    async def request() -> None:
        await offload.run(make)
        assert gone[0]() is not None

    async def drive() -> None:
        await asyncio.get_running_loop().create_task(request())
        await until(lambda: gone[0]() is None)  # the thread may have held it a moment longer

    asyncio.run(drive())


def thread_of_end(ends: list[str]) -> Leaf:
    """A leaf that notes the thread in which it goes."""
    leaf = Leaf()
    weakref.finalize(leaf, lambda: ends.append(threading.current_thread().name))
    return leaf


def test_what_is_in_use_for_long_is_freed_in_the_thread_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offload, "_HELD_S", 0.02)
    ends: list[str] = []

    def make() -> tuple[dict[str, Leaf], list[str]]:
        return {"leaf": thread_of_end(ends)}, ["twice"]

    async def request() -> None:
        made, _ = await offload.run(make)
        assert await offload.run(len, made) == 1  # it is held once
        await asyncio.sleep(0.1)  # some rounds
        assert not ends
        del made
        await until(lambda: ends)

    asyncio.run(request())
    assert ends == ["offload_0"]


def test_what_a_failed_step_held_is_freed_in_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offload, "_HELD_S", 0.02)
    ends: list[str] = []

    def fail() -> None:
        tree = {"leaf": thread_of_end(ends)}
        raise KeyError(len(tree))

    async def request() -> None:
        with pytest.raises(KeyError):
            await offload.run(fail)
        assert not ends
        await until(lambda: ends)

    asyncio.run(request())
    assert ends == ["offload_0"]


def test_a_failed_step_whose_thread_goes_on_later_than_its_caller_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the thread runs around the step has the exception in its hands until it goes on."""
    monkeypatch.setattr(offload, "_HELD_S", 0.02)
    ends: list[str] = []
    is_told = threading.Event()

    def fail() -> None:
        tree = {"leaf": thread_of_end(ends)}
        raise KeyError(len(tree))

    async def request() -> None:
        loop = asyncio.get_running_loop()
        tell = loop.call_soon_threadsafe

        def tell_and_wait(*arguments: Any, **named: Any) -> asyncio.Handle:
            handle = tell(*arguments, **named)
            if threading.current_thread() is not threading.main_thread():
                is_told.wait(PATIENCE_S)
            return handle

        monkeypatch.setattr(loop, "call_soon_threadsafe", tell_and_wait)
        with pytest.raises(KeyError):
            await offload.run(fail)
        is_told.set()
        await until(lambda: ends)

    gc.disable()
    try:
        asyncio.run(request())
    finally:
        gc.enable()
    assert ends == ["offload_0"]


def test_it_is_idle_when_no_step_runs_and_what_they_left_is_gone():
    gc.unfreeze()
    gc.collect()  # what loops that were closed had yet to do, those of earlier files too (support/owngarbage.py)

    async def run() -> list[bool]:
        begun, may_end = threading.Event(), threading.Event()

        def step(tree: object) -> object:
            begun.set()
            may_end.wait()
            return tree

        async def work() -> None:
            await offload.run(step, {"a": {}})

        task = asyncio.create_task(work())
        await asyncio.to_thread(begun.wait)
        found = [offload.is_idle()]
        may_end.set()
        await task
        await until(offload.is_idle)
        return found

    assert asyncio.run(run()) == [False]
