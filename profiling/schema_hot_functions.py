"""Where the instructions of validating and of pruning go, function by function.

    python profiling/schema_hot_functions.py [validate|prune]        (needs valgrind)

Runs the object of bench/micro/bench_schema.py many times and few times under callgrind and prints the difference.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1] / "bench" / "micro" / "bench_schema.py"
TIMES = 1000


def profile(name: str, times: int, folder: str) -> dict[str, int]:
    out = Path(folder) / f"{name}-{times}"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", sys.executable, str(BENCH), "--run", name]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    subprocess.run([*command, str(times)], check=True, capture_output=True, env=environment)
    text = subprocess.run(
        ["callgrind_annotate", "--threshold=100", str(out)], check=True, capture_output=True, text=True
    )
    found: dict[str, int] = {}
    for line in text.stdout.splitlines():
        match = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+(.*)", line)
        if match:
            found[re.sub(r"\s*\[.*", "", match[2])[-90:]] = int(match[1].replace(",", ""))
    return found


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "validate"
    with tempfile.TemporaryDirectory() as folder:
        few, many = profile(name, 1, folder), profile(name, 1 + TIMES, folder)
    spent = {function: (count - few.get(function, 0)) / TIMES for function, count in many.items()}
    for function, count in sorted(spent.items(), key=lambda item: -item[1])[:25]:
        print(f"{count:10.0f}  {function}")


if __name__ == "__main__":
    main()
