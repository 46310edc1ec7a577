"""What the server asks of its own process: open files, the interpreter's settings, how long it runs."""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path
from typing import Final

from quarterdeck._kernels import longsteps

_FILES_WANTED: Final = 1 << 20
_FILES_RESERVED: Final = 256  # for the store, webhooks and everything else that is no client's connection
_CONNECTIONS_MAX: Final = 100_000
_SWITCH_INTERVAL_S: Final = 0.0005


def tune_interpreter() -> None:
    """For the process that serves, once everything is loaded."""
    longsteps.keep_heap_small()
    if _has_pythons_allocator():
        longsteps.take_memory_apart()
    # The store's thread asks for the interpreter's lock a few times in each commit, and waits this long each time while
    # the loop is busy. Eight writers beside a loop whose turns take 5 ms: with Python's own 5 ms the median write took
    # 28 ms, with this 19 ms. Beside short turns there is no difference to be seen.
    sys.setswitchinterval(_SWITCH_INTERVAL_S)


def _has_pythons_allocator() -> bool:
    """One that checks what is freed, as debugging builds have it, would not know what another one allocated."""
    is_debugging = sys.flags.dev_mode or hasattr(sys, "gettotalrefcount")
    return not is_debugging and os.environ.get("PYTHONMALLOC", "") in ("", "default", "pymalloc")


def raise_files_limit() -> int:
    """Ask for as many open files as the system lets us have; how many connections that allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, _FILES_WANTED)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        wanted = soft if soft != resource.RLIM_INFINITY else _FILES_WANTED
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return min(max(wanted - _FILES_RESERVED, wanted // 2), _CONNECTIONS_MAX)


def age_s() -> float:
    """How long ago this process was started, the interpreter's own start included."""
    try:
        fields = Path("/proc/self/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError):
        return time.process_time()  # not on Linux: the CPU time of the start is the next best answer
