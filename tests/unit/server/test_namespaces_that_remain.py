"""What a namespace under deletion tells of its content."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from support import in_process
from support.waiting import PATIENCE_S

DONE = "All content successfully removed"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
_STALE = {"metadata": {"resourceVersion": "1"}}
SECRETS, PODS = "/api/v1/namespaces/ns/secrets", "/api/v1/namespaces/ns/pods"


@pytest.mark.parametrize(
    ("addresses", "told"),
    [
        (
            (SECRETS, LEASES),
            "Some resources are remaining: leases.coordination.k8s.io has 1 resource instances, "
            "secrets. has 1 resource instances",
        ),
        ((SECRETS, PODS), DONE),
    ],
    ids=["with a dot where the group has no name", "not before pods are gone"],
)
async def test_what_remains_is_told(tmp_path: Path, addresses: tuple[str, ...], told: str) -> None:
    async with in_process.running(tmp_path, namespace_deletion_delay_s=0.0) as server:
        assert (await server.call("POST", "/api/v1/namespaces", {"metadata": {"name": "ns"}})).status == 201
        for address in addresses:
            held: dict[str, Any] = {"metadata": {"name": "held", "finalizers": ["example.com/hold"]}}
            if address == PODS:
                held["spec"] = {"containers": [{"name": "c", "image": "i"}]}
            answer = await server.call("POST", address, held)
            assert answer.status == 201, answer.body
        await server.call("DELETE", "/api/v1/namespaces/ns")
        async with asyncio.timeout(PATIENCE_S):
            while not (conditions := await _conditions(server)):
                await asyncio.sleep(0.01)
        assert conditions["NamespaceContentRemaining"] == told


async def _conditions(server: in_process.InProcess) -> dict[str, str]:
    return {each["type"]: each["message"] for each in (await _get(server))["status"].get("conditions", ())}


async def test_what_is_written_to_it_is_owned_by_kube_controller_manager(tmp_path: Path) -> None:
    async with in_process.running(tmp_path, namespace_deletion_delay_s=0.0) as server:
        assert (await server.call("POST", "/api/v1/namespaces", {"metadata": {"name": "ns"}})).status == 201
        spec = {"metadata": {"name": "ns"}, "spec": {"finalizers": ["kubernetes", "example.com/hold"]}}
        assert (await server.call("PUT", "/api/v1/namespaces/ns/finalize", spec)).status == 200
        await server.call("DELETE", "/api/v1/namespaces/ns")
        async with asyncio.timeout(PATIENCE_S):
            while (found := await _get(server))["spec"]["finalizers"] != ["example.com/hold"]:
                await asyncio.sleep(0.01)
    owned = {
        entry["subresource"]: entry["fieldsV1"]
        for entry in found["metadata"]["managedFields"]
        if (entry["manager"], entry["operation"]) == ("kube-controller-manager", "Update")
    }
    assert owned.keys() == {"status", "finalize"}
    assert owned["finalize"] == {"f:spec": {"f:finalizers": {}}}
    types = {f'k:{{"type":"{each["type"]}"}}' for each in found["status"]["conditions"]}
    assert owned["status"]["f:status"]["f:conditions"].keys() == {".", *types}


@pytest.mark.parametrize(
    "change", [{"data": {"a": "b"}}, {}, {"data": {"": ""}}, {"metadata": {"resourceVersion": "1"}}]
)
@pytest.mark.parametrize("query", ["", "?dryRun=All"])
async def test_nothing_is_updated_in_a_namespace_that_is_gone(
    tmp_path: Path, change: dict[str, Any], query: str
) -> None:
    """Though its content remains, it can only be deleted. Whatever else is wrong with the update is not looked at."""
    held = "/api/v1/namespaces/ns/configmaps/held"
    async with in_process.running(tmp_path) as server:
        await server.call("POST", "/api/v1/namespaces", {"metadata": {"name": "ns"}})
        metadata = {"name": "held", "finalizers": ["example.com/hold"]}
        await server.call("POST", "/api/v1/namespaces/ns/configmaps", {"metadata": metadata})
        merge = "application/merge-patch+json"
        await server.call("DELETE", "/api/v1/namespaces/ns")
        assert (await server.call("PATCH", held, {"metadata": {"labels": {"a": "b"}}}, merge)).status == 200
        gone = {"metadata": {"name": "ns"}, "spec": {}}
        assert (await server.call("PUT", "/api/v1/namespaces/ns/finalize", gone)).status == 200
        answer = await server.call("PATCH", held + query, change, merge)
        assert isinstance(answer.body, bytes)
        assert (answer.status, json.loads(answer.body)["message"]) == (404, 'namespaces "ns" not found')
        answer = await server.call("PUT", held + query, {**change, "metadata": metadata | change.get("metadata", {})})
        assert answer.status == 404
        assert (await server.call("DELETE", held)).status == 200


async def _get(server: in_process.InProcess) -> dict[str, Any]:
    answer = await server.call("GET", "/api/v1/namespaces/ns")
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return found
