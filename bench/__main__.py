"""Runs the benchmarks one after another: `python -m bench [NAME …]`, where NAME is part of a file's path; all if none.

Each is a program of its own (bench/README.md says what it measures); a benchmark that fails fails the run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent
# Helpers of the benchmarks, and floors that others start.
_NOT_PROGRAMS: Final = (
    "load.py",
    "sockets.py",
    "stallload.py",
    "stallprobe.py",
    "stallsender.py",
    "stallstacks.py",
    "http_floor.py",
    "transport.py",
)


def find() -> list[Path]:
    """The benchmarks: floors first, then the server as a whole, then its parts."""
    paths = [path for part in ("floor", "macro", "micro") for path in sorted((ROOT / part).glob("*.py"))]
    return [path for path in paths if path.name not in _NOT_PROGRAMS]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    names = parser.parse_args().names
    failed: list[str] = []
    for path in find():
        shown = str(path.relative_to(ROOT))
        if names and not any(name in shown for name in names):
            continue
        print(f"== {shown}", flush=True)
        if subprocess.run([sys.executable, str(path)], check=False, cwd=ROOT.parent).returncode:
            failed.append(shown)
    for shown in failed:
        print(f"failed: {shown}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
