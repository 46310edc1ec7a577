"""What a change of roles or bindings gives or takes counts for the next request after its answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from support import access
from support.access import headers_of
from support.in_process import InProcess, running

GROUP = "rbac.authorization.k8s.io"
ROOT = f"/apis/{GROUP}/v1"
MAPS = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"
READ = [{"verbs": ["list"], "apiGroups": [""], "resources": ["configmaps"]}]


async def code(server: InProcess, user: str = "bob") -> int:
    return (await server.call("GET", MAPS, **headers_of(user))).status


async def write(server: InProcess, method: str, path: str, obj: Any = None) -> None:
    answer = await server.call(method, path, obj, MERGE if method == "PATCH" else "application/json")
    assert answer.status in (200, 201), answer.body


def named(kind: str, name: str, **members: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, **members}


def binding(kind: str, role: str) -> dict[str, Any]:
    subject = {"kind": "User", "apiGroup": GROUP, "name": "bob"}
    reference = {"apiGroup": GROUP, "kind": "ClusterRole", "name": role}
    return named(kind, "b", subjects=[subject], roleRef=reference)


@pytest.mark.parametrize("place", ["", "namespaces/default/"])
def test_the_next_request_is_judged_by_what_was_written(tmp_path: Path, place: str) -> None:
    kind = "RoleBinding" if place else "ClusterRoleBinding"
    bindings = f"{ROOT}/{place}{kind.lower()}s"
    role = f"{ROOT}/clusterroles/r"
    elsewhere = [{**READ[0], "resources": ["secrets"]}]
    steps = [
        (403, "POST", bindings, binding(kind, "r")),
        (403, "POST", f"{ROOT}/clusterroles", named("ClusterRole", "r", rules=READ)),
        (200, "PATCH", role, {"rules": elsewhere}),
        (403, "PATCH", role, {"rules": READ}),
        (200, "PATCH", f"{bindings}/b", {"subjects": []}),
        (403, "PATCH", f"{bindings}/b", {"subjects": binding(kind, "r")["subjects"]}),
        (200, "DELETE", role, None),
        (403, "POST", f"{ROOT}/clusterroles", named("ClusterRole", "r", rules=READ)),
        (200, "DELETE", f"{bindings}/b", None),
    ]

    async def run() -> None:
        async with running(tmp_path, access.tokens_of({"bob": []})) as server:
            for before, method, path, obj in steps:
                assert await code(server) == before, (method, path)
                await write(server, method, path, obj)
            assert await code(server) == 403

    asyncio.run(run())
