"""Drives the embedded store's engine without threads and event loop, so that every run is repeatable."""

from __future__ import annotations

import contextlib
import copy
import random
from asyncio import Future
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import apsw

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite.engine import Engine
from quarterdeck.storage.sqlite.limits import Limits
from quarterdeck.storage.sqlite.writer import Write
from support.durability import History
from support.faultvfs import Trace

# Small, so that short traces hold many checkpoints.
LIMITS = Limits(checkpoint_bytes=100_000, reserve_bytes=0)

NOBODY = cast("Future[int]", None)


def open_engine(path: Path, vfs: str | None = None, limits: Limits = LIMITS) -> Engine:
    return Engine(path, limits, vfs, lambda _: None)


def finish(steps: Iterator[None]) -> Any:
    """Run the steps of a job to their end."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def read_all(engine: Engine) -> dict[str, tuple[bytes, int]]:
    revision = engine.state.revision
    items, unreadable, _ = finish(engine.reader.load(0, revision, 1 << 30))
    if unreadable:
        raise unreadable[0]
    return {item.key: (item.value, item.revision) for item in items}


def write_of(key: str, value: bytes | None, expected: int | None) -> Write:
    return Write(key, value, expected, None, len(value or b"") + len(key), NOBODY)


@dataclass
class Journal:
    """The answers that writers had, each with its position in the trace."""

    trace: Trace
    steps: list[tuple[int, Callable[[History], None]]] = field(default_factory=list)

    def note(self, step: Callable[[History], None]) -> None:
        self.steps.append((len(self.trace), step))

    def histories(self, positions: list[int]) -> Iterator[tuple[int, History]]:
        """The history as of each position, which rise."""
        history, done = History(), 0
        for position in positions:
            while done < len(self.steps) and self.steps[done][0] <= position:
                self.steps[done][1](history)
                done += 1
            yield position, copy.deepcopy(history)


class Workload:
    """Random batches of creates, updates and deletions, some of them bound to fail, with compactions in between."""

    def __init__(self, engine: Engine, journal: Journal, choose: random.Random) -> None:
        self.engine = engine
        self.journal = journal
        self.choose = choose
        self.sequence = 0

    def run(self, batches: int) -> None:
        for _ in range(batches):
            self.write_batch()
            if self.choose.random() < 0.1:
                self.compact()
            self.engine.checkpoint_if_due()

    def compact(self) -> None:
        low, high = self.engine.state.meta.compacted + 1, self.engine.state.revision
        if low <= high:
            with contextlib.suppress(apsw.FullError):
                finish(self.engine.compactor.compact(self.choose.randint(low, high)))

    def write_batch(self) -> None:
        count = self.choose.choice([1, 1, 2, 5])
        keys = self.choose.sample([f"/registry/things/ns/{number}" for number in range(30)], count)
        writes = [self._write(key) for key in keys]
        for write in writes:
            self.journal.note(lambda history, write=write: history.begin(write.key, write.value))  # type: ignore[misc]
        self.engine.commit(writes)
        for write in writes:
            outcome = write.outcome
            if isinstance(outcome, int):
                self.journal.note(
                    lambda history, write=write, outcome=outcome: history.acknowledge(write.key, outcome)  # type: ignore[misc]
                )
            else:
                assert not isinstance(outcome, interface.Unavailable)
                self.journal.note(lambda history, write=write: history.refuse(write.key))  # type: ignore[misc]

    def _write(self, key: str) -> Write:
        known = self.engine.state.current.get(key)
        self.sequence += 1
        size = self.choose.choice([0, 100, 1500, 1500, 9000])
        value = b'{"sequence":%d,"padding":"%s"}' % (self.sequence, b"x" * size)
        if known is None:
            return write_of(key, value, None)
        revision = known[0] - (self.choose.random() < 0.1)
        return write_of(key, None if self.choose.random() < 0.4 else value, revision)
