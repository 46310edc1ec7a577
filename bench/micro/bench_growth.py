"""What grows with what is there: instructions of one operation beside a few and beside many others.

    python bench/micro/bench_growth.py [--sizes 1000,20000] [--json FILE] [OPERATION …]

Each figure is (instructions of a run with R operations - instructions of a run with none) / R, counted by valgrind: the
same on any machine, however busy. A flat row costs what it is asked for, not what is there.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from bench.macro.fanout import NullStore, make_value

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import labels
from quarterdeck.apis.resource import APIResource
from quarterdeck.discovery.documents import GroupVersion
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import Attributes, Cacher, ListOptions, StoredForm, WatchOptions, build_selection
from quarterdeck.storage.sqlite import Limits
from quarterdeck.storage.sqlite.engine import Engine
from quarterdeck.storage.sqlite.writer import Write
from quarterdeck.transport.messages import ConnectionInfo, Request

PREFIX = "/registry/bench.io/widgets/"
FORM = StoredForm("bench.io/v1", "Widget")
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
REPEATS = 100

Operation = Callable[[], object]


def drive(steps: Any) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def fill(engine: Engine, resource: str, count: int) -> None:
    for begin in range(0, count, 500):
        names = [f"/registry/x/{resource}/{number:06}" for number in range(begin, min(begin + 500, count))]
        engine.commit([Write(name, b"{}", None, None, 2, None) for name in names])  # type: ignore[arg-type]


async def range_of_a_small_resource(size: int, folder: Path) -> Operation:
    """What the comparison of cache and store reads of 50 objects, beside `size` others."""
    engine = Engine(folder / "store.db", Limits(reserve_bytes=0), None, lambda _: None)
    fill(engine, "a", 50)
    fill(engine, "b", size)
    drive(engine.reader.range("/registry/x/a/", "", 0, 0))
    return lambda: drive(engine.reader.range("/registry/x/a/", "", 0, 0))


async def start_cache(names: list[str]) -> tuple[Cacher, Callable[[str], None]]:
    store = NullStore()
    cacher = Cacher(store)  # type: ignore[arg-type]
    await cacher.start()
    revision = NullStore.revision

    def write(name: str) -> None:
        nonlocal revision
        revision += 1
        event = interface.Event(
            f"{PREFIX}default/{name}", make_value(name, 100), revision, False, Attributes({"app": "x"}, {})
        )
        store.sink([event], revision)

    for name in names:
        write(name)
    return cacher, write


async def page_of_an_older_revision(size: int, _: Path) -> Operation:
    """The second page of ten, `size` writes after the first."""
    cacher, write = await start_cache([f"o{number:06}" for number in range(1000)])
    cache = cacher.resource("bench.io", "widgets")
    cache.history.capacity = 100_000
    first = cache.list_now(ListOptions(limit=10))
    assert first is not None
    for number in range(size):
        write(f"p{number:06}")
    options = ListOptions(limit=10, continue_token=first.continue_token)
    if cache.list_now(options) is None:
        await cache.list(options)
    return lambda: cache.list_now(options)


class NothingInFlight:
    async def drained(self) -> None:
        pass


async def rebuild_of_a_definition(size: int, _: Path) -> Operation:
    """What the cache of `size` objects does in one turn when the definition is built again, with the same fields."""
    cacher, _write = await start_cache([f"o{number:06}" for number in range(size)])

    def select_fields(_: object) -> dict[str, str]:
        return {}

    cache = cacher.resource("bench.io", "widgets", select_fields)
    nothing_in_flight = NothingInFlight()

    def rebuild() -> None:
        cacher.resource("bench.io", "widgets", select_fields)
        cacher.retire(cache, nothing_in_flight, (FORM,), ())

    return rebuild


async def open_and_close_of_a_selection(size: int, _: Path) -> Operation:
    """A watch by a selector of its own, beside `size` watches by others that the index cannot tell apart."""
    cacher, _write = await start_cache(["o"])
    cache = cacher.resource("bench.io", "widgets")

    def watch(value: str) -> Any:
        selection = build_selection("", "", labels.parse(f"app!={value}"))
        return cache.watch(WatchOptions(selection, "", send_initial_events=False, timeout_s=3600), FORM)

    keep = [watch(f"v{number}") for number in range(size)]

    def open_and_close(keep: list[Any] = keep) -> None:
        watch("mine").closed()

    return open_and_close


async def discovery_after_a_change(size: int, _: Path) -> Operation:
    """The next client's If-None-Match, and its compressed document, after one of `size` groups has changed."""
    discovery = DiscoveryDocuments("127.0.0.1:6443")

    def put(number: int, version: str) -> None:
        resource = APIResource(f"g{number}.dev", version, "widgets", "widget", "Widget", "WidgetList", True)
        discovery.put(f"crd{number}", [GroupVersion(resource.group, version, (resource,))])

    headers = {"accept": AGGREGATED, "accept-encoding": "gzip"}
    request = Request("GET", "/apis", "", headers, b"", ConnectionInfo("127.0.0.1", is_secure=True))
    for number in range(size):
        put(number, "v1")
    discovery.respond(request)
    versions = ["v1", "v2"]

    def change() -> None:
        versions.reverse()
        put(7, versions[0])
        discovery.respond(request)

    return change


