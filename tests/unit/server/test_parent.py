"""The server follows the process that started it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from quarterdeck.server import parent
from support.waiting import PATIENCE_S


def refuse(process_id: int, flags: int = 0) -> int:
    raise PermissionError


@pytest.mark.parametrize("has_handles", [True, False])
def test_the_end_of_a_process_is_told_once(monkeypatch: pytest.MonkeyPatch, has_handles: bool) -> None:
    monkeypatch.setattr(parent, "_POLL_S", 0.01)
    if not has_handles:
        monkeypatch.setattr(os, "pidfd_open", refuse)

    async def check() -> None:
        process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        told = asyncio.Event()
        end = parent.follow(process.pid, told.set)
        await asyncio.sleep(0)
        assert not told.is_set()
        process.communicate(b"\n")
        await asyncio.wait_for(told.wait(), PATIENCE_S)
        end()

    asyncio.run(check())


def test_a_process_that_is_gone_already_is_told_of_at_once() -> None:
    async def check() -> None:
        process = subprocess.Popen([sys.executable, "-c", ""])
        process.wait()
        told = asyncio.Event()
        parent.follow(process.pid, told.set)
        await asyncio.wait_for(told.wait(), PATIENCE_S)

    asyncio.run(check())
