"""The recordings of kube-apiserver's answers: where they lie, and which of them differ here.

AREA/NAME.json            written by hand; one scenario each
kinds/AREA.jsonl.xz       more of these, of built-in kinds; one a line, each with its name; named kinds/AREA/NAME
fuzz/DOMAIN.jsonl.xz      random scenarios, one a line; named fuzz/DOMAIN/SEED
known_differences.txt     the names of those that are not answered as recorded yet. The list may only shrink: one that
                          differs without standing there fails the tests, and so does one that stands there and does
                          not differ. `python tests/golden_rates.py --update` writes it.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from support.golden.quickjson import read_json, write_sorted

FOLDER = Path(__file__).parent
KNOWN = FOLDER / "known_differences.txt"
_FUZZ = "fuzz"
_LINES = ("kinds", _FUZZ)  # folders of areas that are one file each


class Recording(NamedTuple):
    """`area` of a random scenario: fuzz/DOMAIN. `is_alone`: it looks at the last of all groups that are served, or says
    itself that it uses names that others use too, so that it sees those of others that run meanwhile."""

    area: str
    name: str
    content: dict[str, Any]
    is_alone: bool

    @property
    def full_name(self) -> str:
        return f"{self.area}/{self.name}"

    @property
    def is_random(self) -> bool:
        return "seed" in self.content

    @property
    def seconds_asleep(self) -> float:
        return sum(step.get("sleep", 0) for step in self.content["scenario"]["steps"])


def areas() -> list[str]:
    """All of them, the domains of random scenarios last."""
    folders = sorted({path.parent.name for path in FOLDER.glob("*/*.json")})
    files = [path for folder in _LINES for path in sorted(FOLDER.glob(f"{folder}/*.jsonl.xz"))]
    return folders + [f"{path.parent.name}/{path.name.partition('.')[0]}" for path in files]


@cache
def of_area(area: str) -> list[Recording]:
    """Read once: whoever replays them leaves them as they are."""
    if "/" not in area:
        return [_read(area, path.read_bytes(), path.stem) for path in sorted(FOLDER.glob(f"{area}/*.json"))]
    with lzma.open(FOLDER / f"{area}.jsonl.xz") as lines:
        return [_read(area, line) for line in lines]


def _read(area: str, data: bytes, name: str = "") -> Recording:
    content = read_json(data)
    scenario = content["scenario"]
    is_alone = "(run it alone" in scenario.get("describe", "") or b"items.-1" in write_sorted(scenario)
    return Recording(area, name or str(content["seed"] if "seed" in content else content["name"]), content, is_alone)


def find(wanted: list[str]) -> list[Recording]:
    """Those of the named areas ("fuzz" is all its domains), or single ones (AREA/NAME); all when none is named."""
    found = []
    for area in areas():
        is_whole = not wanted or area in wanted or area.partition("/")[0] in wanted
        if is_whole or any(name.startswith(f"{area}/") for name in wanted):
            found += [each for each in of_area(area) if is_whole or each.full_name in wanted]
    return found


def known_differences() -> set[str]:
    """Their full names."""
    return set(KNOWN.read_text().split())


def write_known(replayed: Iterable[Recording], differing: Iterable[Recording]) -> tuple[set[str], set[str]]:
    """Returns the full names that are new in the list, and those that are gone from it. What was not replayed stays."""
    before = set(KNOWN.read_text().split()) if KNOWN.exists() else set()
    gone = before & ({each.full_name for each in replayed} - {each.full_name for each in differing})
    new = {each.full_name for each in differing} - before
    KNOWN.write_text("".join(f"{name}\n" for name in sorted(before - gone | new, key=_by_number)))
    return new, gone


def _by_number(full_name: str) -> tuple[str, int, str]:
    area, _, name = full_name.rpartition("/")
    return area, int(name) if name.isdigit() else 0, name
