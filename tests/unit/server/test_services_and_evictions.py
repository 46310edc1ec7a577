"""What goes with a service, and which budgets hold a pod."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apimachinery.codec import protobuf
from support import in_process
from support.in_process import InProcess

JSON = "application/json"
PROTOBUF = "application/vnd.kubernetes.protobuf"
CORE = "/api/v1/namespaces/default"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
DENIED = "does not allow evicting pods currently"
TIME = "2026-01-01T00:00:00Z"
PORTS = {"ports": [{"port": 80}]}


async def create(server: InProcess, path: str, name: str, **members: Any) -> None:
    answer = await server.call("POST", path, {"metadata": {"name": name}, **members})
    assert answer.status == 201, answer.body


async def are_there(server: InProcess, name: str) -> bool:
    return (await server.call("GET", f"{CORE}/endpoints/{name}")).status == 200


async def test_endpoints_go_with_their_service(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        for name in ("x", "y", "z", "held"):
            await create(server, f"{CORE}/endpoints", name)
        for name in ("x", "y"):
            await create(server, f"{CORE}/services", name, spec=PORTS)
        assert (await server.call("DELETE", f"{CORE}/services/x?dryRun=All")).status == 200
        assert await are_there(server, "x")
        assert (await server.call("DELETE", f"{CORE}/services/x")).status == 200
        assert not await are_there(server, "x")
        assert (await server.call("DELETE", f"{CORE}/services?fieldSelector=metadata.name%3Dy")).status == 200
        assert not await are_there(server, "y")
        assert await are_there(server, "z"), "which are no service's"
        held = {"metadata": {"name": "held", "finalizers": ["a.example.com/f"]}, "spec": PORTS}
        assert (await server.call("POST", f"{CORE}/services", held)).status == 201
        assert (await server.call("DELETE", f"{CORE}/services/held")).status == 200
        assert await are_there(server, "held"), "as long as something holds their service"
        free = {"metadata": {"finalizers": None}}
        answer = await server.call("PATCH", f"{CORE}/services/held", free, "application/merge-patch+json")
        assert answer.status == 200
        assert not await are_there(server, "held")


def _in_protobuf(api_version: str, kind: str, name: str) -> bytes:
    """With metadata alone, which all kinds have at the same place."""
    data = protobuf.encode_message({"metadata": {"name": name}}, "v1", "ConfigMap")
    return protobuf.enclosing(api_version, kind)(data)


@pytest.mark.parametrize(
    ("sent", "content_type"),
    [
        (b'{"apiVersion":"policy/v1","metadata":{"name":"p","annotations":{"a":"policy/v1beta1"}}}', JSON),
        (rb'{"apiVersion":"policy\/v1beta1","kind":"Eviction","metadata":{"name":"p"}}', JSON),
        (b"apiVersion: policy/v1beta1\nkind: Eviction\nmetadata: {name: p}\n", "application/yaml"),
        (_in_protobuf("policy/v1", "Eviction", "p"), PROTOBUF),
        (_in_protobuf("policy/v1beta1", "Eviction", "p"), PROTOBUF),
    ],
)
async def test_an_eviction_is_of_the_version_that_it_says(tmp_path: Path, sent: bytes, content_type: str) -> None:
    async with in_process.running(tmp_path) as server:
        await create(server, f"{CORE}/pods", "p", spec={"containers": [{"name": "c", "image": "i"}]})
        answer = await server.call("POST", f"{CORE}/pods/p/eviction", sent, content_type)
        assert answer.status == 201, answer.body


async def test_versions_that_went_are_told_in_protobuf_as_in_json(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        for old in ("apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"):
            body = _in_protobuf(old, "Deployment", "d")
            answer = await server.call("POST", "/apis/apps/v1/namespaces/default/deployments", body, PROTOBUF)
            text = f"the API version in the data ({old}) does not match the expected API version (apps/v1)"
            assert isinstance(answer.body, bytes)
            assert (answer.status, json.loads(answer.body)["message"]) == (400, text)


@pytest.mark.parametrize(("selector", "is_held"), [({}, True), ({"matchLabels": {"a": "b"}}, False), (None, False)])
async def test_a_budget_that_selects_everything_holds_pods_without_labels(
    tmp_path: Path, selector: dict[str, Any] | None, is_held: bool
) -> None:
    async with in_process.running(tmp_path) as server:
        await create(server, f"{CORE}/pods", "p", spec={"containers": [{"name": "c", "image": "i"}]})
        running = {"status": {"phase": "Running"}}
        answer = await server.call("PATCH", f"{CORE}/pods/p/status", running, "application/merge-patch+json")
        assert answer.status == 200
        await create(server, BUDGETS, "b", spec={"minAvailable": 1, "selector": selector})
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
        answer = await server.call("POST", f"{CORE}/pods/p/eviction", eviction)
        assert answer.status == (429 if is_held else 201)
        if is_held:
            assert isinstance(answer.body, bytes)
            (cause,) = json.loads(answer.body)["details"]["causes"]
            assert cause["message"] == "The disruption budget b is still being processed by the server."


@pytest.mark.parametrize(
    ("healthy", "condition", "told"),
    [
        (3, {"reason": "TooFew", "message": "m"}, "does not allow evicting pods currently (TooFew): m"),
        (3, {"reason": "TooFew", "message": ""}, DENIED),
        (1, {"reason": "TooFew", "message": "m"}, "needs 1 healthy pods and has 1 currently"),
        (
            1,
            {"reason": "SyncFailed", "message": "m"},
            "does not allow evicting pods currently because it failed sync: m",
        ),
    ],
)
async def test_a_budget_tells_why_it_is_exhausted(
    tmp_path: Path, healthy: int, condition: dict[str, str], told: str
) -> None:
    async with in_process.running(tmp_path) as server:
        await create(server, f"{CORE}/pods", "p", spec={"containers": [{"name": "c", "image": "i"}]})
        running = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
        await server.call("PATCH", f"{CORE}/pods/p/status", running, "application/merge-patch+json")
        await create(server, BUDGETS, "b", spec={"minAvailable": 1, "selector": {}})
        made = {"type": "DisruptionAllowed", "status": "False", "lastTransitionTime": TIME, **condition}
        status = {"observedGeneration": 1, "currentHealthy": healthy, "desiredHealthy": 1, "conditions": [made]}
        more = {"status": {**status, "expectedPods": 3, "disruptionsAllowed": 0}}
        answer = await server.call("PATCH", f"{BUDGETS}/b/status", more, "application/merge-patch+json")
        assert answer.status == 200, answer.body
        answer = await server.call("POST", f"{CORE}/pods/p/eviction", {"metadata": {"name": "p"}})
        assert isinstance(answer.body, bytes)
        (cause,) = json.loads(answer.body)["details"]["causes"]
        assert cause["message"] == f"The disruption budget b {told}"


@pytest.mark.parametrize(
    ("is_ready", "version", "status"),
    [("False", "1", 201), ("False", "", 201), ("False", None, 201), ("True", "1", 409), ("True", "", 201)],
)
async def test_a_pod_that_is_not_ready_goes_as_it_was_seen(
    tmp_path: Path, is_ready: str, version: str | None, status: int
) -> None:
    async with in_process.running(tmp_path) as server:
        await create(server, f"{CORE}/pods", "p", spec={"containers": [{"name": "c", "image": "i"}], "nodeName": "n"})
        running = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": is_ready}]}}
        await server.call("PATCH", f"{CORE}/pods/p/status", running, "application/merge-patch+json")
        await create(server, BUDGETS, "b", spec={"selector": {}, "unhealthyPodEvictionPolicy": "AlwaysAllow"})
        known = {"status": {"observedGeneration": 1, "disruptionsAllowed": 1}}
        answer = await server.call("PATCH", f"{BUDGETS}/b/status", known, "application/merge-patch+json")
        assert answer.status == 200, answer.body
        conditions = {"preconditions": {"resourceVersion": version}}
        eviction = {"metadata": {"name": "p"}, "deleteOptions": conditions}
        answer = await server.call("POST", f"{CORE}/pods/p/eviction", eviction)
        assert answer.status == status, answer.body
