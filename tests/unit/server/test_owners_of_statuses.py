"""What a write cannot set nobody comes to own by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import in_process
from support.in_process import InProcess

MERGE, APPLY = "application/merge-patch+json", "application/apply-patch+yaml"
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
AUTOSCALERS = "namespaces/default/horizontalpodautoscalers"


async def send(server: InProcess, method: str, path: str, body: Any, content_type: str = in_process.JSON) -> Any:
    answer = await server.call(method, path, body, content_type)
    assert answer.status in (200, 201), answer.body
    assert isinstance(answer.body, bytes)
    return json.loads(answer.body)


def owned(obj: Any, manager: str, subresource: str = "") -> Any:
    for entry in obj["metadata"].get("managedFields") or []:
        if entry["manager"] == manager and entry.get("subresource", "") == subresource:
            return entry["fieldsV1"]
    return None


async def test_a_status_of_an_api_service_sets_no_metadata(tmp_path: Path) -> None:
    name = "v1.owned.example.com"
    spec = {"group": "owned.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10}
    spec |= {"service": {"namespace": "default", "name": "none"}, "insecureSkipTLSVerify": True}
    service = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": name}}
    async with in_process.running(tmp_path) as server:
        await send(server, "POST", SERVICES, {**service, "spec": spec})
        labelled = {"metadata": {"labels": {"l": "1"}, "annotations": {"n": "1"}}}
        made = await send(server, "PATCH", f"{SERVICES}/{name}/status?fieldManager=m", labelled, MERGE)
        assert owned(made, "m", "status") is None
        applied = {**service, "metadata": {"name": name, "labels": {"l": "3"}}}
        made = await send(server, "PATCH", f"{SERVICES}/{name}/status?fieldManager=m2", applied, APPLY)
        assert owned(made, "m2", "status") is None


async def test_neither_version_of_an_autoscaler_sets_what_is_not_its_own(tmp_path: Path) -> None:
    target = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
    spec = {"scaleTargetRef": target, "maxReplicas": 3}
    v1, v2 = (f"/apis/autoscaling/{version}/{AUTOSCALERS}" for version in ("v1", "v2"))
    status = {"currentReplicas": 2, "desiredReplicas": 2}
    async with in_process.running(tmp_path) as server:
        await send(server, "POST", f"{v1}?fieldManager=cr", {"metadata": {"name": "a"}, "spec": spec})
        made = await send(server, "PATCH", f"{v1}/a/status?fieldManager=st", {"status": status}, MERGE)
        assert owned(made, "st", "status") is not None
        changed = {"spec": {"minReplicas": 2}, "status": {"currentReplicas": 5, "desiredReplicas": 5}}
        made = await send(server, "PATCH", f"{v2}/a?fieldManager=other", changed, MERGE)
        assert owned(made, "st", "status") is not None
        assert "f:status" not in owned(made, "other")
        patch = {"spec": {"maxReplicas": 7}, "status": {**status, "currentReplicas": 4}}
        made = await send(server, "PATCH", f"{v2}/a/status?fieldManager=st2", patch, MERGE)
        assert "f:maxReplicas" in owned(made, "cr")["f:spec"]
        body = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}}
        applied = {**body, "spec": {"minReplicas": 2}, "status": {"currentReplicas": 9, "desiredReplicas": 9}}
        made = await send(server, "PATCH", f"{v2}/a?fieldManager=ap", applied, APPLY)
        assert made["status"]["currentReplicas"] == 4
