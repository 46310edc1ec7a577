"""Power fails at every sync of a long history, and at random points between: nothing acknowledged may be lost.

The control runs the same history with synchronous=OFF, which the same checker has to catch losing data.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import apsw
import pytest

from quarterdeck.storage import interface
from support.durability import History
from support.engines import Journal, Workload, open_engine, read_all
from support.faultvfs import Disk, Fault, Trace

pytestmark = pytest.mark.crash


def recover(disk: Disk, history: History, choose: random.Random) -> list[str]:
    """Lose power, start again, and compare."""
    with tempfile.TemporaryDirectory() as folder:
        disk.lose_power(Path(folder), choose)
        try:
            engine = open_engine(Path(folder) / "store.db", "calm")
            found = read_all(engine)
        except (interface.StorageError, apsw.Error) as error:
            return [f"unreadable: {error!r}"]
        problems = history.check(found, engine.state.revision)
        engine.close()
    return problems


def crash_everywhere(trace: Trace, journal: Journal, choose: random.Random, extra: int) -> tuple[int, list[str]]:
    """Crash before and after every sync, and `extra` times more: at every operation once if that is enough, then at
    random ones, since each crash loses other writes. How many crashes, and what was wrong."""
    syncs = {position for position, step in enumerate(trace.operations) if step.kind.startswith("sync")}
    points = [*syncs, *{position + 1 for position in syncs}]
    if extra >= len(trace):
        points += range(len(trace) + 1)
        extra -= len(trace)
    points += (choose.randrange(len(trace)) for _ in range(extra))
    disk, done, problems = Disk(), 0, []
    for position, history in journal.histories(sorted(points)):
        for operation in trace.operations[done:position]:
            disk.replay(operation)
        done = position
        problems += [f"at {position}: {problem}" for problem in recover(disk, history, choose)]
    return len(points), problems


@pytest.mark.parametrize(
    ("batches", "extra"), [(120, 100), pytest.param(700, 20000, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])]
)
def test_no_acknowledged_write_is_lost(tmp_path: Path, trace: Trace, batches: int, extra: int) -> None:
    choose = random.Random(1)
    engine = open_engine(tmp_path / "store.db", "fault")
    journal = Journal(trace)
    Workload(engine, journal, choose).run(batches)
    crashes, problems = crash_everywhere(trace, journal, choose, extra)
    assert crashes > batches
    assert problems == []


def test_without_sync_the_checker_finds_losses(tmp_path: Path, trace: Trace) -> None:
    choose = random.Random(2)
    engine = open_engine(tmp_path / "store.db", "fault")
    engine.connection.pragma("synchronous", 0)
    journal = Journal(trace)
    Workload(engine, journal, choose).run(60)
    _, problems = crash_everywhere(trace, journal, choose, 100)
    assert any("lost" in problem for problem in problems)


@pytest.mark.parametrize("failing", [0, 3, 7, 12, 18, 24, 27, 30, 39])
def test_power_fails_after_a_restart_from_a_failed_sync(tmp_path: Path, trace: Trace, failing: int) -> None:
    """The kernel drops what could not be synced but still shows it: the next start must not build on it."""
    choose = random.Random(failing)
    journal = Journal(trace)
    trace.fault = Fault("sync", failing, "EIO")
    path = tmp_path / "store.db"
    with pytest.raises((apsw.IOError, interface.Unavailable)):
        engine = open_engine(path, "fault")
        Workload(engine, journal, choose).run(200)
    if "engine" in locals():
        engine.connection.close(True)
    restarted = len(trace)
    engine = open_engine(path, "fault")
    seen = read_all(engine)
    shown = engine.state.revision

    # What the start showed has to last, although some of it was never acknowledged.
    def show(history: History) -> None:
        assert history.check(seen, shown) == []

    journal.note(show)
    Workload(engine, journal, choose).run(30)
    crashes, problems = crash_everywhere(trace, journal, choose, 50)
    assert crashes > 20 and restarted < len(trace)
    assert problems == []
