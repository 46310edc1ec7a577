"""CPU of a get, create, update, merge patch, delete and list against the floor: fixed bytes from uvloop and httptools.

    python bench/macro/verbs.py [--objects N] [--requests N] [--large]

Everything in one run, with the same client, over plain HTTP, 32 connections; the figure is the CPU of the serving
process (user and system, both threads) for each request. `--large` fills the server with 100,000 objects of
1.5 KB first and reports its memory and its next start.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from contextlib import ExitStack
from pathlib import Path

import uvloop

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench" / "macro"), str(ROOT / "bench" / "floor")]

import load
from compare import serving

from support.server import Server

CONNECTIONS = 32
GROUP = "bench.example.com"
BASE = f"/apis/{GROUP}/v1/namespaces/default/things"
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"things.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
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
                                "properties": {
                                    "replicas": {"type": "integer", "minimum": 0},
                                    "image": {"type": "string", "maxLength": 200},
                                    "env": {
                                        "type": "array",
                                        "maxItems": 100,
                                        "items": {
                                            "type": "object",
                                            "required": ["name"],
                                            "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
                                        },
                                    },
                                },
                            }
                        },
                    }
                },
            }
        ],
    },
}


def build_object(name: str, replicas: int = 1) -> dict[str, object]:
    """About 1.5 KB as it is stored."""
    env = [{"name": f"VARIABLE_{position:02}", "value": f"some-value-{position:04}"} for position in range(18)]
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Thing",
        "metadata": {"name": name, "labels": {"app": "bench", "tier": "one"}},
        "spec": {"replicas": replicas, "image": "registry.example.com/some/image:1.2.3", "env": env},
    }


def build_request(method: str, path: str, body: object = None, content_type: str = "application/json") -> bytes:
    data = b"" if body is None else json.dumps(body).encode()
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "User-Agent: bench/1.0", "Accept: application/json"]
    if data:
        head += [f"Content-Type: {content_type}", f"Content-Length: {len(data)}"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data


def make_create(number: int) -> bytes:
    return build_request("POST", BASE, build_object(f"o-{number}"))


def make_update(number: int) -> bytes:
    body = json.dumps({"spec": {"replicas": number + 2}})
    return build_request("PATCH", f"{BASE}/o-{number}", json.loads(body), "application/merge-patch+json")


def make_get(number: int) -> bytes:
    return build_request("GET", f"{BASE}/o-{number % 1000}")


def make_delete(number: int) -> bytes:
    return build_request("DELETE", f"{BASE}/o-{number}")


async def install(server: Server) -> None:
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    await load.run(
        server.plain_port,
        server.process_id,
        lambda _: build_request("POST", path, DEFINITION),
        requests=1,
        connections=1,
    )
    while True:
        probe = await load.run(
            server.plain_port, server.process_id, lambda _: build_request("GET", BASE), requests=1, connections=1
        )
        if not probe.failures:
            return
        await asyncio.sleep(0.02)


async def measure(server: Server, floor: tuple[int, int], requests: int) -> None:
    print(f"ready after {server.ready_s:.2f} s, empty: {load.resident_mib(server.process_id):.0f} MiB")
    port, process_id = floor
    await load.run(port, process_id, make_get, requests=requests, connections=CONNECTIONS)
    fixed = await load.run(port, process_id, make_get, requests=requests, connections=CONNECTIONS)
    print(f"{'floor':12} {fixed.cpu_us:8.1f} µs a request")
    await install(server)
    rows = [
        ("create", make_create),
        ("get", make_get),
        ("merge patch", make_update),
        ("delete", make_delete),
    ]
    for name, make in rows:
        counted = await load.run(server.plain_port, server.process_id, make, requests=requests, connections=CONNECTIONS)
        print(
            f"{name:12} {counted.cpu_us:8.1f} µs a request, {counted.cpu_us / fixed.cpu_us:5.1f} × floor, "
            f"{counted.failures} failed"
        )
    await load.run(
        server.plain_port, server.process_id, make_create, requests=10_000, connections=CONNECTIONS, first=1_000_000
    )
    lists = await load.run(
        server.plain_port, server.process_id, lambda _: build_request("GET", BASE), requests=20, connections=2
    )
    print(f"{'list 10,000':12} {lists.cpu_us / 1000:8.1f} ms a request, {lists.cpu_us / 10_000:.2f} µs an object")


async def fill(server: Server, objects: int) -> None:
    await install(server)
    await load.run(server.plain_port, server.process_id, make_create, requests=objects, connections=CONNECTIONS)
    print(f"{objects} objects: {load.resident_mib(server.process_id):.0f} MiB after writing them")
    server.terminate()
    server.start()
    print(f"{objects} objects: ready after {server.ready_s:.2f} s, {load.resident_mib(server.process_id):.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        server = stack.enter_context(Server())
        if arguments.large:
            uvloop.run(fill(server, arguments.objects))
            return
        process_id, port = stack.enter_context(serving("http_floor.py"))
        uvloop.run(measure(server, (port, process_id), arguments.requests))


if __name__ == "__main__":
    main()
