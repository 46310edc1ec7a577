"""What very many objects cost: start to ready, memory, and a get, a create and a delivery beside them.

    python -m bench.macro.growth [--objects 1000000] [--rounds 5] [--json FILE]

Two servers in one run, with 1,000 objects of some 500 bytes and with --objects of them; both are measured in turns, and
medians are told. CPU is what the serving process spent. A delivery is one event for one of 100 watchers, its share of
the create included. The objects are written through the store, not through requests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.macro import load
from bench.macro.watch import COLLECTION, GROUP, STEP_S, Bench, make_object

from quarterdeck.cmd.bench.watchers import Watchers
from quarterdeck.storage.sqlite import SQLiteStorage
from support.server import Server

_FEW = 1000
_BATCH = 2000
_REQUESTS = 5000
_CONNECTIONS = 32
_WATCHERS = 100
_EVENTS = 200
Figures = dict[str, float]


def value_of(number: int) -> bytes:
    return json.dumps(
        {
            "apiVersion": f"{GROUP}/v1",
            "kind": "Widget",
            "metadata": {
                "name": f"widget-{number:07}",
                "namespace": "default",
                "uid": f"00000000-0000-4000-8000-{number:012}",
                "generation": 1,
                "creationTimestamp": "2026-11-27T10:00:00Z",
                "labels": {"app": f"a{number % 50}"},
            },
            "spec": {"padding": "x" * 250, "node": ""},
        },
        separators=(",", ":"),
    ).encode()


async def fill(data_dir: Path, objects: int) -> int:
    """The bytes of the values that were written."""
    storage = await SQLiteStorage.open(data_dir / "store.db", compaction_interval_s=0)
    size = 0
    for begin in range(0, objects, _BATCH):
        values = [value_of(number) for number in range(begin, min(objects, begin + _BATCH))]
        keys = [f"/registry/{GROUP}/widgets/default/widget-{begin + at:07}" for at in range(len(values))]
        await asyncio.gather(*[storage.create(key, value) for key, value in zip(keys, values, strict=True)])
        size += sum(map(len, values))
    await storage.close()
    return size


class Filled:
    """A server with so many objects; how its start went."""

    def __init__(self, stack: ExitStack, folder: Path, objects: int) -> None:
        self._server = Server(folder / str(objects))
        stack.callback(self._server.stop)
        Bench(self._server).define()
        self._server.terminate()
        size = asyncio.run(fill(self._server.data_dir, objects))
        self._server.start()
        self._bench = Bench(self._server)
        self._objects = objects
        self._created = 0
        pages_mib = load.resident_mib(self._server.process_id)
        self.start: Figures = {
            "objects": objects,
            "value_bytes": size / objects,
            "ready_s": self._server.ready_s,
            "resident_mib": pages_mib,
            "resident_to_values": pages_mib * 2**20 / size,
        }

    def measure(self) -> Figures:
        return {
            "get_us": self._requests("GET"),
            "create_us": self._requests("POST"),
            "delivery_us": self._delivery_us(),
        }

    def _requests(self, method: str) -> float:
        def make(number: int) -> bytes:
            if method == "GET":
                return load.build_request(method, f"{COLLECTION}/widget-{number * 7919 % self._objects:07}")
            return load.build_request(method, COLLECTION, make_object(f"made-{self._created + number}", 250))

        port, process_id = self._server.plain_port, self._server.process_id
        counted = asyncio.run(load.run(port, process_id, make, requests=_REQUESTS, connections=_CONNECTIONS))
        if method == "POST":
            self._created += _REQUESTS
        if counted.failures:
            raise RuntimeError(f"{counted.failures} requests failed")
        return counted.cpu_us

    def _delivery_us(self) -> float:
        bench = self._bench
        group = Watchers(bench.plain, [bench.path()] * _WATCHERS, STEP_S)
        group.expect(_WATCHERS * _EVENTS)
        before = bench.cpu_s()
        for number in range(_EVENTS):
            bench.client.must(201, "POST", COLLECTION, make_object(f"told-{self._created + number}", 250))
        group.wait()
        used = bench.cpu_s() - before
        group.close()
        self._created += _EVENTS
        return used * 1e6 / _WATCHERS / _EVENTS


def run(objects: int, rounds: int) -> dict[str, Figures]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="quarterdeck-")))
        servers = {count: Filled(stack, folder, count) for count in (_FEW, objects)}
        found: dict[int, list[Figures]] = {count: [] for count in servers}
        for _ in range(rounds):
            for count, server in servers.items():
                found[count].append(server.measure())
    medians = {
        count: {name: statistics.median(each[name] for each in figures) for name in figures[0]}
        for count, figures in found.items()
    }
    results = {str(count): server.start | medians[count] for count, server in servers.items()}
    results["ratio"] = {name: medians[objects][name] / value for name, value in medians[_FEW].items()}
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = run(options.objects, options.rounds)
    for name, figures in results.items():
        print(name, {key: round(value, 2) for key, value in figures.items()})
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
