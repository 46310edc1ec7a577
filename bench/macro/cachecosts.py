"""What the watch cache costs without HTTP: a write with watchers that do not care, memory, lists, opening.

    python -m bench.macro.cachecosts [--json FILE]

CPU time of this process; the write goes through the whole cache (splice, entry, order, history, index).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from bench.macro.fanout import NullStore, SocketWriter, make_value

from quarterdeck.apimachinery import fields, labels
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import Attributes, Cacher, ListOptions, StoredForm, WatchOptions, build_selection
from quarterdeck.storage.cacher.resource import ResourceCache

FORM = StoredForm("bench.io/v1", "Widget")
PREFIX = "/registry/bench.io/widgets/"


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


class Bench:
    def __init__(self) -> None:
        self.store = NullStore()
        self.cacher = Cacher(self.store)  # type: ignore[arg-type]
        self.revision = NullStore.revision

    async def start(self) -> ResourceCache:
        await self.cacher.start()
        return self.cacher.resource("bench.io", "widgets")

    def write(self, name: str, padding: int = 500, node: str = "n0", app: str = "x") -> None:
        self.revision += 1
        note = Attributes({"app": app}, {"spec.node": node})
        event = interface.Event(f"{PREFIX}default/{name}", make_value(name, padding), self.revision, False, note)
        self.store.sink([event], self.revision)


def cpu(work: Callable[[], object], repeat: int) -> float:
    """Microseconds of CPU for one `work`, the median of several runs."""
    runs = []
    for _ in range(7):
        begin = time.process_time()
        for _ in range(repeat):
            work()
        runs.append((time.process_time() - begin) / repeat * 1e6)
    return statistics.median(runs)


async def measure_writes(count: int) -> dict[str, float]:
    """A write that `count` watchers do not care for."""
    result = {}
    for name, make in {
        "none": None,
        "label selector": lambda n: build_selection("", "", labels.parse(f"app=other{n}")),
        "one label selector for all": lambda n: build_selection("", "", labels.parse("app=other")),
        "not-in selector": lambda n: build_selection("", "", labels.parse("app!=x")),
        "node selector": lambda n: build_selection("", "", labels.EVERYTHING, fields.parse(f"spec.node=m{n}")),
        "other namespace": lambda n: build_selection(f"ns{n}"),
        "single name": lambda n: build_selection("default", f"other{n}"),
    }.items():
        bench = Bench()
        cache = await bench.start()
        begin = time.process_time()
        if make is not None:
            for n in range(count):
                watch = cache.watch(WatchOptions(make(n), str(bench.revision), timeout_s=3600), FORM)
                watch.attach(SocketWriter(-1))
        opened = (time.process_time() - begin) / count * 1e6
        result[name] = cpu(lambda bench=bench: bench.write("w"), 500)
        print(f"write with {count} watchers, {name}: {result[name]:.1f} us (opening one: {opened:.1f} us)")
        await bench.cacher.close()
    return result


async def measure_memory(objects: int) -> dict[str, float]:
    bench = Bench()
    cache = await bench.start()
    gc.collect()
    before = resident_bytes()
    begin = time.process_time()
    for n in range(objects):
        bench.write(f"object-{n:06}", padding=1290)
    write_us = (time.process_time() - begin) / objects * 1e6
    gc.collect()
    stored = sum(len(entry.data) for entry in cache.state.all())
    used = resident_bytes() - before
    result = {
        "objects": objects,
        "object_bytes": stored / objects,
        "overhead_bytes_per_object": (used - stored) / objects,
        "apply_us": write_us,
    }
    whole = ListOptions()
    result["list_us_per_object"] = cpu(lambda: cache.list_now(whole), 1) / objects
    selected = ListOptions("", build_selection("", "", labels.parse("app=y")), True)
    result["select_us_per_object"] = cpu(lambda: cache.list_now(selected), 1) / objects
    page = ListOptions("default", build_selection("default"), False, "", "", 500)
    result["page_of_500_us"] = cpu(lambda: cache.list_now(page), 5)
    print(json.dumps({key: round(value, 3) for key, value in result.items()}))
    await bench.cacher.close()
    return result


async def measure_watcher_memory(count: int) -> dict[str, float]:
    bench = Bench()
    cache = await bench.start()
    gc.collect()
    before = resident_bytes()
    for _ in range(count):
        watch = cache.watch(
            WatchOptions(resource_version=str(bench.revision), timeout_s=3600, allow_bookmarks=True), FORM
        )
        watch.attach(SocketWriter(-1))
    gc.collect()
    result = {"bytes_per_watch": (resident_bytes() - before) / count}
    print(f"memory of one watch (without its connection): {result['bytes_per_watch']:.0f} bytes")
    await bench.cacher.close()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", type=int, default=5000)
    parser.add_argument("--objects", default="10000,100000")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results: dict[str, object] = {}
    results["watch memory"] = asyncio.run(measure_watcher_memory(options.watchers))
    for objects in map(int, options.objects.split(",")):
        results[f"memory {objects}"] = asyncio.run(measure_memory(objects))
    results["writes"] = asyncio.run(measure_writes(options.watchers))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
