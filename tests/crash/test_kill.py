"""kill -9 under eight concurrent writers, again and again on one store: what was acknowledged is there.

reliability figures per round: acknowledged writes lost 0, partial objects 0, revisions rise strictly across restarts.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quarterdeck.storage.sqlite import SQLiteStorage
from support.durability import History

pytestmark = pytest.mark.crash

CHILD = Path(__file__).with_name("writer_child.py")


def live_and_die(store: Path, seed: int, after_s: float, history: History) -> int:
    """Run the child for a while after it is ready, kill it, and take down all that it said. The last revision."""
    command = [sys.executable, str(CHILD), str(store), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=CHILD.parent.parent) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        timer = threading.Timer(after_s, child.send_signal, [signal.SIGKILL])
        timer.start()
        said = child.stdout.read()
        timer.join()
    assert child.returncode == -signal.SIGKILL, "the child ended by itself"
    kind, opened_at = json.loads(first)
    assert kind == "ready"
    assert opened_at >= history.revision, "the revision fell across the restart"
    highest = opened_at
    for line in said.splitlines():
        kind, key, *rest = json.loads(line)
        if kind == "begin":
            history.begin(key, None if rest[0] is None else rest[0].encode())
        elif kind == "ack":
            history.acknowledge(key, rest[0])
            assert rest[0] > opened_at, "a revision was given twice"
            highest = max(highest, rest[0])
        else:
            history.refuse(key)
    return int(highest)


async def read_all(path: Path) -> tuple[dict[str, tuple[bytes, int]], int]:
    store = await SQLiteStorage.open(path, compaction_interval_s=0)
    found = {item.key: (item.value, item.revision) async for batch in store.load_all() for item in batch}
    revision = store.revision
    await store.close()
    return found, revision


@pytest.mark.parametrize("rounds", [5, pytest.param(500, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])])
def test_kill_under_writers_loses_nothing_acknowledged(tmp_path: Path, rounds: int) -> None:
    path = tmp_path / "store.db"
    history = History()
    choose = random.Random(rounds)
    for number in range(rounds):
        before = history.acknowledged_count
        highest = live_and_die(path, number, choose.uniform(0.005, 0.5), history)
        if choose.random() < 0.7:  # else the next child recovers, unseen
            found, revision = asyncio.run(read_all(path))
            assert revision >= highest
            assert history.check(found, revision) == []
            for value, _ in found.values():
                json.loads(value)
        print(f"round {number}: {history.acknowledged_count - before} acknowledged, revision {highest}")
    found, revision = asyncio.run(read_all(path))
    assert history.check(found, revision) == []
    assert history.acknowledged_count > 100 * rounds
