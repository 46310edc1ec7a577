"""How long others wait while a server takes all bombs, one after the other.

    make adversary                                  all, in the compiled form; fails where somebody waited too long
    python tests/adversary/measure.py [NAME …]      the bombs whose names begin so (all by default)
    python tests/adversary/measure.py --assert      as `make adversary` does, in whatever form is built

Prints the bombs that made others wait longest, then the percentiles of all waits and the server's memory. The limits
are those of a machine that has nothing else to do.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import bombs, definitions
from support.canary import Canary
from support.golden.client import Client
from support.server import Server

_SHOWN = 40
_P99_9_S_MAX = 0.020
_WAIT_S_MAX = 0.100


def _resident_mib(client: Client) -> float:
    lines = client("GET", "/metrics").text.splitlines()
    return (
        next(float(line.split(" ")[1]) for line in lines if line.startswith("process_resident_memory_bytes ")) / 2**20
    )


def main(wanted: tuple[str, ...], *, asserts: bool) -> int:
    spans: list[tuple[str, int, float, float]] = []
    with Server(None) as server:
        client = Client("127.0.0.1", server.plain_port)
        for definition in bombs.definitions():
            definitions.install(client, definition)
        before = _resident_mib(client)
        with Canary(server.plain_port) as canary:
            time.sleep(0.5)
            for bomb in bombs.table():
                if not wanted or bomb.name.startswith(wanted):
                    begin = time.monotonic()
                    status = bomb.send(server.plain_port).status
                    spans.append((bomb.name, status, begin, time.monotonic()))
        after = _resident_mib(client)
    longest = sorted(((canary.longest_s(begin, end), name, status, end - begin) for name, status, begin, end in spans))
    for wait, name, status, took in reversed(longest[-_SHOWN:]):
        print(f"{wait * 1000:8.1f} ms  {status}  {name}  (took {took:.2f} s)")
    waits = sorted(wait for _, wait in canary.waits)
    places = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999, "max": 1.0}
    told = "  ".join(
        f"{name} {waits[min(int(len(waits) * part), len(waits) - 1)] * 1000:.1f} ms" for name, part in places.items()
    )
    print(f"{len(spans)} bombs, {len(waits)} answers: {told}; memory {before:.0f} -> {after:.0f} MiB")
    is_late = waits[int(len(waits) * 0.999)] > _P99_9_S_MAX or waits[-1] > _WAIT_S_MAX
    if asserts and is_late:
        print(
            f"somebody waited too long: at most {_P99_9_S_MAX * 1000:.0f} ms (p99.9), {_WAIT_S_MAX * 1000:.0f} ms (max)"
        )
    return int(asserts and is_late)


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if name != "--assert"]
    sys.exit(main(tuple(names), asserts="--assert" in sys.argv))
