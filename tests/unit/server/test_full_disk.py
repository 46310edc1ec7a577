"""A disk that runs full under a server: writes are refused, /readyz tells, and both end when there is room again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.storage import sqlite
from quarterdeck.storage.sqlite import Limits, SQLiteStorage
from support import in_process
from support.faultvfs import Fault, FaultVFS, Trace
from support.waiting import PATIENCE_S

MAPS = "/api/v1/namespaces/default/configmaps"
SPACE_EXCEEDED = b"etcdserver: mvcc: database space exceeded"


@pytest.fixture
def trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[Trace]:
    """What the store of the servers that are begun is written by."""
    trace = Trace(is_recording=False)
    vfs = FaultVFS("full", trace)

    class Opener:
        @staticmethod
        async def open(*arguments: Any, **named: Any) -> SQLiteStorage:
            return await SQLiteStorage.open(*arguments, **named, vfs="full", limits=Limits(reserve_bytes=0))

    monkeypatch.setattr(sqlite, "SQLiteStorage", Opener)
    yield trace
    vfs.unregister()


def test_a_full_disk_is_not_ready(tmp_path: Path, trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(run_full(tmp_path, trace, monkeypatch))


async def run_full(folder: Path, trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    async with in_process.running(folder) as server, asyncio.timeout(PATIENCE_S):
        while not all(queue.is_idle for queue in server.server.controllers.queues()):
            await asyncio.sleep(0.01)  # the next write is the test's own
        assert (await server.call("GET", "/readyz")).status == 200
        statvfs = os.statvfs

        def no_room(path: Any) -> os.statvfs_result:
            found = list(statvfs(path))
            found[2] = found[3] = found[4] = 0  # free blocks
            return os.statvfs_result(found)

        monkeypatch.setattr(os, "statvfs", no_room)
        trace.fault = Fault("write", trace.counts["write"], "ENOSPC", count=1)
        refused = await server.call("POST", MAPS, {"metadata": {"name": "a"}})
        assert refused.status == 500
        assert SPACE_EXCEEDED in refused.body
        unready = await server.call("GET", "/readyz?verbose")
        assert unready.status == 500
        assert b"[-]etcd-readiness failed" in unready.body
        assert (await server.call("GET", "/livez")).status == 200
        assert (await server.call("GET", f"{MAPS}/a")).status == 404

        monkeypatch.setattr(os, "statvfs", statvfs)
        trace.fault = None
        assert (await server.call("GET", "/readyz")).status == 200
        assert (await server.call("POST", MAPS, {"metadata": {"name": "a"}})).status == 201
