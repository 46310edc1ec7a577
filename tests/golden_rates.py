"""Prints how many recordings of each area a server answers as kube-apiserver did.

python tests/golden_rates.py [AREA …]          starts a server of its own
python tests/golden_rates.py -v AREA/NAME      shows the differences
"""

from __future__ import annotations

import argparse
import ssl
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from support.golden.client import Client
from support.golden.scenario import replay
from support.server import Server

RECORDINGS = Path(__file__).parent / "golden"
THREADS = 16
# These look at the last of all groups that are served: they see each other's.
ALONE = ("discovery",)
# Over HTTPS with the reference's token: authz is about who one is, and plain HTTP is the administrator's in any case;
# the others send bodies without a Content-Type, which the insecure port refuses.
BY_TOKEN = ("authz", "patch", "validation", "verbs")
TOKEN = "golden-token"


def find(wanted: list[str]) -> list[Path]:
    """The recordings of the named areas (or single ones, AREA/NAME); of all when none is named."""
    paths = sorted(RECORDINGS.glob("*/*.json"))
    if not wanted:
        return paths
    names = {name.removesuffix(".json") for name in wanted}
    return [path for path in paths if path.parent.name in names or f"{path.parent.name}/{path.stem}" in names]


class Clients(NamedTuple):
    plain: Client
    by_token: Client

    def of(self, recording: Path) -> Client:
        return self.by_token if recording.parent.name in BY_TOKEN else self.plain


@contextmanager
def serving() -> Iterator[Clients]:
    """A server, and how to speak to it."""
    with TemporaryDirectory() as folder:
        tokens = Path(folder) / "tokens.csv"
        tokens.write_text(f'{TOKEN},admin,admin,"system:masters"\n')
        with Server(None, "--token-auth-file", str(tokens)) as server:
            context = ssl.create_default_context(cafile=str(server.data_dir / "pki" / "ca.crt"))
            yield Clients(
                Client("127.0.0.1", server.plain_port), Client("127.0.0.1", server.secure_port, TOKEN, context)
            )


def replay_all(clients: Clients, recordings: list[Path]) -> dict[Path, list[str]]:
    """The differences of each recording; many at once, since nearly all keep to a group and namespace of their own."""

    def one(recording: Path) -> list[str]:
        try:
            return replay(clients.of(recording), recording)
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
    with serving() as clients:
        found = replay_all(clients, find(arguments.wanted))
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
