"""What several servers over one etcd cost, and what they give: CPU of each process and memory, beside 10,000 objects.

    python -m bench.macro.servers [--servers 1,2,4,8] [--watchers 1000] [--objects 10000] [--rounds 5] [--tls]

    write     a create of 1 KB at the first server: its CPU, that of each other server (which follows) and that of etcd
    event     one create at a time, of which one watcher at each server is told: the same
    delivery  what one more watcher adds to that at its server; --watchers are spread over all servers. to_last: from
              sending the create until it has arrived at the last of them, while nobody reads (not over TLS)
    get       at each server: the newest (etcd is asked how new that is), and with resourceVersion=0
    memory    of each server, beside the objects; RSS, and PSS, where what several share is counted once
    idle      CPU of a second in which nobody asks for anything; it is taken off the others

First come the same figures of one server over its embedded store, last what a question and its answer between two
processes with an event loop each cost over a Unix socket. Figures are microseconds of CPU, medians of the rounds. The
etcd of the benchmark does not sync its log.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import multiprocessing.connection
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import cast

import uvloop

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.macro import load
from bench.macro.sockets import raise_file_limit
from bench.macro.watch import COLLECTION, STEP_S, Bench, make_object

from quarterdeck.cmd.bench.watchers import Watchers
from support import etcd
from support.server import Server
from support.waiting import wait_for

_PADDING = 600  # an object of 1 KB as it is stored
_WRITES = 1000
_GETS = 2000
_EVENTS = 30
_CONNECTIONS = 32
_IDLE_S = 2.0
_SETTLED_S = 0.3  # until the others have followed, or watches are closed
_QUESTIONS = 3000
Figures = dict[str, float]


def proportional_mib(process_id: int) -> float:
    """Memory, of which what is shared counts in shares."""
    lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def median_of(rounds: list[Figures]) -> Figures:
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


class Fleet:
    """Servers over one etcd; over none: one server with its own store. The first is the one that is written to."""

    def __init__(self, stack: ExitStack, count: int, objects: int, *, is_on_etcd: bool, is_tls: bool) -> None:
        self._cluster = stack.enter_context(etcd.cluster()) if is_on_etcd else None
        self._stack = stack
        self._servers: list[Server] = []
        self._benches: list[Bench] = []
        self._objects = objects
        self._is_tls = is_tls
        self._made = 0
        self._idle: list[float] = []  # CPU of a second of each process
        self._start()
        self._benches[0].define()
        self.memory: Figures = {"empty_rss_mib": load.resident_mib(self._servers[0].process_id)}
        self._create(objects, _CONNECTIONS)
        for _ in range(1, count):
            self._start()
        for bench in self._benches:
            wait_for(lambda bench=bench: bench.client.call("GET", COLLECTION + "?limit=1")[0] == 200)
        time.sleep(2 * _SETTLED_S)
        last = self._servers[-1].process_id  # has read the objects at its start, where there are several
        self.memory |= {"rss_mib": load.resident_mib(last), "pss_mib": proportional_mib(last)}

    def _start(self) -> None:
        flags: tuple[str, ...] = ()
        if self._cluster is not None:
            flags = ("--storage-backend=etcd3", "--etcd-servers", ",".join(self._cluster.urls))
            flags += (f"--advertise-address=10.99.0.{len(self._servers) + 1}",)  # nothing listens there
        server = self._stack.enter_context(Server(None, *flags))
        server.wait_until_ready()
        self._servers.append(server)
        self._benches.append(Bench(server))

    def _create(self, requests: int, connections: int) -> None:
        def make(number: int) -> bytes:
            return load.build_request("POST", COLLECTION, make_object(f"w-{number:07}", _PADDING))

        port, process_id = self._servers[0].plain_port, self._servers[0].process_id
        sent = load.run(port, process_id, make, requests=requests, connections=connections, first=self._made)
        if asyncio.run(sent).failures:
            raise RuntimeError("writes failed")
        self._made += requests

    def _spent(self) -> list[float]:
        """CPU so far of each server, and of etcd, without what they spend while nobody asks for anything."""
        now = time.monotonic()
        processes = [server.process_id for server in self._servers]
        processes += [member.process_id for member in self._cluster.members] if self._cluster is not None else []
        self._idle = self._idle or [0.0] * len(processes)
        return [
            load.cpu_seconds(process_id) - now * each for process_id, each in zip(processes, self._idle, strict=True)
        ]

    def _parts(self, name: str, before: list[float], per: float) -> Figures:
        """What the first server, each of the others and etcd have spent since then, in microseconds."""
        used = [(after - begin) * 1e6 / per for after, begin in zip(self._spent(), before, strict=True)]
        others = used[1 : (count := len(self._servers))]
        return {
            f"{name}_first": used[0],
            f"{name}_other": sum(others) / len(others) if others else 0.0,
            f"{name}_etcd": sum(used[count:]),
        }

    def idle(self) -> Figures:
        self._idle = []
        before = self._spent()
        time.sleep(_IDLE_S)
        found = self._parts("idle_s", before, _IDLE_S)
        self._idle = [(after - begin) / _IDLE_S for after, begin in zip(self._spent(), before, strict=True)]
        return found

    def write(self, connections: int) -> Figures:
        before = self._spent()
        self._create(_WRITES, connections)
        time.sleep(_SETTLED_S)
        return self._parts(f"write{connections}", before, _WRITES)

    def events(self, share: int) -> Figures:
        """One create at a time, each told to `share` watchers at each server before the next one."""
        path = self._benches[0].path()
        groups = [
            Watchers(bench.certificate if self._is_tls else bench.plain, [path] * share, STEP_S)
            for bench in self._benches
        ]
        time.sleep(_SETTLED_S)
        before, times = self._spent(), []
        for number in range(_EVENTS):
            is_quiet = number % 2 == 1 and groups[0].tells_arrival
            for group in groups:
                (group.expect_arrival if is_quiet else group.expect)(share)
            begin = time.monotonic()
            self._benches[0].client.must(201, "POST", COLLECTION, make_object(f"w-{self._made:07}", _PADDING))
            self._made += 1
            last = max([group.wait() for group in groups])
            if is_quiet:
                times.append((last - begin) * 1e3)
        found = self._parts("event", before, _EVENTS)
        if times:
            found["to_last_ms"] = statistics.median(times)
        for group in groups:
            group.close()
        time.sleep(_SETTLED_S)
        return found

    def delivery(self, watchers: int) -> Figures:
        share = watchers // len(self._servers)
        found, many = self.events(1), self.events(share)
        for name in ("first", "other"):
            if found[f"event_{name}"]:
                found[f"delivery_{name}"] = (many[f"event_{name}"] - found[f"event_{name}"]) / (share - 1)
        return found | {name: value for name, value in many.items() if name == "to_last_ms"}

    def get(self, query: str, connections: int) -> Figures:
        def make(number: int) -> bytes:
            return load.build_request("GET", f"{COLLECTION}/w-{number * 7919 % self._objects:07}{query}")

        used, before = [], self._spent()
        for server in self._servers:
            sent = load.run(server.plain_port, server.process_id, make, requests=_GETS, connections=connections)
            counted = asyncio.run(sent)
            if counted.failures:
                raise RuntimeError("gets failed")
            used.append(counted.cpu_us)
        asked = self._parts("get", before, _GETS * len(self._servers))["get_etcd"]
        name = f"get{connections}{'_rv0' if query else ''}"
        return {name: statistics.mean(used), f"{name}_etcd": asked}

    def measure(self, watchers: int) -> Figures:
        found = self.idle() | self.write(1) | self.write(_CONNECTIONS) | self.delivery(watchers)
        for connections in (8, _CONNECTIONS):
            found |= self.get("", connections) | self.get("?resourceVersion=0", connections)
        return found


class Answering(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)


class Asking(Answering):
    """Asks again as soon as it is answered."""

    def __init__(self, questions: int) -> None:
        self._left = questions
        self.is_done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        super().data_received(b"x" * 16)

    def data_received(self, data: bytes) -> None:
        self._left -= 1
        if self._left:
            super().data_received(data)
        else:
            self.is_done.set_result(None)


def _answer(path: str, ready: multiprocessing.connection.Connection) -> None:
    async def serve() -> None:
        await asyncio.get_running_loop().create_unix_server(Answering, path)
        ready.send("listening")
        await asyncio.Event().wait()

    uvloop.run(serve())


def ask_over_socket() -> Figures:
    """A question of 16 bytes and its answer, one at a time, as a reader process would ask the owner of a store."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "socket")
        ours, theirs = multiprocessing.Pipe()
        child = multiprocessing.get_context("fork").Process(target=_answer, args=(path, theirs), daemon=True)
        child.start()
        ours.recv()

        async def ask() -> Figures:
            processes = {"asking": os.getpid(), "answering": child.pid or 0}
            before = {name: load.cpu_seconds(process_id) for name, process_id in processes.items()}
            begin = time.monotonic()
            _, asking = await asyncio.get_running_loop().create_unix_connection(lambda: Asking(_QUESTIONS), path)
            await asyncio.wait_for(asking.is_done, STEP_S)
            elapsed = (time.monotonic() - begin) * 1e6 / _QUESTIONS
            return {"elapsed": elapsed} | {
                name: (load.cpu_seconds(process_id) - before[name]) * 1e6 / _QUESTIONS
                for name, process_id in processes.items()
            }

        try:
            return median_of([uvloop.run(ask()) for _ in range(5)])
        finally:
            child.kill()
            child.join()


def run(count: int, options: argparse.Namespace, *, is_on_etcd: bool) -> Figures:
    with ExitStack() as stack:
        fleet = Fleet(stack, count, options.objects, is_on_etcd=is_on_etcd, is_tls=options.tls)
        fleet.measure(options.watchers)  # what is new is warmed up
        return fleet.memory | median_of([fleet.measure(options.watchers) for _ in range(options.rounds)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default="1,2,4,8")
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--objects", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    raise_file_limit()
    results: dict[str, Figures] = {}

    def note(name: str, figures: Figures) -> None:
        results[name] = {key: round(value, 1) for key, value in figures.items()}
        print(name, json.dumps(results[name]), flush=True)

    note("embedded", run(1, options, is_on_etcd=False))
    for count in map(int, options.servers.split(",")):
        note(f"{count} over etcd", run(count, options, is_on_etcd=True))
    note("a question over a Unix socket", ask_over_socket())
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
