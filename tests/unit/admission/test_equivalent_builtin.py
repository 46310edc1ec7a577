"""Webhooks whose rules name another version of a built-in kind than requests do: they see, and may change, that one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from support import admission_hook, in_process

HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
DEFAULT = "namespaces/default"
AUTOSCALERS = f"{DEFAULT}/horizontalpodautoscalers"
EVENTS = f"{DEFAULT}/events"
TARGET = {"kind": "Deployment", "name": "x", "apiVersion": "apps/v1"}
METRIC = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
}
SPEC = {"minReplicas": 1, "maxReplicas": 3, "scaleTargetRef": TARGET}
V2 = {"apiVersion": "autoscaling/v2", "spec": {**SPEC, "metrics": [METRIC]}}
V1 = {"apiVersion": "autoscaling/v1", "spec": {**SPEC, "targetCPUUtilizationPercentage": 50}}
OF_EVENT = {"reason": "Laziness", "type": "Normal", "action": "None", "eventTime": "2017-08-09T15:04:05.000000Z"}
NEW = {
    **OF_EVENT,
    "apiVersion": "events.k8s.io/v1",
    "regarding": {"namespace": "default"},
    "note": "text",
    "reportingController": "example.com/c",
    "reportingInstance": "i",
}
OLD = {
    **OF_EVENT,
    "apiVersion": "v1",
    "involvedObject": {"namespace": "default"},
    "message": "text",
    "reportingComponent": "example.com/c",
    "reportingInstance": "i",
}


@pytest.mark.parametrize(
    ("path", "sent", "rule", "seen"),
    [
        (f"/apis/autoscaling/v2/{AUTOSCALERS}", V2, ("autoscaling", "v1"), V1),
        (f"/apis/autoscaling/v1/{AUTOSCALERS}", V1, ("autoscaling", "v2"), V2),
        (f"/apis/events.k8s.io/v1/{EVENTS}", NEW, ("", "v1"), OLD),
        (f"/api/v1/{EVENTS}", OLD, ("events.k8s.io", "v1"), NEW),
    ],
    ids=["autoscaling/v2", "autoscaling/v1", "events.k8s.io", "core events"],
)
def test_a_webhook_sees_and_patches_the_version_of_its_rules(
    tmp_path: Path, path: str, sent: Any, rule: tuple[str, str], seen: Any
) -> None:
    async def body() -> None:
        async with in_process.running(tmp_path) as server, admission_hook.running(tmp_path) as hook:
            resource = path.rpartition("/")[2]
            rules = [{"operations": ["*"], "apiGroups": rule[:1], "apiVersions": rule[1:], "resources": [resource]}]
            webhook = hook.webhook("see", rule[0], matchPolicy="Equivalent") | {"rules": rules}
            label = {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}
            hook.responds["see"] = lambda _: admission_hook.patch(label)
            configuration = {"metadata": {"name": "m"}, "webhooks": [webhook]}
            assert (await server.call("POST", HOOKS, configuration)).status == 201
            kind = "Event" if resource == "events" else "HorizontalPodAutoscaler"
            answer = await server.call("POST", path, {**sent, "kind": kind, "metadata": {"name": "a"}})
            assert answer.status == 201, answer.body
            made = json.loads(answer.body)
            merge = "application/merge-patch+json"
            answer = await server.call("PATCH", f"{path}/a", {"metadata": {"annotations": {"c": "d"}}}, merge)
            assert answer.status == 200, answer.body
            for found in (made, json.loads(answer.body)):
                assert found["metadata"]["labels"] == {"a": "b"}
                assert {name: found[name] for name in sent} == sent
            (_, created), (_, updated) = hook.asked
            for request, names in ((created, ["object"]), (updated, ["object", "oldObject"])):
                assert request["kind"]["version"] == rule[1]
                for name in names:
                    shown = request[name]
                    assert shown["apiVersion"] == seen["apiVersion"]
                    assert {each: shown.get(each) for each in seen} == seen

    asyncio.run(body())
