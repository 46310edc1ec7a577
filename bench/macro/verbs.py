"""CPU of each verb against the floor: fixed bytes from uvloop and httptools.

    python bench/macro/verbs.py [--objects N] [--requests N] [--large]

Everything in one run, with the same client, over plain HTTP, 32 connections; the figure is the CPU of the serving
process (user and system, both threads) for each request. The floor is measured again between the verbs, since a
machine's pace changes within a minute; a row's is the mean of the one before and the one after. Each write goes to
another object of 1.5 KB and changes it.
An apply is the second one by its manager, of the whole object, of which another manager (who created it) owns the rest.
`--large` fills the server with 100,000 objects first and reports its memory and its next start.
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


LABELS = {"app": "bench", "tier": "one"}


def build_object(name: str, replicas: int = 1) -> dict[str, object]:
    """About 1.5 KB as it is stored."""
    env = [{"name": f"VARIABLE_{position:02}", "value": f"some-value-{position:04}"} for position in range(18)]
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Thing",
        "metadata": {"name": name, "labels": LABELS},
        "spec": {"replicas": replicas, "image": "registry.example.com/some/image:1.2.3", "env": env},
    }


def make_create(number: int) -> bytes:
    return load.build_request("POST", BASE, build_object(f"o-{number}"))


def make_update_of(revisions: dict[str, str]) -> load.MakeRequest:
    """An update of a custom resource has to name the resourceVersion that it replaces."""

    def make(number: int) -> bytes:
        name = f"o-{number}"
        obj = build_object(name, replicas=2)
        obj["metadata"] = {"name": name, "labels": LABELS, "resourceVersion": revisions[name]}
        return load.build_request("PUT", f"{BASE}/{name}", obj)

    return make


def make_merge_patch(number: int) -> bytes:
    return load.build_request(
        "PATCH", f"{BASE}/o-{number}", {"spec": {"replicas": number + 3}}, "application/merge-patch+json"
    )


def make_json_patch(number: int) -> bytes:
    operations = [{"op": "replace", "path": "/spec/image", "value": "registry.example.com/some/image:1.2.4"}]
    return load.build_request("PATCH", f"{BASE}/o-{number}", operations, "application/json-patch+json")


def make_first_apply(number: int) -> bytes:
    path = f"{BASE}/o-{number}?fieldManager=applier&force=true"
    return load.build_request("PATCH", path, build_object(f"o-{number}", replicas=1), "application/apply-patch+yaml")


def make_apply(number: int) -> bytes:
    path = f"{BASE}/o-{number}?fieldManager=applier"
    return load.build_request("PATCH", path, build_object(f"o-{number}", replicas=2), "application/apply-patch+yaml")


def make_get(number: int) -> bytes:
    return load.build_request("GET", f"{BASE}/o-{number % 1000}")


def make_delete(number: int) -> bytes:
    return load.build_request("DELETE", f"{BASE}/o-{number}")


async def install(server: Server) -> None:
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    await load.run(
        server.plain_port,
        server.process_id,
        lambda _: load.build_request("POST", path, DEFINITION),
        requests=1,
        connections=1,
    )
    while True:
        probe = await load.run(
            server.plain_port, server.process_id, lambda _: load.build_request("GET", BASE), requests=1, connections=1
        )
        if not probe.failures:
            return
        await asyncio.sleep(0.02)


async def read_revisions(port: int) -> dict[str, str]:
    """The resourceVersion of every object."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(load.build_request("GET", BASE).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    _, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return {item["metadata"]["name"]: item["metadata"]["resourceVersion"] for item in json.loads(body)["items"]}


async def measure(server: Server, floor: tuple[int, int], requests: int) -> None:
    print(f"ready after {server.ready_s:.2f} s, empty: {load.resident_mib(server.process_id):.0f} MiB")

    async def measure_floor() -> float:
        port, process_id = floor
        return (await load.run(port, process_id, make_get, requests=requests, connections=CONNECTIONS)).cpu_us

    await measure_floor()
    before = await measure_floor()
    print(f"{'floor':12} {before:8.1f} µs a request")
    await install(server)
    revisions: dict[str, str] = {}
    rows = [
        ("create", make_create),
        ("get", make_get),
        ("update", make_update_of(revisions)),
        ("merge patch", make_merge_patch),
        ("json patch", make_json_patch),
        ("first apply", make_first_apply),
        ("apply", make_apply),
        ("delete", make_delete),
    ]
    for name, make in rows:
        counted = await load.run(server.plain_port, server.process_id, make, requests=requests, connections=CONNECTIONS)
        after = await measure_floor()
        fixed, before = (before + after) / 2, after
        print(
            f"{name:12} {counted.cpu_us:8.1f} µs a request, {counted.cpu_us / fixed:5.1f} × floor ({fixed:4.1f} µs), "
            f"{counted.failures} failed"
        )
        if name == "create":
            revisions |= await read_revisions(server.plain_port)
    await load.run(
        server.plain_port, server.process_id, make_create, requests=10_000, connections=CONNECTIONS, first=1_000_000
    )
    lists = await load.run(
        server.plain_port, server.process_id, lambda _: load.build_request("GET", BASE), requests=20, connections=2
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
