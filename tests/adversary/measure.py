"""How long others wait while a server takes all bombs, one after the other.

    make adversary                                  all, in the compiled form; fails where somebody waited too long
    python tests/adversary/measure.py [NAME …]      the bombs whose names begin so (all by default)
    python tests/adversary/measure.py --assert      as `make adversary` does, in whatever form is built

Prints the bombs that made others wait longest, then the percentiles of all waits and the server's memory: when it is
fresh; when the bombs have met it and what they stored is deleted; and when they have done so once more, which is to add
no more than 10 %. Histories are off, since they hold what was written. The limits of waits are those of a machine that
has nothing else to do.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import bombs, bombs_aftermath, definitions, ordinary_use
from support.canary import Canary
from support.golden.client import Client
from support.server import Server

_SHOWN = 40
_P99_9_S_MAX = 0.020
_WAIT_S_MAX = 0.100
_GROWTH_MAX = 1.10


class _Span(NamedTuple):
    name: str
    status: int
    begin_s: float
    end_s: float


def _run(wanted: tuple[str, ...]) -> tuple[list[_Span], Canary, list[float]]:
    """What was sent, what the canary met meanwhile, and the memory: fresh, and after each of two rounds; in MiB."""
    with Server(None, bombs_aftermath.WITHOUT_HISTORIES) as server:
        client = Client("127.0.0.1", server.plain_port)
        for definition in bombs.definitions():
            definitions.install(client, definition)
        chosen = [bomb for bomb in bombs.table() if not wanted or bomb.name.startswith(wanted)]
        memory = [bombs_aftermath.resident_bytes(client) / 2**20]
        ordinary_use.use(server.plain_port)
        memory.append(_memory_without_stored(client))
        with Canary(server.plain_port) as canary:
            time.sleep(0.5)
            spans = [_send(bomb, server.plain_port) for bomb in chosen]
        memory.append(_memory_without_stored(client))
        for bomb in chosen:
            bomb.send(server.plain_port)
        memory.append(_memory_without_stored(client))
    return spans, canary, memory


def _send(bomb: bombs.Bomb, port: int) -> _Span:
    begin_s = time.monotonic()
    status = bomb.send(port).status
    return _Span(bomb.name, status, begin_s, time.monotonic())


def _memory_without_stored(client: Client) -> float:
    bombs_aftermath.remove_stored(client)
    return bombs_aftermath.settled_resident_bytes(client) / 2**20


def main(wanted: tuple[str, ...], *, asserts: bool) -> int:
    spans, canary, memory = _run(wanted)
    longest = sorted((canary.longest_s(span.begin_s, span.end_s), span) for span in spans)
    for wait, span in reversed(longest[-_SHOWN:]):
        print(f"{wait * 1000:8.1f} ms  {span.status}  {span.name}  (took {span.end_s - span.begin_s:.2f} s)")
    waits = sorted(wait for _, wait in canary.waits)
    places = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999, "max": 1.0}
    told = "  ".join(
        f"{name} {waits[min(int(len(waits) * part), len(waits) - 1)] * 1000:.1f} ms" for name, part in places.items()
    )
    print(f"{len(spans)} bombs, {len(waits)} answers: {told}")
    fresh, used, once, twice = memory
    print(
        f"memory: fresh {fresh:.0f} MiB, in ordinary use {used:.0f}, after one round {once:.0f}, after another "
        f"{twice:.0f}: {once / used:.2f} and {twice / used:.2f} x that of ordinary use"
    )
    if not asserts:
        return 0
    problems = []
    if waits[int(len(waits) * 0.999)] > _P99_9_S_MAX or waits[-1] > _WAIT_S_MAX:
        problems.append(
            f"somebody waited too long: at most {_P99_9_S_MAX * 1000:.0f} ms (p99.9), {_WAIT_S_MAX * 1000:.0f} ms (max)"
        )
    if twice > once * _GROWTH_MAX:
        problems.append(f"memory did not come back: at most {_GROWTH_MAX} x")
    print("\n".join(problems))
    return int(bool(problems))


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if name != "--assert"]
    sys.exit(main(tuple(names), asserts="--assert" in sys.argv))
