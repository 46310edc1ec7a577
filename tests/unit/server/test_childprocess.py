"""What is called in a child process: done as if it were called here, and forgotten."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

from quarterdeck.server import childprocess
from quarterdeck.server.config import ConfigError

_PREFIX = "import os, sys; from quarterdeck.server import childprocess\n"


def run(code: str, *arguments: str) -> str:
    """In an interpreter of its own: test runners have threads."""
    command = [sys.executable, "-c", _PREFIX + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_what_it_imports_stays_in_the_child(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from quarterdeck.server import pki\n"
        "made = pki.ensure(Path(sys.argv[1]), '127.0.0.1', None, childprocess.call)\n"
        "print(made.serving_certificate.exists(), made.record.exists(), 'cryptography' in sys.modules)"
    )
    assert run(code, str(tmp_path)) == "True True False\n"


def test_what_it_raises_is_raised_here() -> None:
    code = (
        "from quarterdeck.server.config import ConfigError\n"
        "def fail(): raise kinds.pop(0)\n"
        "for error in (ConfigError('no key'), PermissionError(13, 'Permission denied', '/pki')):\n"
        "    kinds = [error]\n"
        "    try: childprocess.call(fail)\n"
        "    except Exception as raised: print(repr(raised), getattr(raised, 'filename', ''), len(kinds))\n"
    )
    assert run(code) == (f"{ConfigError('no key')!r}  1\nPermissionError(13, 'Permission denied') /pki 1\n")


def test_a_child_that_is_killed_is_made_up_for() -> None:
    code = (
        "home = os.getpid()\n"
        "def work():\n"
        "    if os.getpid() != home: os.kill(os.getpid(), 9)\n"
        "    print('done here')\n"
        "childprocess.call(work)"
    )
    assert run(code) == "done here\n"


def test_a_process_without_room_for_a_child_works_itself() -> None:
    code = (
        "def refuse(): raise BlockingIOError(11, 'no more processes')\n"
        "os.fork = refuse\n"
        "childprocess.call(lambda: print('done here'))"
    )
    assert run(code) == "done here\n"


def test_no_child_beside_other_threads() -> None:
    called: list[int] = []
    ended = threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    childprocess.call(lambda: called.append(os.getpid()))
    ended.set()
    other.join()
    assert called == [os.getpid()]
