"""How long the garbage collector and the namespace controller take for many objects, over HTTP.

    python bench/macro/collection.py [--objects N]

A client makes objects of 1.5 KB, sends one DELETE, and asks every 20 ms whether what it waits for has come to pass:
the dependents of one owner are gone (background), the owner is gone after them (foreground), the dependents have let
go of the owner (orphan), the namespace is gone. Wall-clock time, and CPU of the serving process for each object; beside
them what the client pays if it deletes the same objects itself, one request each over 32 connections.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import uvloop

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench" / "macro"), str(ROOT / "bench" / "floor")]

import load
import verbs

from support.server import Server

OWNERS = "/api/v1/namespaces/default/configmaps"
NAMESPACES = "/api/v1/namespaces"
POLL_S = 0.02


class Client:
    def __init__(self, server: Server) -> None:
        self._server = server
        self._connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=60)

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        data = json.dumps(body) if body is not None else None
        self._connection.request(method, path, data, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def create_owner(self, name: str) -> dict[str, object]:
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
        code, owner = self.call("POST", OWNERS, body)
        assert code == 201, owner
        uid = owner["metadata"]["uid"]
        return {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid, "blockOwnerDeletion": True}

    def is_absent(self, path: str) -> bool:
        return self.call("GET", path)[0] == 404

    def is_empty(self) -> bool:
        return not self.call("GET", f"{verbs.BASE}?limit=1")[1]["items"]

    def are_orphans(self) -> bool:
        """The newest state of the last object of the list stands for all: they are let go in the list's order."""
        items = self.call("GET", verbs.BASE)[1]["items"]
        return not any("ownerReferences" in item["metadata"] for item in items)


async def make_objects(server: Server, objects: int, path: str, metadata: Mapping[str, object]) -> None:
    def make(number: int) -> bytes:
        obj = verbs.build_object(f"o-{number}")
        obj["metadata"] = {"name": f"o-{number}", **metadata}
        return load.build_request("POST", path, obj)

    counted = await load.run(
        server.plain_port, server.process_id, make, requests=objects, connections=verbs.CONNECTIONS
    )
    assert not counted.failures


def measure(server: Server, name: str, objects: int, begin: Callable[[], object], is_done: Callable[[], bool]) -> None:
    cpu_s, start = load.cpu_seconds(server.process_id), time.monotonic()
    begin()
    while not is_done():
        time.sleep(POLL_S)
    took_s = time.monotonic() - start
    cpu_us = (load.cpu_seconds(server.process_id) - cpu_s) * 1e6 / objects
    print(f"{name:32} {took_s:6.2f} s, {cpu_us:6.1f} µs CPU an object")


async def run(server: Server, objects: int) -> None:
    await verbs.install(server)
    client = Client(server)

    await make_objects(server, objects, verbs.BASE, {})
    start = time.monotonic()
    counted = await load.run(
        server.plain_port, server.process_id, verbs.make_delete, requests=objects, connections=verbs.CONNECTIONS
    )
    print(f"{'a request each':32} {time.monotonic() - start:6.2f} s, {counted.cpu_us:6.1f} µs CPU an object")

    await make_objects(server, objects, verbs.BASE, {})
    measure(server, "deletecollection", objects, lambda: client.call("DELETE", verbs.BASE), client.is_empty)

    for policy in ("Background", "Foreground", "Orphan"):
        owner = f"owner-{policy.lower()}"
        await make_objects(server, objects, verbs.BASE, {"ownerReferences": [client.create_owner(owner)]})
        path = f"{OWNERS}/{owner}"

        def begin(path: str = path, policy: str = policy) -> object:
            return client.call("DELETE", f"{path}?propagationPolicy={policy}")

        def is_done(path: str = path, policy: str = policy) -> bool:
            return client.is_absent(path) and (policy == "Orphan" or client.is_empty())

        measure(server, f"dependents, {policy}", objects, begin, is_done)
        if policy == "Orphan":
            assert client.are_orphans()
            client.call("DELETE", verbs.BASE)

    client.call("POST", NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "full"}})
    await make_objects(server, objects, verbs.BASE.replace("/default/", "/full/"), {})
    path = f"{NAMESPACES}/full"
    measure(server, "a namespace", objects, lambda: client.call("DELETE", path), lambda: client.is_absent(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=10_000)
    arguments = parser.parse_args()
    with Server() as server:
        uvloop.run(run(server, arguments.objects))


if __name__ == "__main__":
    main()
