"""How long the server takes to ready, and the memory that it has then: on an empty data directory, and on an old one.

    python bench/macro/start.py [--starts N]

Medians. "says": what the server prints, which counts from the process's start. "outside": from before the process is
made until that line is read. The byte code of the modules is written and read, as in an installation.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

_MIB = 1 << 20


class Start(NamedTuple):
    says_s: float
    outside_s: float
    memory_mib: float


def start_once(data_dir: Path) -> Start:
    """Start a server, read the line that it prints when it is ready, and stop it."""
    command = [sys.executable, "-m", "quarterdeck", "serve", "--data-dir", str(data_dir), "--secure-port", "0"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begin_s = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        outside_s = time.perf_counter() - begin_s
        _, found, rest = line.partition("ready after ")
        if not found:
            raise RuntimeError(f"the server did not start: {line!r}")
        return Start(float(rest.split()[0]), outside_s, read_memory_mib(process.pid))
    finally:
        process.terminate()
        process.wait(timeout=30)


def read_memory_mib(process_id: int) -> float:
    pages = int(Path(f"/proc/{process_id}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MIB


def report(label: str, starts: list[Start]) -> None:
    says_s, outside_s, memory_mib = (statistics.median(column) for column in zip(*starts, strict=True))
    print(f"{label:24} says {says_s:.2f} s   outside {outside_s:.3f} s   memory {memory_mib:.1f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=10, metavar="N")
    count = parser.parse_args().starts
    with tempfile.TemporaryDirectory(prefix="quarterdeck-") as directory:
        root = Path(directory)
        start_once(root / "first")  # the byte code and the page cache
        report("empty data directory", [start_once(root / f"empty-{number}") for number in range(count)])
        report("existing data directory", [start_once(root / "first") for _ in range(count)])


if __name__ == "__main__":
    main()
