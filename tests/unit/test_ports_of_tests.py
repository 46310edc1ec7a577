"""Test processes that run at the same time are never given the same port, not even one that nobody uses yet."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from support import ports

_ASK = """
import sys
sys.path.insert(0, sys.argv[1])
from support import ports
wanted = iter(map(int, sys.argv[2:]))
ports._RANDOM.randrange = lambda *_: next(wanted)
print(ports.free_port())
"""


class _Wanted:
    """These ports before others."""

    def __init__(self, *first: int) -> None:
        self._first = iter(first)

    def randrange(self, begin: int, end: int) -> int:
        return next(self._first, 0) or random.randrange(begin, end)


def test_a_port_is_given_to_one_process_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = ports.free_port(), ports.free_port()
    with monkeypatch.context() as patched:
        patched.setattr(ports, "_RANDOM", _Wanted(first, second))
        assert ports.free_port() not in (first, second)
    third = ports.free_port()
    command = [sys.executable, "-c", _ASK, str(Path(ports.__file__).parents[1]), str(first), str(second), str(third)]
    other = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "StopIteration" in other.stderr, f"another process was given {other.stdout}"
