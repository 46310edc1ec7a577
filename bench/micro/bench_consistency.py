"""What a round of the comparison of cache and store costs: `python bench/micro/bench_consistency.py [--help]`.

Each of the resources is compared by itself, as the server does, while a writer goes on or nobody writes. CPU is the
process's, loop is the event loop's thread's, stall is the longest time that the loop was not free.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

import uvloop

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from bench.macro.fanout import make_value

from quarterdeck.storage.cacher import Cacher
from quarterdeck.storage.cacher.consistency import ConsistencyChecker, Mismatch
from quarterdeck.storage.sqlite import SQLiteStorage


async def fill(store: SQLiteStorage, prefixes: list[str], objects: int) -> None:
    for begin in range(0, objects, 2000):
        numbers = range(begin, min(begin + 2000, objects))
        keys = [(prefixes[number % len(prefixes)], f"o{number:06}") for number in numbers]
        await asyncio.gather(*(store.create(f"{prefix}ns/{name}", make_value(name, 1000)) for prefix, name in keys))


async def watch_stalls(stalls: list[float]) -> None:
    before_s = time.perf_counter()
    while True:
        await asyncio.sleep(0.001)
        now_s = time.perf_counter()
        stalls.append(now_s - before_s - 0.001)
        before_s = now_s


async def write_on(store: SQLiteStorage, prefix: str, pause_s: float) -> None:
    number = 0
    while True:
        name = f"w{number:06}"
        await store.create(f"{prefix}ns/{name}", make_value(name, 1000))
        number += 1
        await asyncio.sleep(pause_s)


async def measure(folder: Path, resources: int, objects: int) -> None:
    store = await SQLiteStorage.open(folder / "store.db", compaction_interval_s=0)
    prefixes = [f"/registry/bench.io/kind{number:04}/" for number in range(resources)]
    await fill(store, prefixes, objects)
    cacher = Cacher(store)
    await cacher.start()
    caches = [cacher.resource("bench.io", f"kind{number:04}") for number in range(resources)]
    assert sum(len(cache.state) for cache in caches) == objects
    found: list[Mismatch] = []
    outcomes: dict[str, int] = {}

    def count(_: str, outcome: str) -> None:
        outcomes[outcome] = outcomes.get(outcome, 0) + 1

    checker = ConsistencyChecker(cacher, found.append, count, 0)
    for name, pause_s in (("first", None), ("quiet", None), ("1,000 writes/s", 0.001)):
        stalls: list[float] = []
        tasks = [asyncio.ensure_future(watch_stalls(stalls))]
        if pause_s is not None:
            tasks.append(asyncio.ensure_future(write_on(store, prefixes[0], pause_s)))
        started_s, cpu_s, loop_s = time.perf_counter(), time.process_time(), time.thread_time()
        for cache in caches:
            await checker.check(cache)
        spent = time.perf_counter() - started_s, time.process_time() - cpu_s, time.thread_time() - loop_s
        for task in tasks:
            task.cancel()
        print(
            f"{name:16} wall {spent[0]:.2f} s  cpu {spent[1]:.2f} s  loop {spent[2]:.2f} s  "
            f"stall {max(stalls) * 1e3:.1f} ms  {outcomes}",
            flush=True,
        )
        outcomes.clear()
    assert not found
    await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resources", type=int, default=859)
    parser.add_argument("--objects", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        uvloop.run(measure(Path(folder), options.resources, options.objects))


if __name__ == "__main__":
    main()
