"""Lists by selector: what one takes beside many objects, through the index and by looking at all; what the index costs.

    python bench/micro/bench_index.py [--sizes 1000,10000,100000] [--json FILE]

Microseconds of CPU of the cache alone, without a server. `write`: a creation, with the index of the selectors above and
without one. `index`: bytes an object, as the server's metric tells them and as the process's memory grew.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from bench.macro.fanout import NullStore, make_value

from quarterdeck.apimachinery import fields, labels
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import Attributes, Cacher, ListOptions, ResourceCache, build_selection, picking

PREFIX = "/registry/bench.io/widgets/"
PICKED = 100


def memory_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def cpu_us(work: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(5):
        begin = time.process_time()
        for _ in range(repeats):
            work()
        best = min(best, (time.process_time() - begin) / repeats)
    return best * 1e6


class Bench:
    def __init__(self, size: int) -> None:
        self.size = size
        self.store = NullStore()
        self.cacher = Cacher(self.store)  # type: ignore[arg-type]
        self.revision = NullStore.revision
        self.groups = max(1, size // PICKED)

    async def start(self) -> ResourceCache:
        await self.cacher.start()
        for number in range(self.size):
            self.write(number)
        return self.cacher.resource("bench.io", "widgets")

    def write(self, number: int) -> None:
        """Objects in ten namespaces; a hundred of each application, half of them of each tier."""
        self.revision += 1
        known = Attributes(
            {"app": f"app-{number % self.groups}", "tier": f"t{number // self.groups % 2}"},
            {"spec.nodeName": "" if number % self.groups == 3 else f"node-{number % 50}"},
        )
        key = f"{PREFIX}ns-{number % 10}/o{number:07}"
        self.store.sink([interface.Event(key, make_value("o", 100), self.revision, True, known)], self.revision)


def options(namespace: str = "", label_text: str = "", field_text: str = "", limit: int = 0) -> ListOptions:
    selection = build_selection(namespace, "", labels.parse(label_text), fields.parse(field_text))
    return ListOptions(namespace, selection, has_selectors=True, limit=limit)


SELECTORS: dict[str, ListOptions] = {
    "app=x": options("", "app=app-3"),
    "app=x,tier=y": options("", "app=app-3,tier=t1"),
    "app in (x,y),tier!=z": options("", "app in (app-3,app-4),tier!=t0"),
    "spec.nodeName=": options("", "", "spec.nodeName="),
    "app=x in a namespace": options("ns-3", "app=app-3"),
    "app=x, limit=500": options("", "app=app-3", limit=500),
}


async def wait_for_list(cache: ResourceCache, asked: ListOptions) -> None:
    if cache.list_now(asked) is None:
        await cache.list(asked)


async def measure(size: int) -> dict[str, float]:
    bench = Bench(size)
    cache = await bench.start()
    row: dict[str, float] = {}
    plain = cpu_us(lambda: bench.write(5), 2000)
    for name, asked in SELECTORS.items():
        everything = cache.state.all()
        row[f"looking, {name}"] = cpu_us(lambda e=everything, o=asked: cache.select(o.selection, e), 3)  # type: ignore[misc]
    before = memory_bytes()
    picking.INDEXED_MIN = 0
    for asked in SELECTORS.values():
        for _ in range(3):
            await wait_for_list(cache, asked)
    grown = memory_bytes() - before
    for name, asked in SELECTORS.items():
        assert cache.list_now(asked) is not None, (name, size, cache.index)
        row[f"index, {name}"] = cpu_us(lambda o=asked: cache.list_now(o), 50)  # type: ignore[misc]
    assert cache.index is not None
    row["write without an index"] = plain
    row["write with an index"] = cpu_us(lambda: bench.write(5), 2000)
    row["index, bytes an object"] = cache.index.size_bytes / size
    row["grown, bytes an object"] = grown / size
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    sizes = [int(text) for text in arguments.sizes.split(",")]
    table = {str(size): asyncio.run(measure(size)) for size in sizes}
    print(f"{'microseconds':36}" + "".join(f"{size:>12,}" for size in sizes))
    for name in table[str(sizes[0])]:
        print(f"{name:36}" + "".join(f"{table[str(size)][name]:12.1f}" for size in sizes))
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
