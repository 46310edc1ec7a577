"""The checker finds each way in which a store can answer wrongly, and nothing in a right one."""

from __future__ import annotations

import asyncio
import random

import pytest

from quarterdeck.storage import interface
from reference.linearizability import Operation, Result, check
from support.operations import Recorder, work

FAULTS = {
    "reads the value before": "fits none",
    "reads what is not there": "fits none",
    "does not see a key": "fits none",
    "forgets an update": "fits none",
    "forgets a deletion": "fits none",
    "forgets a creation": "fits none",
    "does not compare": "fits none",
    "creates over a key": "fits none",
    "writes and refuses": "fits none",
    "tells a wrong current revision": "fits none",
    "answers with an older revision": "had been answered",
    "gives a revision twice": "one revision",
}


class Planted:
    """A store in memory whose writes take effect between two turns of the loop, and that is wrong now and then."""

    def __init__(self, fault: str) -> None:
        self._fault = fault
        self._choose = random.Random(7)
        self._keys: dict[str, list[tuple[bytes, int]]] = {}
        self._revision = 100

    def _strikes(self, fault: str) -> bool:
        return fault == self._fault and self._choose.random() < 0.05

    async def _turns(self) -> None:
        for _ in range(self._choose.randrange(3)):
            await asyncio.sleep(0)

    def _next(self) -> int:
        if not self._strikes("gives a revision twice"):
            self._revision += 1
        return self._revision - 40 * self._strikes("answers with an older revision")

    async def create(self, key: str, value: bytes) -> int:
        await self._turns()
        if self._keys.get(key) and not self._strikes("creates over a key"):
            raise interface.KeyExists(key)
        revision = self._next()
        if not self._strikes("forgets a creation"):
            self._keys[key] = [(value, revision)]
        await self._turns()
        return revision

    async def update(self, key: str, value: bytes, expected: int) -> int:
        await self._turns()
        self._compare(key, value, expected)
        revision = self._next()
        if not self._strikes("forgets an update"):
            self._keys[key].append((value, revision))
        await self._turns()
        return revision

    async def delete(self, key: str, expected: int) -> int:
        await self._turns()
        self._compare(key, b"", expected)
        revision = self._next()
        if not self._strikes("forgets a deletion"):
            del self._keys[key]
        await self._turns()
        return revision

    def _compare(self, key: str, value: bytes, expected: int) -> None:
        known = self._keys.get(key)
        if not known:
            raise interface.KeyNotFound(key)
        if known[-1][1] != expected and not self._strikes("does not compare"):
            current = known[-1][1] + self._strikes("tells a wrong current revision")
            if self._strikes("writes and refuses"):
                known.append((value + b"!", self._next()))
            raise interface.RevisionConflict(key, expected, current)

    async def get(self, key: str) -> interface.KeyValue | None:
        await self._turns()
        known = self._keys.get(key)
        if not known:
            return interface.KeyValue(key, b"ghost", 1, 1) if self._strikes("reads what is not there") else None
        if self._strikes("does not see a key"):
            return None
        value, revision = known[-2 if len(known) > 1 and self._strikes("reads the value before") else -1]
        await self._turns()
        return interface.KeyValue(key, value, revision, 0)


async def record(fault: str, seed: int) -> list[Operation]:
    recorder = Recorder(Planted(fault))

    async def nothing() -> None:
        pass

    choose = random.Random(seed)
    recorder.look = lambda key: Result("skipped")  # type: ignore[method-assign]
    await asyncio.gather(*(work(recorder, ["a", "b", "c"], choose, 300, nothing) for _ in range(4)))
    return recorder.operations


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    problems = check(asyncio.run(record(fault, 1)))
    assert problems
    assert any(FAULTS[fault] in problem for problem in problems), problems


@pytest.mark.parametrize("seed", range(10))
def test_a_right_store_is_found_right(seed: int) -> None:
    assert check(asyncio.run(record("", seed))) == []


def test_what_overlaps_may_be_seen_in_either_order_and_what_does_not_may_not() -> None:
    create = Operation("create", "a", b"1", 0, 1, 2, Result("done", 10))
    update = Operation("update", "a", b"2", 10, 3, 8, Result("done", 11))
    old = Result("found", 10, b"1")
    new = Result("found", 11, b"2")

    def seen(*results: Result) -> list[str]:
        reads = [Operation("get", "a", b"", 0, 4 + 2 * n, 5 + 2 * n, result) for n, result in enumerate(results)]
        return check([create, update, *reads])

    assert seen(old) == seen(new) == seen(old, new) == []
    assert seen(new, old) != []  # what was seen is not unseen
    assert seen(new, new, old) != []


def test_an_unheard_answer_happened_or_not_but_not_both() -> None:
    create = Operation("create", "a", b"1", 0, 1, 2, Result("done", 10))
    unheard = Operation("update", "a", b"2", 10, 3, 4)
    new = Operation("get", "a", b"", 0, 5, 6, Result("found", 12, b"2"))
    old = Operation("get", "a", b"", 0, 7, 8, Result("found", 10, b"1"))
    assert check([create, unheard, new]) == check([create, unheard, old]) == []
    assert check([create, unheard, new, old]) != []
