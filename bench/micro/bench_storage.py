"""What the embedded store costs: `python bench/micro/bench_storage.py [--objects N] [--json FILE]`.

CPU is what the process spent (user and system), split into the event loop's thread and the store's; it survives a
noisy machine, the latencies do not. The floor is the same rows in the same commits through apsw alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import uvloop

from quarterdeck.storage.sqlite import SQLiteStorage
from quarterdeck.storage.sqlite import format as fmt
from quarterdeck.storage.sqlite.database import open_database

VALUE = os.urandom(1500)
DEFAULT_SWITCH_INTERVAL_S = 0.005


def percentile(sorted_values: list[float], part: float) -> float:
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * part))]


def measure_floor(folder: Path, rows_of_commit: int, rows: int) -> dict[str, float]:
    connection, _ = open_database(folder / "floor.db")
    marks = ",".join(["(?,?,?,?,?,?,?)"] * rows_of_commit)
    statement = f"INSERT INTO revisions ({fmt.COLUMNS}) VALUES {marks}"
    revision = fmt.FIRST_REVISION
    started_s = time.process_time()
    for _ in range(rows // rows_of_commit):
        values: list[object] = []
        for _ in range(rows_of_commit):
            revision += 1
            values += (revision, f"/registry/example.io/widgets/ns/{revision}", revision, 0, 1, 2, VALUE)
        connection.execute(statement, values)
        if revision % 2000 < rows_of_commit:
            connection.wal_checkpoint()
    spent_s = time.process_time() - started_s
    connection.close()
    return {"cpu_us": spent_s / rows * 1e6}


async def measure_creates(
    folder: Path, writers: int, rows: int, work: Callable[[], None] | None = None
) -> dict[str, float]:
    store = await SQLiteStorage.open(folder / "store.db", compaction_interval_s=0)
    latencies: list[float] = []

    async def write(writer: int) -> None:
        for number in range(rows // writers):
            if work is not None:
                work()
            key = f"/registry/example.io/widgets/ns-{writer}/{number}"
            started_s = time.perf_counter()
            await store.create(key, VALUE)
            latencies.append(time.perf_counter() - started_s)

    cpu_s, loop_s, wall_s = time.process_time(), time.thread_time(), time.perf_counter()
    await asyncio.gather(*(write(writer) for writer in range(writers)))
    cpu_s, loop_s = time.process_time() - cpu_s, time.thread_time() - loop_s
    wall_s = time.perf_counter() - wall_s
    commits = store.stats().commits
    await store.close()
    latencies.sort()
    return {
        "cpu_us": cpu_s / rows * 1e6,
        "loop_us": loop_s / rows * 1e6,
        "thread_us": (cpu_s - loop_s) / rows * 1e6,
        "rows_per_s": rows / wall_s,
        "rows_per_commit": rows / commits,
        "p50_ms": percentile(latencies, 0.5) * 1e3,
        "p99_ms": percentile(latencies, 0.99) * 1e3,
        "max_ms": latencies[-1] * 1e3,
    }


def spin() -> None:
    """About 100 µs of Python, as a request costs."""
    until = time.perf_counter() + 100e-6
    while time.perf_counter() < until:
        pass


async def fill(path: Path, objects: int) -> None:
    store = await SQLiteStorage.open(path, compaction_interval_s=0)
    names = [f"/registry/example.io/kind{number % 40}/ns-{number % 7}/{number}" for number in range(objects)]
    await asyncio.gather(*(store.create(name, VALUE) for name in names))
    await store.close()


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def measure_start(path: Path) -> dict[str, float]:
    before_mb = resident_mb()
    started_s = time.perf_counter()
    store = await SQLiteStorage.open(path, compaction_interval_s=0)
    opened_s = time.perf_counter()
    opened_mb = resident_mb()
    objects = 0
    async for batch in store.load_all():
        objects += len(batch)
    loaded_s = time.perf_counter()
    await store.close()
    return {
        "objects": objects,
        "open_s": opened_s - started_s,
        "load_s": loaded_s - opened_s,
        "rss_before_mb": before_mb,
        "rss_opened_mb": opened_mb,
        "rss_loaded_mb": resident_mb(),
    }


async def measure_compaction(path: Path) -> dict[str, float]:
    """Each object is updated once, then what that superseded is compacted while one writer goes on."""
    store = await SQLiteStorage.open(path, compaction_interval_s=0)
    items = (await store.range("/registry/", limit=20_000)).items
    await asyncio.gather(*(store.update(item.key, VALUE, item.revision) for item in items))
    started_s, cpu_s = time.perf_counter(), time.process_time()
    compaction = asyncio.ensure_future(store.compact(store.revision))
    latencies: list[float] = []
    while not compaction.done():
        at = time.perf_counter()
        await store.create(f"/registry/during/{len(latencies)}", VALUE)
        latencies.append(time.perf_counter() - at)
    spent_s, cpu_s = time.perf_counter() - started_s, time.process_time() - cpu_s
    await store.close()
    latencies.sort()
    return {
        "rows": len(items),
        "seconds": spent_s,
        "cpu_us_per_row": cpu_s / len(items) * 1e6,
        "writes_meanwhile": len(latencies),
        "write_p50_ms": percentile(latencies, 0.5) * 1e3,
        "write_p99_ms": percentile(latencies, 0.99) * 1e3,
    }


def show(results: dict[str, dict[str, float]], name: str, figures: dict[str, float]) -> None:
    results[name] = {key: round(value, 2) for key, value in figures.items()}
    print(f"{name:34}", "  ".join(f"{key} {value:g}" for key, value in results[name].items()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--start", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.start:  # in a fresh process, so that the memory is this start's
        print(json.dumps(uvloop.run(measure_start(options.start))))
        return
    results: dict[str, dict[str, float]] = {}
    for writers, rows in ((1, 5_000), (8, 20_000), (32, 40_000), (256, 40_000)):
        with tempfile.TemporaryDirectory() as folder:
            show(results, f"floor {writers} rows a commit", measure_floor(Path(folder), min(writers, 128), rows))
            show(results, f"create {writers} writers", uvloop.run(measure_creates(Path(folder), writers, rows)))
    for interval_s in (DEFAULT_SWITCH_INTERVAL_S, 0.0005):
        sys.setswitchinterval(interval_s)
        with tempfile.TemporaryDirectory() as folder:
            figures = uvloop.run(measure_creates(Path(folder), 32, 10_000, spin))
            show(results, f"create 32 busy, switch {interval_s * 1e3:g} ms", figures)
    sys.setswitchinterval(DEFAULT_SWITCH_INTERVAL_S)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        uvloop.run(fill(path, options.objects))
        started = subprocess.run(
            [sys.executable, __file__, "--start", str(path)], check=True, capture_output=True, text=True
        )
        show(results, "start", json.loads(started.stdout))
        show(results, "compaction", uvloop.run(measure_compaction(path)))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
