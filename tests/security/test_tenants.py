"""Two tenants share a server: neither learns anything of the other's objects, by any way to ask."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from quarterdeck.transport.messages import Stream
from support import access
from support.access import headers_of
from support.in_process import InProcess, running
from support.waiting import PATIENCE_S
from support.watch_client import RecordingWriter

Object = dict[str, Any]
GROUP = "rbac.authorization.k8s.io"
TENANTS = ("red", "blue")
SECRET = "treasure-of-blue"


async def prepare(server: InProcess) -> None:
    """A namespace for each tenant, in which it may do everything; blue has objects."""
    for tenant in TENANTS:
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": tenant}}
        assert (await server.call("POST", "/api/v1/namespaces", namespace)).status == 201
        binding = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "RoleBinding",
            "metadata": {"name": "owner"},
            "subjects": [{"kind": "User", "apiGroup": GROUP, "name": tenant}],
            "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": "admin"},
        }
        answer = await server.call("POST", f"/apis/{GROUP}/v1/namespaces/{tenant}/rolebindings", binding)
        assert answer.status == 201, answer.body
    for number in range(5):
        await write(server, "blue", f"{SECRET}-{number}")


async def write(server: InProcess, tenant: str, name: str) -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"key": SECRET}}
    answer = await server.call("POST", maps_of(tenant), obj, **headers_of(tenant))
    assert answer.status == 201, answer.body


def maps_of(tenant: str) -> str:
    return f"/api/v1/namespaces/{tenant}/configmaps"


async def told(server: InProcess, method: str, address: str, body: Any = None) -> tuple[int, str]:
    """What red is answered, headers and all."""
    answer = await server.call(method, address, body, **headers_of("red"))
    return answer.status, f"{answer.headers} {access.body_of(answer).decode()}"


OTHERS = [
    ("GET", maps_of("blue")),
    ("GET", f"{maps_of('blue')}?watch=1"),
    ("GET", "/api/v1/configmaps"),
    ("GET", "/api/v1/configmaps?watch=1&fieldSelector=metadata.namespace%3Dblue"),
    ("GET", "/api/v1/watch/configmaps"),
    ("GET", "/api/v1/watch/namespaces/blue/configmaps"),
    ("GET", f"{maps_of('blue')}/{SECRET}-0"),
    ("GET", f"{maps_of('blue')}/absent"),
    ("GET", f"{maps_of('blue')}?fieldSelector=metadata.name%3D{SECRET}-0"),
    ("DELETE", f"{maps_of('blue')}/{SECRET}-0"),
    ("DELETE", maps_of("blue")),
    ("POST", maps_of("blue")),
    ("PUT", f"{maps_of('blue')}/{SECRET}-0"),
    ("PATCH", f"{maps_of('blue')}/{SECRET}-0"),
    ("GET", "/api/v1/namespaces"),
    ("GET", "/metrics"),
    ("GET", "/api/v1/namespaces/red/../blue/configmaps"),
    ("GET", "/api/v1/namespaces/red%2F..%2Fblue/configmaps"),
]


def test_a_tenant_is_told_nothing_of_the_other(tmp_path: Path) -> None:
    async def run() -> None:
        async with running(tmp_path, access.tokens_of({tenant: [] for tenant in TENANTS})) as server:
            await prepare(server)
            for method, address in OTHERS:
                body = {"apiVersion": "v1", "kind": "ConfigMap"} if method in ("POST", "PUT", "PATCH") else None
                status, text = await told(server, method, address, body)
                assert status in (403, 404), (method, address, status)
                own = f"{SECRET}-0" if f"{SECRET}-0" in address else "nothing"
                assert SECRET not in text.replace(own, ""), "but for a name that red sent itself"
            absent, there = [
                (await told(server, "GET", f"{maps_of('blue')}/{name}"))[1] for name in ("absent", f"{SECRET}-0")
            ]
            assert _shape(absent) == _shape(there.replace(f"{SECRET}-0", "absent")), "whether it is there"

    asyncio.run(run())


def _shape(text: str) -> str:
    """Without what is another for each request."""
    return text[text.index("{") :]


def test_a_continue_token_opens_no_other_namespace(tmp_path: Path) -> None:
    async def run() -> None:
        async with running(tmp_path, access.tokens_of({tenant: [] for tenant in TENANTS})) as server:
            await prepare(server)
            page = await server.call("GET", f"{maps_of('blue')}?limit=2", **headers_of("blue"))
            token = json.loads(access.body_of(page))["metadata"]["continue"]
            for address in (maps_of("red"), maps_of("blue"), "/api/v1/configmaps"):
                status, text = await told(server, "GET", f"{address}?limit=2&continue={token}")
                assert SECRET not in text, address
                assert status != 200 or address == maps_of("red")

    asyncio.run(run())


def test_watches_bring_events_of_the_own_namespace_alone(tmp_path: Path) -> None:
    async def run() -> None:
        async with running(tmp_path, access.tokens_of({tenant: [] for tenant in TENANTS})) as server:
            await prepare(server)
            watches = {tenant: await _watch(server, tenant) for tenant in TENANTS}
            for tenant in TENANTS:
                await write(server, tenant, f"new-of-{tenant}")
            async with asyncio.timeout(PATIENCE_S):
                for tenant, (_, writer) in watches.items():
                    while f"new-of-{tenant}".encode() not in b"".join(writer.data):
                        await asyncio.sleep(0.005)
            red, blue = (b"".join(watches[tenant][1].data) for tenant in TENANTS)
            assert b"blue" not in red.replace(SECRET.encode(), b"")
            assert f"{SECRET}-0".encode() not in red
            assert b"of-red" not in blue
            for stream, _ in watches.values():
                stream.closed()

    asyncio.run(run())


async def _watch(server: InProcess, tenant: str) -> tuple[Stream, RecordingWriter]:
    stream = await server.call("GET", f"{maps_of(tenant)}?watch=1", **headers_of(tenant))
    assert isinstance(stream, Stream)
    writer = RecordingWriter()
    stream.opened(writer)
    return stream, writer
