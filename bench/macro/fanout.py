"""One event to N watchers: CPU per delivery, against a plain send(2) loop to as many sockets, in the same run.

    python -m bench.macro.fanout [--watchers 100,1000,5000] [--events 50] [--json FILE]

Measures the kernel and the cache without HTTP: entry, frame, matching, rings and sends. Rounds of the floor and of
the cache take turns, so that both see the same machine.
"""

from __future__ import annotations

import argparse
import array
import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator
from pathlib import Path

from bench.macro.sockets import drained_connections, load_floor

from quarterdeck.apimachinery import labels
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import Attributes, Cacher, StoredForm, WatchOptions, build_selection

OBJECT_BYTES = 700
KEY = "/registry/bench.io/widgets/default/w"
FIRST_REVISION = 100_000  # all frames have the same size


class NullStore:
    """A store that has nothing; the benchmark plays its feed."""

    revision = FIRST_REVISION
    compacted_revision = 0

    def subscribe(self, sink: interface.Sink) -> None:
        self.sink = sink

    async def load_all(self, *_: object) -> AsyncIterator[list[interface.KeyValue]]:
        for batch in ():
            yield batch


class SocketWriter:
    """A transport's stream writer that is never paused and always has its socket."""

    is_paused = False

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.indirect = 0

    def fileno(self) -> int:
        return self._fd

    def write_framed(self, frames: bytes) -> None:
        raise RuntimeError("the socket did not take it: let the readers keep up")

    def end(self) -> None:
        pass


def make_value(name: str, padding: int) -> bytes:
    return (
        b'{"apiVersion":"bench.io/v1","kind":"Widget","metadata":{"name":"%b","namespace":"default",'
        b'"labels":{"app":"x"},"uid":"00000000-0000-0000-0000-000000000000"},"spec":{"padding":"%b"}}'
        % (name.encode(), b"x" * padding)
    )


async def settle(drain: object, expected: int) -> None:
    """Wait until the readers have everything."""
    deadline = time.monotonic() + 20
    while drain.received() < expected:  # type: ignore[attr-defined]
        if time.monotonic() > deadline:
            raise RuntimeError("the readers did not get everything")
        await asyncio.sleep(0.001)


async def measure(watchers: int, events: int, batch: int, selector: str, rounds: int) -> dict[str, float]:
    floor = load_floor()
    store = NullStore()
    cacher = Cacher(store)  # type: ignore[arg-type]
    await cacher.start()
    cache = cacher.resource("bench.io", "widgets")
    form = StoredForm("bench.io/v1", "Widget")
    first = FIRST_REVISION + 1
    store.sink([interface.Event(KEY, make_value("w", OBJECT_BYTES - 200), first, True, None)], first)
    value = make_value("w", OBJECT_BYTES - 200)
    note = Attributes({"app": "x"}, {})
    selection = build_selection("default", "", labels.parse(selector))
    with drained_connections(watchers) as drain:
        opened = time.process_time()
        for accepted in drain.sockets:
            watch = cache.watch(WatchOptions(selection, str(first), timeout_s=3600), form)
            watch.attach(SocketWriter(accepted.fileno()))
        opened = time.process_time() - opened
        fds = array.array("i", [accepted.fileno() for accepted in drain.sockets])
        address, _ = fds.buffer_info()
        revision, sent, floor_s, cache_s, frame = first, 0, [], [], b""
        for _ in range(rounds):
            for _ in range(events // batch):
                feed = []
                for _ in range(batch):
                    revision += 1
                    feed.append(interface.Event(KEY, value, revision, False, note))
                begin = time.process_time()
                store.sink(feed, revision)
                while cache.hub.has_work:  # noqa: ASYNC110 (the hub works in the loop's turns)
                    await asyncio.sleep(0)
                cache_s.append(time.process_time() - begin)
                frame = frame or cache._encode_frame(form, 1, cache.history.since(revision - 1)[0], False) or b""
                sent += len(frame) * batch * watchers
                await settle(drain, sent)
            for _ in range(events // batch):
                begin = time.process_time()
                for _ in range(batch):
                    if floor.send_to_all(address, watchers, frame, len(frame)) != watchers:
                        raise RuntimeError("a socket was full")
                floor_s.append(time.process_time() - begin)
                sent += len(frame) * batch * watchers
                await settle(drain, sent)
        deliveries = batch * watchers
        result = {
            "watchers": watchers,
            "batch": batch,
            "frame_bytes": len(frame),
            "floor_us": statistics.median(floor_s) / deliveries * 1e6,
            "delivery_us": statistics.median(cache_s) / deliveries * 1e6,
            "open_us": opened / watchers * 1e6,
        }
        await cacher.close()
    result["ratio"] = result["delivery_us"] / result["floor_us"]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", default="100,1000,5000")
    parser.add_argument("--events", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", default="1,32")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    for batch in map(int, options.batches.split(",")):
        for watchers in map(int, options.watchers.split(",")):
            events = max(options.events, batch)
            result = asyncio.run(measure(watchers, events, batch, "", options.rounds))
            results.append(result)
            print(
                f"{watchers:5} watchers, {batch:2} events a commit: floor {result['floor_us']:.2f} us,"
                f" delivery {result['delivery_us']:.2f} us, ratio {result['ratio']:.2f},"
                f" open {result['open_us']:.1f} us"
            )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
