"""Compares a run of bench/suite with a saved one: `python bench/verdict.py SAVED NEW`; exit code 1 where
something is slower. `--save RUN FILE` keeps what is compared.

What is compared is the ratio of a benchmark's least time to that of its group's floor, measured in the same run.
Where a machine is busy, one run in a few differs by a tenth all the same: less than that is not judged.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

_MORE_MAX: Final = 1.15
# Waits for the disk: told, not judged.
_UNJUDGED: Final = ("a commit",)

Ratios = dict[str, tuple[float, float]]


def ratios(run: dict[str, Any]) -> Ratios:
    """By group and name: the least time in µs, and how many times its floor's."""
    groups: dict[str, dict[str, float]] = {}
    for each in run["benchmarks"]:
        groups.setdefault(each["group"], {})[each["name"]] = each["stats"]["min"] * 1e6
    found: Ratios = {}
    for group, times in groups.items():
        floor = next((time for name, time in times.items() if "floor" in name), None)
        if floor is None:  # a library that is not to be had here
            continue
        found.update((f"{group}: {name}", (time, time / floor)) for name, time in times.items() if "floor" not in name)
    return found


def read(path: Path) -> Ratios:
    """Of a run, or of what `save` has left of one."""
    found = json.loads(path.read_text())
    return ratios(found) if "benchmarks" in found else {name: (each[0], each[1]) for name, each in found.items()}


def save(run: Path, place: Path) -> None:
    kept = {name: [round(time_us, 3), round(ratio, 4)] for name, (time_us, ratio) in read(run).items()}
    place.write_text(json.dumps(kept, indent=1) + "\n")


def main() -> int:
    if sys.argv[1] == "--save":
        save(*map(Path, sys.argv[2:4]))
        return 0
    saved, new = (read(Path(path)) for path in sys.argv[1:3])
    slower = []
    print(f"{'':58}{'µs':>10}{'x floor':>10}{'saved':>10}")
    for name, (time_us, ratio) in new.items():
        before = saved.get(name, (0.0, 0.0))[1]
        verdict = ""
        if before and not name.startswith(_UNJUDGED):
            verdict = "SLOWER" if ratio > before * _MORE_MAX else "faster" if ratio * _MORE_MAX < before else ""
        if verdict == "SLOWER":
            slower.append(name)
        print(f"{name:58}{time_us:10.2f}{ratio:10.3f}{before or float('nan'):10.3f}  {verdict}".rstrip())
    print(f"verdict: {'slower: ' + '; '.join(slower) if slower else 'nothing is slower'}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
