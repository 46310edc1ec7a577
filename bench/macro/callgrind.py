"""Instructions between two marks, counted by valgrind's callgrind: of all threads, the same on a busy machine.

A bench that uses it runs its own file once more under valgrind (`count`), where `folder()` tells that it is the one
whose instructions are counted; `Marks` are set there.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_FOLDER: Final = "CALLGRIND_FOLDER"  # in the environment: where the counts and the marks' library are
_MARKS: Final = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void end(const char *name) { CALLGRIND_DUMP_STATS_AT(name); CALLGRIND_STOP_INSTRUMENTATION; }
"""


def folder() -> Path | None:
    """Where counts go; None in the process that nobody counts."""
    name = os.environ.get(_FOLDER)
    return Path(name) if name else None


class Marks:
    """Where counting begins and ends; `end` writes the counts of a name, in rounds, to a file of its own."""

    def __init__(self, where: Path) -> None:
        library = ctypes.CDLL(str(where / "marks.so"))
        self.begin = library.begin
        self._end = library.end

    def end(self, name: str) -> None:
        self._end(name.encode())


def count(script: str, *arguments: str) -> dict[str, list[int]]:
    """Runs the script under valgrind; for each name that it gave to `Marks.end` the instructions, round by round."""
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        (where / "marks.c").write_text(_MARKS)
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", where / "marks.so", where / "marks.c"], check=True)
        valgrind = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--log-file=/dev/null"]
        command = [*valgrind, f"--callgrind-out-file={where}/counts", sys.executable, script, *arguments]
        subprocess.run(command, env={**os.environ, _FOLDER: name, "PYTHONHASHSEED": "0"}, check=True)
        return _read(where)


def _read(where: Path) -> dict[str, list[int]]:
    rounds: dict[str, list[int]] = {}
    for path in where.glob("counts.*"):
        text = path.read_text(errors="replace")
        trigger = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        total = re.search(r"^totals: (\d+)", text, re.MULTILINE)
        if trigger and total:
            rounds.setdefault(trigger[1], []).append(int(total[1]))
    return rounds
