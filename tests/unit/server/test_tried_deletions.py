"""What deletions answer that are only tried."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process

API = "tried.example.com/v1"
THINGS = f"/apis/{API}/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
SCALERS = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

Call = Callable[..., Awaitable[tuple[int, Any]]]


def run(folder: Path, script: Callable[[Call, in_process.InProcess], Awaitable[None]]) -> None:
    async def main() -> None:
        async with in_process.running(folder) as server:

            async def call(method: str, address: str, body: Any = None, **headers: str) -> Any:
                answer = await server.call(method, address, body, **headers)
                data = answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)
                return answer.status, json.loads(data)

            await script(call, server)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("path", "sent", "empty", "cells"),
    [
        (THINGS, {"apiVersion": API, "kind": "Thing"}, {"apiVersion": API, "kind": "Thing"}, ["", None]),
        (MAPS, {}, {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {}}, ["", 0, "<unknown>"]),
        (
            SCALERS,
            {"spec": {"maxReplicas": 1, "scaleTargetRef": {"apiVersion": "a/v1", "kind": "A", "name": "a"}}},
            {
                "kind": "HorizontalPodAutoscaler",
                "apiVersion": "autoscaling/v1",
                "metadata": {},
                "spec": {"scaleTargetRef": {"kind": "", "name": ""}, "maxReplicas": 0},
                "status": {"currentReplicas": 0, "desiredReplicas": 0},
            },
            None,
        ),
    ],
)
def test_one_that_takes_the_last_finalizer_shows_an_object_that_says_nothing(
    tmp_path: Path, path: str, sent: dict[str, Any], empty: dict[str, Any], cells: list[Any] | None
) -> None:
    async def script(call: Call, server: in_process.InProcess) -> None:
        await server.define(definitions.of_things("tried.example.com"))
        code, made = await call("POST", path, {**sent, "metadata": {"name": "a", "finalizers": ["orphan"]}})
        assert code == 201, made
        for query in ("propagationPolicy=Background", "orphanDependents=false"):
            tried = f"{path}/a?dryRun=All&{query}"
            assert await call("DELETE", tried) == (200, empty)
            code, answer = await call("DELETE", tried, accept=METADATA)
            assert (code, answer["kind"], answer["metadata"]) == (200, "PartialObjectMetadata", {})
            code, answer = await call("DELETE", tried, accept=TABLE)
            assert (code, answer["metadata"]) == (200, {})
            assert cells in (None, answer["rows"][0]["cells"])
        assert (await call("GET", f"{path}/a"))[1] == made
        code, told = await call("DELETE", f"{path}/a?propagationPolicy=Background")
        assert (code, told["kind"]) == (200, "Status")
        assert (await call("GET", f"{path}/a"))[0] == 404

    run(tmp_path, script)


def test_one_of_a_pod_that_would_go_at_once_is_not_told_to_go_on(tmp_path: Path) -> None:
    async def script(call: Call, _: in_process.InProcess) -> None:
        spec = {"containers": [{"name": "c", "image": "i"}]}
        for name, more in (("unbound", {}), ("bound", {"nodeName": "n"})):
            await call("POST", PODS, {"metadata": {"name": name}, "spec": spec | more})
        tried = "dryRun=All&orphanDependents=false"
        assert (await call("DELETE", f"{PODS}/unbound?{tried}"))[0] == 200
        assert (await call("DELETE", f"{PODS}/bound?{tried}&gracePeriodSeconds=0"))[0] == 200
        assert (await call("DELETE", f"{PODS}/bound?{tried}"))[0] == 202
        assert (await call("GET", f"{PODS}/bound"))[1]["metadata"].get("deletionTimestamp") is None

    run(tmp_path, script)
