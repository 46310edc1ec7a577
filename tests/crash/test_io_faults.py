"""The n-th write or sync fails, for every n of a history: no wrong acknowledgement, and the next start is clean.

A full disk refuses the write and nothing else: it certainly did not happen, and the store goes on. Any other failure
stops the store: what was under way is unknown, and nothing is acknowledged any more.
"""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import Limits
from support.durability import History
from support.engines import Journal, Workload, open_engine, read_all, write_of
from support.faultvfs import Fault, Trace

pytestmark = pytest.mark.crash

BATCHES = 12
MANY = pytest.param(60, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])


def history_of(journal: Journal) -> History:
    return list(journal.histories([len(journal.trace)]))[-1][1]


def judge(path: Path, history: History) -> None:
    engine = open_engine(path, "calm")
    assert history.check(read_all(engine), engine.state.revision) == []
    Workload(engine, Journal(Trace()), random.Random(0)).run(3)
    engine.close()


def count_operations(folder: Path, trace: Trace, batches: int) -> dict[str, int]:
    engine = open_engine(folder / "counted.db", "fault")
    Workload(engine, Journal(trace), random.Random(3)).run(batches)
    engine.connection.close()
    counts = dict(trace.counts)
    trace.counts = dict.fromkeys(counts, 0)
    return counts


@pytest.mark.parametrize("batches", [BATCHES, MANY])
@pytest.mark.parametrize("kind", ["write", "sync"])
def test_an_error_stops_the_store(tmp_path: Path, trace: Trace, kind: str, batches: int) -> None:
    for number in range(count_operations(tmp_path, trace, batches)[kind]):
        path = tmp_path / f"{number}.db"
        trace.counts = dict.fromkeys(trace.counts, 0)
        trace.fault, trace.hits = Fault(kind, number, "EIO"), 0
        journal = Journal(trace)
        engine = None
        try:
            engine = open_engine(path, "fault")
            Workload(engine, journal, random.Random(3)).run(batches)
        except (apsw.IOError, interface.Unavailable):
            pass
        else:
            pytest.fail(f"{kind} {number} failed and nobody noticed")
        assert trace.hits == 1
        if engine is not None:
            engine.connection.close(True)
        trace.fault = None
        judge(path, history_of(journal))


@pytest.mark.parametrize("batches", [BATCHES, MANY])
@pytest.mark.parametrize("error", ["ENOSPC", "SHORT"])
def test_a_full_disk_refuses_the_write_and_goes_on(tmp_path: Path, trace: Trace, error: str, batches: int) -> None:
    for number in range(count_operations(tmp_path, trace, batches)["write"]):
        path = tmp_path / f"{number}.db"
        trace.counts = dict.fromkeys(trace.counts, 0)
        trace.fault, trace.hits = Fault("write", number, error), 0
        journal = Journal(trace)
        try:
            engine = open_engine(path, "fault")
        except interface.SpaceExceeded:
            engine = open_engine(path, "fault")
        Workload(engine, journal, random.Random(3)).run(batches)
        assert trace.hits == 1
        engine.connection.close(True)
        history = history_of(journal)
        assert history.acknowledged_count
        assert not any(key.unknown for key in history.keys.values()), "each write has a certain outcome"
        judge(path, history)


def test_a_refused_write_is_not_completed_by_old_bytes_of_the_log(tmp_path: Path, trace: Trace) -> None:
    """The same commit as the last one but for its last page, on the same place of the log, which still holds that."""
    value = b"x" * 9000
    for failing in range(12):
        path = tmp_path / f"{failing}.db"
        engine = open_engine(path, "fault", Limits(checkpoint_bytes=1, reserve_bytes=0))
        engine.commit([write_of("/a", value, None)])
        engine.checkpoint_if_due()
        first = engine.state.revision
        trace.counts = dict.fromkeys(trace.counts, 0)
        trace.fault = Fault("write", failing, "ENOSPC")
        write = write_of("/a", value, first)
        engine.commit([write])
        engine.connection.close(True)
        trace.fault = None
        engine = open_engine(path, "calm")
        happened = isinstance(write.outcome, int)
        assert happened or isinstance(write.outcome, interface.SpaceExceeded)
        assert read_all(engine) == {"/a": (value, first + happened)}
        engine.close()
