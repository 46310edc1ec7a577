"""Watches and lists of a whole server over plain HTTP, against a send(2) loop in the same run.

    python -m bench.macro.watch [--watchers 100,1000] [--events 50] [--json FILE]

CPU is what the serving process spent. The watching clients are one child process on epoll that counts events; it
notes when the last of them has come, so that the time from a write's answer to the last watcher can be told.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import select
import socket
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.macro.fanout import measure as measure_fanout
from bench.macro.load import cpu_seconds, resident_mib
from bench.macro.sockets import raise_file_limit

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
MARK = b'{"type":"'


def make_object(name: str, padding: int, node: str = "") -> dict[str, object]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Widget",
        "metadata": {"name": name, "labels": {"app": "bench"}},
        "spec": {"padding": "x" * padding, "node": node},
    }


class Client:
    """One keep-alive connection."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = self._socket.makefile("rb")

    def send(self, method: str, path: str, body: object = None) -> None:
        data = json.dumps(body).encode() if body is not None else b""
        fields = f"Host: b\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
        head = f"{method} {path} HTTP/1.1\r\n{fields}\r\n\r\n"
        self._socket.sendall(head.encode() + data)

    def receive(self) -> tuple[int, bytes]:
        status = int(self._file.readline().split()[1])
        length = 0
        while line := self._file.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line[15:])
        return status, self._file.read(length)

    def call(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        self.send(method, path, body)
        return self.receive()


def watch_all(port: int, paths: list[str], pipe: Connection) -> None:
    """The child: opens the watches, counts events, and answers "count N" with the time when N had come."""
    raise_file_limit()
    poll = select.epoll()
    sockets: dict[int, socket.socket] = {}
    for path in paths:
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: b\r\n\r\n".encode())
        sockets[client.fileno()] = client
    for client in sockets.values():
        head = client.recv(4096)
        assert head.startswith(b"HTTP/1.1 200"), head
        client.setblocking(False)
        poll.register(client.fileno(), select.EPOLLIN)
    poll.register(pipe.fileno(), select.EPOLLIN)
    pipe.send("open")
    tails: dict[int, bytes] = {}
    total = wanted = 0
    buffer = bytearray(1 << 20)
    view = memoryview(buffer)
    while True:
        for fd, _ in poll.poll():
            if fd == pipe.fileno():
                try:
                    wanted = pipe.recv()
                except EOFError:
                    return
                continue
            with contextlib.suppress(BlockingIOError, ConnectionError):
                size = sockets[fd].recv_into(buffer)
                data = tails.get(fd, b"") + bytes(view[:size])
                total += data.count(MARK)
                tails[fd] = data[-len(MARK) + 1 :]
        if wanted and total >= wanted:
            pipe.send(time.monotonic())
            wanted = 0


class Watchers:
    def __init__(self, server: Server, paths: list[str]) -> None:
        self.count = len(paths)
        self._pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        begin, memory = cpu_seconds(server.process_id), resident_mib(server.process_id)
        self._child = context.Process(target=watch_all, args=(server.plain_port, paths, theirs), daemon=True)
        self._child.start()
        theirs.close()
        self._receive()
        self.open_us = (cpu_seconds(server.process_id) - begin) / self.count * 1e6
        self.kib = (resident_mib(server.process_id) - memory) / self.count * 1024
        self._wanted = 0

    def _receive(self) -> object:
        if not self._pipe.poll(60):
            raise RuntimeError("the watchers did not get everything")
        return self._pipe.recv()

    def expect(self, events: int) -> None:
        self._wanted += events
        self._pipe.send(self._wanted)

    def wait(self) -> float:
        """The time at which the last expected event came."""
        found = self._receive()
        assert isinstance(found, float)
        return found

    def close(self) -> None:
        self._child.kill()
        self._child.join()


def run_watch(server: Server, watchers: int, events: int, suffix: str = "") -> dict[str, float]:
    """Sequential updates of one object, seen by all."""
    client = Client(server.plain_port)
    status, body = client.call("POST", COLLECTION, make_object(f"w{watchers}-{events}", 400))
    assert status == 201, body
    obj = json.loads(body)
    path = f"{COLLECTION}?watch=true&resourceVersion={obj['metadata']['resourceVersion']}{suffix}"
    group = Watchers(server, [path] * watchers)
    lags = []
    begin = cpu_seconds(server.process_id)
    target = f"{COLLECTION}/{obj['metadata']['name']}"
    for n in range(events):
        obj["spec"]["padding"] = f"{n:04}" + "x" * 400
        group.expect(watchers)
        status, body = client.call("PUT", target, obj)
        answered = time.monotonic()
        assert status == 200, body
        obj = json.loads(body)
        lags.append(group.wait() - answered)
    used = cpu_seconds(server.process_id) - begin
    group.close()
    lags.sort()
    return {
        "watchers": watchers,
        "cpu_us_per_delivery": used / events / watchers * 1e6,
        "open_us": group.open_us,
        "kib_per_watcher": group.kib,
        "p50_lag_ms": lags[len(lags) // 2] * 1e3,
        "p99_lag_ms": lags[min(len(lags) - 1, len(lags) * 99 // 100)] * 1e3,
    }


def run_storm(server: Server, watchers: int, writers: int, writes: int) -> dict[str, float]:
    """Concurrent creates, seen by all: events coalesce."""
    client = Client(server.plain_port)
    revision = json.loads(client.call("GET", COLLECTION + "?limit=1")[1])["metadata"]["resourceVersion"]
    group = Watchers(server, [f"{COLLECTION}?watch=true&resourceVersion={revision}"] * watchers)
    clients = [Client(server.plain_port) for _ in range(writers)]
    group.expect(watchers * writers * writes)
    begin, started = cpu_seconds(server.process_id), time.monotonic()
    for n in range(writes):
        for at, writer in enumerate(clients):
            writer.send("POST", COLLECTION, make_object(f"s{revision}-{at}-{n}", 400))
        for writer in clients:
            status, body = writer.receive()
            assert status == 201, body
    seconds = group.wait() - started
    used = cpu_seconds(server.process_id) - begin
    group.close()
    deliveries = watchers * writers * writes
    return {
        "watchers": watchers,
        "cpu_us_per_delivery": used / deliveries * 1e6,
        "deliveries_per_s": deliveries / seconds,
    }


def run_unmatched(server: Server, watchers: int, creates: int) -> dict[str, float]:
    """Creates that nobody watches, with and without watchers of other selections."""
    client = Client(server.plain_port)
    revision = json.loads(client.call("GET", COLLECTION + "?limit=1")[1])["metadata"]["resourceVersion"]

    def create(tag: str) -> float:
        begin = cpu_seconds(server.process_id)
        for n in range(creates):
            status, body = client.call("POST", COLLECTION, make_object(f"{tag}{revision}-{n}", 400, "here"))
            assert status == 201, body
        return (cpu_seconds(server.process_id) - begin) / creates * 1e6

    alone = create("a")
    base = f"{COLLECTION}?watch=true&resourceVersion={revision}"
    result = {"watchers": watchers, "create_us": alone}
    for name, selector in (("label", "&labelSelector=app%3Dother{}"), ("node", "&fieldSelector=spec.node%3Dnode{}")):
        group = Watchers(server, [base + selector.format(n) for n in range(watchers)])
        result[f"create_us_with_{name}_watchers"] = create(name)
        group.close()
    result["create_us_again"] = create("z")
    return result


def run_list(server: Server, objects: int) -> dict[str, float]:
    clients = [Client(server.plain_port) for _ in range(16)]
    for begin in range(0, objects, len(clients)):
        for at, client in enumerate(clients):
            client.send("POST", COLLECTION, make_object(f"l-{begin + at:06}", 1090))
        for client in clients:
            assert client.receive()[0] == 201
    count = len(json.loads(clients[0].call("GET", COLLECTION)[1])["items"])
    repeat = 10
    before, size = cpu_seconds(server.process_id), 0
    for _ in range(repeat):
        _, body = clients[0].call("GET", COLLECTION)
        size = len(body)
    used = cpu_seconds(server.process_id) - before
    return {"objects": count, "bytes": size, "cpu_us_per_object": used / repeat / count * 1e6}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchers", default="100,1000")
    parser.add_argument("--events", type=int, default=40)
    parser.add_argument("--objects", type=int, default=10_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    counts = list(map(int, options.watchers.split(",")))
    raise_file_limit()
    results: dict[str, object] = {}

    def note(name: str, result: dict[str, float]) -> None:
        results[name] = result
        print(name, json.dumps({key: round(value, 3) for key, value in result.items()}), flush=True)

    with Server() as server:
        client = Client(server.plain_port)
        assert client.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)[0] == 201
        while client.call("GET", COLLECTION)[0] != 200:
            time.sleep(0.01)
        wanted = options.only.split(",") if options.only else ["floor", "watch", "storm", "unmatched", "list"]
        for count in counts:
            if "floor" in wanted:
                note(f"floor {count}", asyncio.run(measure_fanout(count, 10, 1, "", 2)))
            if "watch" in wanted:
                note(f"watch {count}", run_watch(server, count, options.events))
        if "storm" in wanted:
            note("storm", run_storm(server, min(1000, max(counts)), 32, 20))
        if "unmatched" in wanted:
            note("unmatched", run_unmatched(server, max(counts), 500))
        if "list" in wanted:
            note("list", run_list(server, options.objects))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
