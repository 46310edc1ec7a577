"""Prints how many recordings of each area a server answers as kube-apiserver did.

python tests/golden_rates.py [AREA …]          starts a server of its own
python tests/golden_rates.py -v AREA/NAME      shows the differences
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from support.golden.client import Client
from support.golden.scenario import replay
from support.server import Server

RECORDINGS = Path(__file__).parent / "golden"
THREADS = 16
# These look at the last of all groups that are served: they see each other's.
ALONE = ("discovery",)


def find(wanted: list[str]) -> list[Path]:
    """The recordings of the named areas (or single ones, AREA/NAME); of all when none is named."""
    paths = sorted(RECORDINGS.glob("*/*.json"))
    if not wanted:
        return paths
    names = {name.removesuffix(".json") for name in wanted}
    return [path for path in paths if path.parent.name in names or f"{path.parent.name}/{path.stem}" in names]


def replay_all(client: Client, recordings: list[Path]) -> dict[Path, list[str]]:
    """The differences of each recording; many at once, since nearly all keep to a group and namespace of their own."""

    def one(recording: Path) -> list[str]:
        try:
            return replay(client, recording)
        except Exception as error:
            return [f"{type(error).__name__}: {error}"]

    together = [path for path in recordings if path.parent.name not in ALONE]
    with ThreadPoolExecutor(THREADS) as pool:
        found = dict(zip(together, pool.map(one, together), strict=True))
    return found | {path: one(path) for path in recordings if path.parent.name in ALONE}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-v", action="store_true", help="show the differences")
    parser.add_argument("wanted", nargs="*", metavar="AREA")
    arguments = parser.parse_args()
    with Server() as server:
        found = replay_all(Client("127.0.0.1", server.plain_port), find(arguments.wanted))
    total, good = Counter[str](), Counter[str]()
    for recording, problems in found.items():
        total[recording.parent.name] += 1
        good[recording.parent.name] += not problems
        if problems and arguments.v:
            print(f"{recording.parent.name}/{recording.stem}")
            for problem in problems[:12]:
                print(f"    {problem}")
    for area in sorted(total):
        print(f"{area:12} {good[area]:3} of {total[area]:3}")
    print(f"{'all':12} {good.total():3} of {total.total():3}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