async def list_by_label(size: int, _: Path) -> Operation:
    """The list of 50 objects by a label, beside `size` others."""
    cacher, _write = await start_cache([f"o{number:06}" for number in range(size)])
    revision = cacher.revision
    for number in range(50):
        revision += 1
        event = interface.Event(
            f"{PREFIX}default/p{number:06}", make_value("p", 100), revision, False, Attributes({"app": "y"}, {})
        )
        cacher.storage.sink([event], revision)  # type: ignore[attr-defined]
    cache = cacher.resource("bench.io", "widgets")
    options = ListOptions(selection=build_selection("", "", labels.parse("app=y")), has_selectors=True)
    for _ in range(3):
        if cache.list_now(options) is None:
            await cache.list(options)
    return lambda: cache.list_now(options)


async def write_beside_an_index(size: int, _: Path) -> Operation:
    """One write to a resource whose objects are in an index."""
    cacher, write = await start_cache([f"o{number:06}" for number in range(size)])
    cache = cacher.resource("bench.io", "widgets")
    options = ListOptions(selection=build_selection("", "", labels.parse("app=y")), has_selectors=True)
    for _ in range(3):
        if cache.list_now(options) is None:
            await cache.list(options)
    cache.history.capacity = 200_000
    write("o000005")
    return lambda: write("o000005")


async def write_without_an_index(size: int, _: Path) -> Operation:
    """The same where nobody has named a label."""
    cacher, write = await start_cache([f"o{number:06}" for number in range(size)])
    cacher.resource("bench.io", "widgets").history.capacity = 200_000
    write("o000005")
    return lambda: write("o000005")


async def window_entry(size: int, _: Path) -> Operation:
    """One write with a window of up to `size` changes."""
    cacher, write = await start_cache([])
    cache = cacher.resource("bench.io", "widgets")
    cache.history.capacity = size
    for _number in range(size):
        write("o")
    assert isinstance(cache.state.get("default/o"), watchobject.Entry)
    return lambda: write("o")


OPERATIONS: dict[str, Callable[[int, Path], Awaitable[Operation]]] = {
    each.__name__: each
    for each in (
        range_of_a_small_resource,
        page_of_an_older_revision,
        rebuild_of_a_definition,
        open_and_close_of_a_selection,
        discovery_after_a_change,
        list_by_label,
        write_beside_an_index,
        write_without_an_index,
        window_entry,
    )
}


async def run(name: str, size: int, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        gc.disable()  # when it runs depends on what there is, and not on the operation
        operation = await OPERATIONS[name](size, Path(folder))
        for _ in range(repeats):
            operation()
    sys.stdout.flush()
    os._exit(0)  # what is left is not part of the figure


def count(name: str, size: int, repeats: int) -> int:
    """The instructions of a whole run."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command += [sys.executable, __file__, "--child", name, str(size), str(repeats)]
    result = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "0"}
    )
    found = re.search(r"I\s+refs:\s+([\d,]+)", result.stderr)
    assert found is not None, result.stderr
    return int(found[1].replace(",", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help=", ".join(OPERATIONS))
    parser.add_argument("--sizes", default="1000,20000")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", nargs=3, metavar=("NAME", "SIZE", "REPEATS"))
    arguments = parser.parse_args()
    if arguments.child:
        name, size, repeats = arguments.child
        asyncio.run(run(name, int(size), int(repeats)))
    sizes = [int(text) for text in arguments.sizes.split(",")]
    print(f"{'instructions of one':32}" + "".join(f"{f'beside {size:,}':>18}" for size in sizes))
    figures: dict[str, dict[str, float]] = {}
    for name in arguments.operations or OPERATIONS:
        row = {str(size): (count(name, size, REPEATS) - count(name, size, 0)) / REPEATS for size in sizes}
        figures[name] = row
        print(f"{name.replace('_', ' '):32}" + "".join(f"{value:18,.0f}" for value in row.values()), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
