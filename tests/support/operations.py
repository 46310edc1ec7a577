"""Clients of a store that write, compare and read a few keys at random, and what they were answered."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from quarterdeck.storage import interface
from reference.linearizability import Operation, Result


class Recorder:
    """`store` may be replaced, when `settle` has been called. `cached` is what a cache knows that the feed fills."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.operations: list[Operation] = []
        self.cached: dict[str, tuple[bytes, int]] = {}
        self._open: list[Operation] = []
        self._now = 0

    def feed(self, events: Sequence[interface.Event], _: int) -> None:
        for event in events:
            if event.value is None:
                del self.cached[event.key]
            else:
                self.cached[event.key] = (event.value, event.revision)

    def _tick(self) -> int:
        self._now += 1
        return self._now

    def settle(self) -> None:
        """Nothing that has no answer yet can take effect any more: the store has ended."""
        for operation in self._open:
            operation.returned = self._tick()
        self._open.clear()

    async def do(self, kind: str, key: str, value: bytes = b"", expected: int = 0) -> Result:
        operation = Operation(kind, key, value, expected, self._tick())
        self.operations.append(operation)
        try:
            operation.result = await self._ask(kind, key, value, expected)
        except interface.Unavailable:
            self._open.append(operation)
        else:
            operation.returned = self._tick()
        return operation.result

    def look(self, key: str) -> Result | Awaitable[Result]:
        """What the cache says; one that is behind has to be waited for."""
        known = self.cached.get(key)
        result = Result("absent") if known is None else Result("found", known[1], known[0])
        self.operations.append(Operation("get", key, b"", 0, self._tick(), self._tick(), result))
        return result

    async def _ask(self, kind: str, key: str, value: bytes, expected: int) -> Result:
        try:
            if kind == "create":
                return Result("done", await self.store.create(key, value))
            if kind == "update":
                return Result("done", await self.store.update(key, value, expected))
            if kind == "delete":
                return Result("done", await self.store.delete(key, expected))
        except interface.KeyExists:
            return Result("exists")
        except interface.KeyNotFound:
            return Result("missing")
        except interface.RevisionConflict as conflict:
            return Result("conflict", conflict.current)
        found = await self.store.get(key)
        return Result("absent") if found is None else Result("found", found.revision, found.value)


async def work(
    recorder: Recorder, keys: list[str], choose: random.Random, count: int, take_turn: Callable[[], Awaitable[None]]
) -> None:
    """One client: `count` operations, or fewer where it gets no answer. It uses what it was answered last of a key,
    which others may have changed."""
    known: dict[str, int] = {}
    for number in range(count):
        key, kind = (
            choose.choice(keys),
            choose.choice(("create", "update", "update", "update", "delete", "get", "look")),
        )
        if kind == "look":
            looked = recorder.look(key)
            result = looked if isinstance(looked, Result) else await looked
        else:
            value = b"%d.%d" % (id(known), number)
            result = await recorder.do(kind, key, value, known.get(key, 0))
        if result.outcome == "unknown":
            return
        if result.revision:
            known[key] = result.revision
        await take_turn()
