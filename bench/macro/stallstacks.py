"""What stallprobe.py's signals have found: the threads that ran in the longest stalls, and where they were.

Of each thread the innermost functions are shown, compiled ones by their symbols, those of the interpreter itself left
out; of interpreted code the files and lines.
"""

from __future__ import annotations

import collections
import re
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

_HEAD: Final = re.compile(r"^== (loop|thread) (\d+) (\d+) (\d+)$")
_FRAME: Final = re.compile(r"^(/[^(]+)\(([^)+]*)\+?(0x[0-9a-f]+)?\)")
_PYTHON: Final = re.compile(r'^  File "([^"]+)", line (\d+) in (\S+)$')
_OF_INTERPRETER: Final = re.compile(
    r":(_?Py[A-Z_]|_?Py_|CPyPy_|__pyx_pw|cfunction_|method_|slot_|note$|on_|\?\?|__libc|_start|main$|__restore_rt|__futex"
    r"|pthread_cond|take_gil|drop_gil|builtin_|thread_run|pythread_|start_thread|clone3|object_|type_call|context_run"
    r"|run_|gen_|partial_)|^libpython"
)
_IDLE: Final = ("__new_sem_wait_slow64", "epoll_wait", "uv__io_poll")
_FRAMES_SHOWN: Final = 7
_STACKS_SHOWN: Final = 8


class Sample(NamedTuple):
    """One thread at one time. `cpu_ns`: what it had used of a core so far."""

    thread: str
    at_ns: int
    cpu_ns: int
    frames: tuple[tuple[str, str, str], ...]  # file, symbol, offset
    lines: tuple[str, ...]  # of interpreted code


def read(path: Path) -> list[Sample]:
    samples = []
    for part in re.split(r"(?m)^(?=== )", path.read_text(errors="replace")):
        head = _HEAD.match(part.partition("\n")[0])
        if head is None:
            continue
        frames = [(found[1], found[2], found[3]) for line in part.splitlines() if (found := _FRAME.match(line))]
        lines = [
            f"{Path(found[1]).parent.name}/{Path(found[1]).name}:{found[2]} {found[3]}"
            for line in part.splitlines()
            if (found := _PYTHON.match(line))
        ]
        thread = head[1] if head[1] == "loop" else f"thread {head[2]}"
        samples.append(Sample(thread, int(head[3]), int(head[4]), tuple(frames), tuple(lines)))
    return samples


class _Symbols:
    """Names of functions that a library does not export."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def name(self, file: str, symbol: str, offset: str) -> str:
        if symbol:
            return symbol
        found = self._known.get((file, offset))
        if found is None:
            asked = subprocess.run(["addr2line", "-f", "-e", file, offset], capture_output=True, text=True, check=False)
            found = self._known[file, offset] = asked.stdout.partition("\n")[0] or "??"
        return found


def show(path: Path, spans: list[tuple[int, int]]) -> None:
    """For each time, from and to, the stacks that were met in it, the most frequent first."""
    samples, symbols = read(path), _Symbols()
    for begin_ns, end_ns in spans:
        print(f"-- {(end_ns - begin_ns) / 1e6:.1f} ms")
        met: collections.Counter[str] = collections.Counter()
        for sample in samples:
            if not begin_ns <= sample.at_ns <= end_ns:
                continue
            names = [
                (Path(file).name.split(".")[0], symbols.name(file, name, offset))
                for file, name, offset in sample.frames
            ]
            if any(name in _IDLE for _, name in names):
                continue
            waits = "waits for the lock, " if any("pthread_cond_timedwait" in name for _, name in names[:6]) else ""
            shown = [_shorten(f"{file}:{name}") for file, name in names if not _OF_INTERPRETER.search(f"{file}:{name}")]
            lines = " | " + " < ".join(sample.lines[:5]) if sample.lines else ""
            met[f"{sample.thread}: {waits}{' < '.join(shown[:_FRAMES_SHOWN])}{lines}"] += 1
        for text, count in met.most_common(_STACKS_SHOWN):
            print(f"   {count} x {text}")


def _shorten(name: str) -> str:
    return re.sub(r"__pyx_\w*?_kernels_\d*|CPyDef_quarterdeck_*|\w*__mypyc:", "", name)
