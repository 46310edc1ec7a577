"""APIs that are switched off are nowhere: not served, not in discovery, not in OpenAPI, without an APIService."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from quarterdeck.apis import runtimeconfig
from support.in_process import InProcess, running

OFF = {
    "autoscaling/v1": "false",
    "batch/v1": "false",
    "authentication.k8s.io/v1/tokenreviews": "false",
    "/v1/bindings": "false",
    "/v1/configmaps": "false",
    "apps/v1": "false",
    "apps/v1/deployments": "true",
}


async def read(server: InProcess, path: str, accept: str = "application/json") -> Any:
    answer = await server.call("GET", path, accept=accept)
    assert answer.status == 200, (path, answer.status)
    return json.loads(bytes(answer.body) if isinstance(answer.body, bytes) else b"".join(answer.body))


async def names(server: InProcess, version: str) -> set[str]:
    return {each["name"] for each in (await read(server, version))["resources"]}


def test_they_are_nowhere(tmp_path: Path) -> None:
    async def check() -> None:
        async with running(tmp_path, enablement=runtimeconfig.parse(OFF)) as server:
            for path, status in {
                "/apis/autoscaling/v1": 404,
                "/apis/autoscaling/v1/horizontalpodautoscalers": 404,
                "/apis/autoscaling/v2/horizontalpodautoscalers": 200,
                "/apis/batch": 404,
                "/apis/batch/v1/jobs": 404,
                "/api/v1/configmaps": 404,
                "/api/v1/secrets": 200,
                "/apis/apps/v1/deployments": 200,
                "/apis/apps/v1/replicasets": 404,
            }.items():
                assert (await server.call("GET", path)).status == status, path
            # A group that is off altogether is like one that nobody knows; of others a Status tells.
            assert (await server.call("GET", "/apis/batch/v1/jobs")).body == b"404 page not found\n"
            assert b'"reason":"NotFound"' in (await server.call("GET", "/apis/apps/v1/replicasets")).body
            review = {"spec": {"token": "x"}}
            assert (await server.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review)).status == 404
            assert (await server.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {})).status == 201
            assert (await server.call("POST", "/api/v1/namespaces/default/bindings", {})).status == 404

            groups = {group["name"]: group for group in (await read(server, "/apis"))["groups"]}
            assert "batch" not in groups
            assert [each["version"] for each in groups["autoscaling"]["versions"]] == ["v2"]
            assert await names(server, "/apis/apps/v1") == {"deployments", "deployments/scale", "deployments/status"}
            core = await names(server, "/api/v1")
            assert "secrets" in core
            assert not core & {"configmaps", "bindings"}
            assert "tokenreviews" not in await names(server, "/apis/authentication.k8s.io/v1")
            assert not {"/apis/batch", "/apis/autoscaling/v1"} & {*(await read(server, "/"))["paths"]}

            paths = (await read(server, "/openapi/v3"))["paths"]
            assert "apis/autoscaling/v2" in paths
            assert not {"apis/autoscaling/v1", "apis/batch", "apis/batch/v1"} & {*paths}
            described = (await read(server, "/openapi/v2"))["paths"]
            assert "/apis/apps/v1/deployments" in described
            assert not [path for path in described if "/replicasets" in path or "/configmaps" in path]

            server.server.on_ready()
            await asyncio.sleep(0)
            listed = await read(server, "/apis/apiregistration.k8s.io/v1/apiservices")
            found = {each["metadata"]["name"] for each in listed["items"]}
            assert not found & {"v1.batch", "v1.autoscaling"}

    asyncio.run(check())


def test_the_core_can_be_off(tmp_path: Path) -> None:
    async def check() -> None:
        async with running(tmp_path, enablement=runtimeconfig.parse({"/v1": "false"})) as server:
            assert (await server.call("GET", "/api/v1")).status == 404
            assert (await server.call("GET", "/api/v1/pods")).status == 404
            assert (await server.call("GET", "/apis/apps/v1/deployments")).status == 200
            for path in ("/api", "/apis", "/openapi/v2", "/openapi/v3", "/"):
                assert (await server.call("GET", path)).status == 200, path

    asyncio.run(check())
