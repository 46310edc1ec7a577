"""Many clients of one embedded store, whose disk fails now and then: each answer fits one order of all operations.

Read are the store itself and what its feed tells a cache, which has to be as new.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import uvloop

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import Limits, SQLiteStorage
from reference.linearizability import check
from support.faultvfs import Fault, FaultVFS, Trace
from support.operations import Recorder, work

pytestmark = pytest.mark.crash
CLIENTS = 16
LIMITS = Limits(checkpoint_bytes=200_000, reserve_bytes=0)


@pytest.fixture
def trace() -> Iterator[Trace]:
    trace = Trace(is_recording=False)
    vfs = FaultVFS("fault", trace)
    yield trace
    vfs.unregister()


async def nothing() -> None:
    pass


async def open_store(path: Path, recorder: Recorder) -> None:
    recorder.store = await SQLiteStorage.open(path, limits=LIMITS, compaction_interval_s=0, vfs="fault")
    recorder.store.subscribe(recorder.feed)
    recorder.cached.clear()
    async for batch in recorder.store.load_all():
        recorder.cached.update({item.key: (item.value, item.revision) for item in batch})


async def run_round(path: Path, trace: Trace, number: int, count: int) -> tuple[int, int]:
    """Half of the operations before a failed sync, half after it. How many there were, and how many had no answer."""
    choose = random.Random(number)
    recorder = Recorder(None)
    keys = [f"/registry/x/{number}/{each}" for each in range(12)]
    await open_store(path, recorder)
    trace.counts["sync"], trace.fault = 0, Fault("sync", choose.randrange(5, 40 + count // 100), "EIO", count=1 << 30)
    await asyncio.gather(*(work(recorder, keys, choose, count // 2 // CLIENTS, nothing) for _ in range(CLIENTS)))
    assert recorder.store.is_available is False
    await recorder.store.close()
    recorder.store._worker._engine.connection.close(True)  # as the end of the process would
    recorder.settle()
    trace.fault = None
    await open_store(path, recorder)
    await asyncio.gather(*(work(recorder, keys, choose, count // 2 // CLIENTS, nothing) for _ in range(CLIENTS)))
    await recorder.store.compact(recorder.store.revision)
    await recorder.store.close()
    recorder.settle()
    assert check(recorder.operations) == []
    return len(recorder.operations), sum(each.result.outcome == "unknown" for each in recorder.operations)


@pytest.mark.parametrize(
    ("rounds", "count"), [(5, 8_000), pytest.param(110, 20_000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
)
def test_every_answer_fits_one_order(tmp_path: Path, trace: Trace, rounds: int, count: int) -> None:
    done = unheard = 0
    for number in range(rounds):
        operations, unknown = uvloop.run(run_round(tmp_path / "store.db", trace, number, count))
        done, unheard = done + operations, unheard + unknown
    print(f"{done} operations, {unheard} without an answer")
    assert done > rounds * count // 2
    assert unheard >= rounds


class Late(Recorder):
    """A cache that hears of each commit some turns after its writer did."""

    def feed(self, events: Sequence[interface.Event], revision: int) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(0.005, super().feed, events, revision)


async def test_a_cache_that_is_behind_is_found(tmp_path: Path, trace: Trace) -> None:
    recorder = Late(None)
    await open_store(tmp_path / "store.db", recorder)
    choose = random.Random(1)
    keys = ["/registry/x/a", "/registry/x/b"]
    await asyncio.gather(*(work(recorder, keys, choose, 500, nothing) for _ in range(CLIENTS)))
    await recorder.store.close()
    assert check(recorder.operations) != []
