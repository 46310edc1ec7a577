"""How large the embedded store's files get under a steady load: `python bench/micro/bench_steady.py [--seconds N]`.

Objects are updated all the time and some are deleted and made again, while history is compacted at an interval, so that
what is kept is what was written in one to two intervals. The files have to stop growing.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path

import uvloop

from quarterdeck.storage.sqlite import SQLiteStorage

VALUE_BYTES = 1500
WRITERS = 16


async def write(store: SQLiteStorage, names: list[str], known: dict[str, int], until_s: float) -> None:
    choose = random.Random(names[0])
    while time.perf_counter() < until_s:
        name = choose.choice(names)
        value = choose.randbytes(choose.randrange(VALUE_BYTES * 2))
        if name not in known:
            known[name] = await store.create(name, value)
        elif choose.random() < 0.1:
            await store.delete(name, known.pop(name))
        else:
            known[name] = await store.update(name, value, known[name])


async def measure(folder: Path, objects: int, seconds: float, interval_s: float) -> None:
    path = folder / "store.db"
    store = await SQLiteStorage.open(path, compaction_interval_s=interval_s)
    names = [f"/registry/bench.io/widgets/ns/{number:06}" for number in range(objects)]
    known: dict[str, int] = {}
    started_s, base = time.perf_counter(), store.revision
    until_s = started_s + seconds
    writers = [asyncio.ensure_future(write(store, names[at::WRITERS], known, until_s)) for at in range(WRITERS)]
    print(f"{objects} objects of {VALUE_BYTES} bytes on average, compaction every {interval_s:g} s")
    while not all(writer.done() for writer in writers):
        await asyncio.sleep(seconds / 10)
        database, log = (file.stat().st_size / 1e6 for file in (path, path.with_name("store.db-wal")))
        print(
            f"{time.perf_counter() - started_s:6.1f} s  {store.revision - base:8} writes  database {database:7.1f} MB  "
            f"log {log:5.1f} MB",
            flush=True,
        )
    await asyncio.gather(*writers)
    await store.compact(store.revision)
    await asyncio.sleep(0.2)
    await store.create("/registry/bench.io/last", b"")
    await store.close()
    print(f"stopped, history forgotten: {len(known)} objects, database {path.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--interval", type=float, default=3, help="seconds between compactions (a server's: 300)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        uvloop.run(measure(Path(folder), options.objects, options.seconds, options.interval))


if __name__ == "__main__":
    main()
