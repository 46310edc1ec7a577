"""Watches and lists of a whole server, against a send(2) loop in the same run.

    python -m bench.macro.watch [--watchers 100,1000,5000] [--events 100] [--only open,slow] [--json FILE]

    floor      deliveries of the cache and the fan-out kernel alone, plain and over TLS (bench/macro/fanout.py)
    watch      one write at a time, seen by all: CPU, time until the last watcher has read it, and until it has
               arrived there while nobody reads
    tls        the same over TLS with a client certificate
    storm      32 writers at once, seen by 1,000
    open       opening watches: CPU and memory of each, plain, over TLS with a token, with a client certificate
    unmatched  creates beside watchers of other labels and of other nodes; a write for one of the nodes
    slow       the lag of 200 watchers beside one that has stopped reading
    list       lists of --objects objects

CPU is what the serving process spent. The clients are those of `quarterdeck bench watch`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import ssl
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.macro.fanout import measure as measure_fanout
from bench.macro.sockets import raise_file_limit

from quarterdeck.cmd import kubeconfig
from quarterdeck.cmd.bench import processes, scenario
from quarterdeck.cmd.bench.scenario import quantile
from quarterdeck.cmd.bench.watchers import Watchers
from quarterdeck.cmd.client import Client
from quarterdeck.cmd.kubeconfig import Target
from support.server import Server

GROUP = "bench.quarterdeck.dev"
COLLECTION = f"/apis/{GROUP}/v1/namespaces/default/widgets"
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {"padding": {"type": "string"}, "node": {"type": "string"}},
                            }
                        },
                    }
                },
                "selectableFields": [{"jsonPath": ".spec.node"}],
            }
        ],
    },
}
TOKEN = "bench"
STEP_S = 300.0
Figures = dict[str, float]


def make_object(name: str, padding: int, node: str = "") -> dict[str, object]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Widget",
        "metadata": {"name": name, "labels": {"app": "bench"}},
        "spec": {"padding": "x" * padding, "node": node},
    }


class Bench:
    """A server, the ways to reach it, and what it has spent."""

    def __init__(self, server: Server) -> None:
        self._pid = server.process_id
        self.plain = Target(
            f"http://127.0.0.1:{server.plain_port}", "127.0.0.1", server.plain_port, "", None, "localhost", {}
        )
        self.certificate = kubeconfig.load(server.kubeconfig)
        assert self.certificate.tls is not None
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        tls.load_verify_locations(server.data_dir / "pki" / "ca.crt")
        self.token = replace(self.certificate, tls=tls, headers={"Authorization": f"Bearer {TOKEN}"})
        self.client = Client(self.plain)

    def define(self) -> None:
        self.client.must(201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)
        while self.client.call("GET", COLLECTION)[0] != 200:
            time.sleep(0.01)

    def cpu_s(self) -> float:
        return processes.cpu_s(self._pid)

    def resident_bytes(self) -> int:
        return processes.resident_bytes(self._pid)

    def run(self, target: Target, **options: int) -> dict[str, object]:
        chosen = scenario.Options(timeout_s=STEP_S, server_pids=[self._pid], **options)
        return scenario.summarize(chosen, scenario.Scenario(target, chosen).run())

    def revision(self) -> str:
        return str(self.client.must(200, "GET", COLLECTION + "?limit=1")["metadata"]["resourceVersion"])

    def path(self, selector: str = "", revision: str = "") -> str:
        return f"{COLLECTION}?watch=true&timeoutSeconds=3600&resourceVersion={revision or self.revision()}{selector}"

    def deliveries(self) -> int:
        """Events given to watchers of the collection, from /metrics."""
        name = f'apiserver_watch_events_total{{group="{GROUP}",version="",resource="widgets"}}'
        text = self.client.call("GET", "/metrics")[1].decode()
        return sum(int(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def run_open(bench: Bench, watchers: int) -> Figures:
    result: Figures = {"watchers": watchers}
    for name, target in (("plain", bench.plain), ("token", bench.token), ("certificate", bench.certificate)):
        cpu, memory = bench.cpu_s(), bench.resident_bytes()
        group = Watchers(target, [bench.path()] * watchers, STEP_S)
        result[f"{name}_us"] = (bench.cpu_s() - cpu) / watchers * 1e6
        result[f"{name}_kib"] = (bench.resident_bytes() - memory) / watchers / 1024
        group.close()
        time.sleep(1)
    return result


def run_unmatched(bench: Bench, watchers: int, creates: int) -> Figures:
    """Creates without a watcher, with and without watchers of other selections; then one that is watched."""
    revision = bench.revision()

    def create(tag: str) -> float:
        begin = bench.cpu_s()
        for n in range(creates):
            bench.client.must(201, "POST", COLLECTION, make_object(f"{tag}{revision}-{n}", 400, "here"))
        return (bench.cpu_s() - begin) / creates * 1e6

    create("warm")
    result: Figures = {"watchers": watchers}
    for name, selector in (("label", "&labelSelector=app%3Dother{}"), ("node", "&fieldSelector=spec.node%3Dnode{}")):
        before = create(f"{name}-before")
        group = Watchers(bench.plain, [bench.path(selector.format(n), revision) for n in range(watchers)], STEP_S)
        beside = create(f"{name}-beside")
        if name == "node":
            given = bench.deliveries()
            group.expect(1)
            bench.client.must(201, "POST", COLLECTION, make_object(f"one{revision}", 400, f"node{watchers // 2}"))
            group.wait()
            result["woken_by_one"] = bench.deliveries() - given
        group.close()
        time.sleep(1)
        after = create(f"{name}-after")
        result[f"{name}_create_us"] = (before + after) / 2
        result[f"{name}_create_beside_us"] = beside
        result[f"{name}_ratio"] = beside * 2 / (before + after)
    return result


def run_slow(bench: Bench, watchers: int, events: int) -> Figures:
    """Lags of a round without, with and without a client that does not read; the last one large enough to stop it."""
    obj = bench.client.must(201, "POST", COLLECTION, make_object("slow", 20_000))
    target = f"{COLLECTION}/slow"

    def measure() -> tuple[float, float]:
        group = Watchers(bench.plain, [bench.path("&fieldSelector=metadata.name%3Dslow")] * watchers, STEP_S)
        lags = []
        for n in range(events):
            obj["spec"]["padding"] = f"{n:06}" + "x" * 20_000
            obj["metadata"].pop("resourceVersion", None)
            obj["metadata"]["resourceVersion"] = bench.client.must(200, "GET", target)["metadata"]["resourceVersion"]
            group.expect(watchers)
            bench.client.must(200, "PUT", target, obj)
            answered = time.monotonic()
            lags.append(max(group.wait() - answered, 0.0))
        group.close()
        return quantile(lags, 0.5) * 1e3, quantile(lags, 0.99) * 1e3

    without = [measure()]
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect((bench.plain.host, bench.plain.port))
        deaf.sendall(f"GET {bench.path()} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(0.2)
        beside = measure()
    without.append(measure())
    p50, p99 = (sum(values) / 2 for values in zip(*without, strict=True))
    return {
        "watchers": watchers,
        "p50_ms": p50,
        "p50_beside_ms": beside[0],
        "p50_ratio": beside[0] / p50,
        "p99_ms": p99,
        "p99_beside_ms": beside[1],
        "p99_ratio": beside[1] / p99,
    }


def run_list(bench: Bench, objects: int) -> Figures:
    clients = [Client(bench.plain) for _ in range(16)]
    for begin in range(0, objects, len(clients)):
        for at, client in enumerate(clients):
            client.send("POST", COLLECTION, make_object(f"l{objects}-{begin + at:06}", 1090))
        for client in clients:
            client.expect(201)
    count = len(bench.client.must(200, "GET", COLLECTION)["items"])
    repeat = max(2, 200_000 // count)
    before, size = bench.cpu_s(), 0
    for _ in range(repeat):
        size = len(bench.client.call("GET", COLLECTION)[1])
    used = bench.cpu_s() - before
    return {"objects": count, "bytes": size, "cpu_us_per_object": used / repeat / count * 1e6}


SCENARIOS = ("floor", "watch", "tls", "storm", "open", "unmatched", "slow", "list")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchers", default="100,1000,5000")
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--objects", default="10000")
    parser.add_argument("--only", default=",".join(SCENARIOS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    counts = list(map(int, options.watchers.split(",")))
    wanted = options.only.split(",")
    raise_file_limit()
    results: dict[str, object] = {}

    def note(name: str, result: dict[str, object] | Figures) -> None:
        results[name] = {key: round(value, 3) if isinstance(value, float) else value for key, value in result.items()}
        print(name, json.dumps(results[name]), flush=True)

    with tempfile.NamedTemporaryFile("w", suffix=".csv") as tokens:
        tokens.write(f'{TOKEN},bench,1,"system:masters"\n')
        tokens.flush()
        with Server(None, "--token-auth-file", tokens.name) as server:
            bench = Bench(server)
            bench.define()
            for count in counts:
                if "floor" in wanted:
                    note(f"floor {count}", asyncio.run(measure_fanout(count, 10, 1, "", 3)))
                    note(f"floor tls {count}", asyncio.run(measure_fanout(count, 10, 1, "", 3, is_tls=True)))
                if "watch" in wanted:
                    note(f"watch {count}", bench.run(bench.plain, watchers=count, events=options.events))
                if "tls" in wanted:
                    note(f"tls {count}", bench.run(bench.certificate, watchers=count, events=options.events))
            largest = max(counts)
            if "storm" in wanted:
                note("storm", bench.run(bench.plain, watchers=min(1000, largest), events=20, writers=32))
            if "open" in wanted:
                note("open", run_open(bench, largest))
            if "unmatched" in wanted:
                note("unmatched", run_unmatched(bench, largest, 500))
            if "slow" in wanted:
                note("slow", run_slow(bench, 200, 200))
            if "list" in wanted:
                for objects in map(int, options.objects.split(",")):
                    note(f"list {objects}", run_list(bench, objects))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
