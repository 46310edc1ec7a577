"""What admission sees of evictions and bindings, and of what the server writes for a request: the status of disruption
budgets and of quotas."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from support import in_process
from support.in_process import InProcess
from support.waiting import PATIENCE_S

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
CORE = "/api/v1/namespaces/default"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
QUOTAS = f"{CORE}/resourcequotas"
MERGE = "application/merge-patch+json"
SEEN = """
(has(object.metadata.managedFields)
    ? object.metadata.managedFields.map(m, m.manager + ' ' + m.operation + ' ' + m.apiVersion + ' ' +
        (has(m.subresource) ? m.subresource : '-')).join(',')
    : 'none') + (has(object.deleteOptions) && has(object.deleteOptions.dryRun) ? ' dry' : '')
"""
TARGET = {"kind": "Node", "name": "n"}
OF_SUBRESOURCE = "me Update v1 binding"
BOTH = "me Update policy/v1 eviction"


async def tell(server: InProcess, method: str, path: str, body: Any, content_type: str = in_process.JSON) -> Any:
    answer = await server.call(method, path, body, content_type)
    assert isinstance(answer.body, bytes)
    return json.loads(answer.body)


async def add_policy(server: InProcess, kind: str, group: str, resources: list[str], **spec: Any) -> None:
    rule = {"apiGroups": [group], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"], "resources": resources}
    bound = {"validationActions": ["Deny"]} if kind == "Validating" else {}
    for plural, members in (
        ("policies", {"matchConstraints": {"resourceRules": [rule]}, **spec}),
        ("policybindings", {"policyName": "p", **bound}),
    ):
        path = f"{ADMISSION}/{kind.lower()}admission{plural}"
        told = await tell(server, "POST", path, {"metadata": {"name": "p"}, "spec": members})
        assert told["kind"] != "Status", told


async def until_denied(server: InProcess, path: str, method: str, body: Any, content_type: str) -> str:
    """A policy is in force a moment after it is there."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            told = await tell(server, method, path, body, content_type)
            if told["kind"] == "Status" and "denied request" in told["message"]:
                message: str = told["message"]
                return message
            await asyncio.sleep(0.005)


async def make_pod(server: InProcess, name: str) -> None:
    pod = {"metadata": {"name": name, "labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert (await server.call("POST", f"{CORE}/pods", pod)).status == 201


@pytest.mark.parametrize(
    ("path", "body", "seen"),
    [
        ("pods/p/binding", {"target": TARGET}, OF_SUBRESOURCE),
        ("bindings", {"target": TARGET}, "me Update v1 -"),
        ("pods/p/eviction", {}, "none"),
        ("pods/p/eviction", {"deleteOptions": {}}, BOTH),
        ("pods/p/eviction", {"deleteOptions": {"dryRun": ["All"]}}, f"{BOTH} dry"),
        ("pods/p/eviction", {"apiVersion": "policy/v1beta1", "kind": "Eviction", "deleteOptions": {}}, BOTH),
        ("pods/p/eviction?dryRun=All", {}, "none"),
        ("pods/p/eviction?dryRun=All", {"deleteOptions": {}}, f"{BOTH} dry"),
    ],
)
async def test_admission_sees_who_sent_what(tmp_path: Path, path: str, body: dict[str, Any], seen: str) -> None:
    resources = ["pods/binding", "bindings", "pods/eviction"]
    async with in_process.running(tmp_path) as server:
        await make_pod(server, "p")
        validation = {"expression": "false", "messageExpression": SEEN}
        await add_policy(server, "Validating", "", resources, validations=[validation])
        refused = {"metadata": {"name": "p"}, "target": TARGET}
        await until_denied(server, f"{CORE}/pods/p/binding?dryRun=All", "POST", refused, in_process.JSON)
        path += f"{'&' if '?' in path else '?'}fieldManager=me"
        told = await tell(server, "POST", f"{CORE}/{path}", {"metadata": {"name": "p"}, **body})
        assert told["message"].endswith(f"denied request: {seen}")


async def make_budget(server: InProcess) -> None:
    """It allows two disruptions."""
    await make_pod(server, "p")
    running = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    assert (await server.call("PATCH", f"{CORE}/pods/p/status", running, MERGE)).status == 200
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}
    assert (await server.call("POST", BUDGETS, {"metadata": {"name": "b"}, "spec": spec})).status == 201
    status = {"observedGeneration": 1, "currentHealthy": 3, "desiredHealthy": 1, "expectedPods": 3}
    allowed = {"status": {**status, "disruptionsAllowed": 2}}
    answer = await server.call("PATCH", f"{BUDGETS}/b/status?fieldManager=me", allowed, MERGE)
    assert answer.status == 200, answer.body


async def evict(server: InProcess, query: str = "") -> Any:
    return await tell(server, "POST", f"{CORE}/pods/p/eviction{query}", {"metadata": {"name": "p"}})


async def test_the_server_owns_what_an_eviction_writes_to_the_budget(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        await make_budget(server)
        before = await tell(server, "GET", f"{BUDGETS}/b", None)
        assert (await evict(server, "?dryRun=All"))["status"] == "Success"
        assert await tell(server, "GET", f"{BUDGETS}/b", None) == before
        assert (await evict(server))["status"] == "Success"
        budget = await tell(server, "GET", f"{BUDGETS}/b", None)
        owned = {
            (each["manager"], each["operation"]): each["fieldsV1"]["f:status"]
            for each in budget["metadata"]["managedFields"]
            if each.get("subresource") == "status"
        }
        assert owned["kube-apiserver", "Update"] == {
            "f:disruptedPods": {".": {}, "f:p": {}},
            "f:disruptionsAllowed": {},
        }
        assert owned["me", "Update"].keys() == {
            "f:observedGeneration",
            "f:currentHealthy",
            "f:desiredHealthy",
            "f:expectedPods",
        }


async def test_admission_may_refuse_what_an_eviction_writes_to_the_budget(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        await make_budget(server)
        validation = {"expression": "false", "messageExpression": "request.userInfo.username"}
        await add_policy(server, "Validating", "policy", ["poddisruptionbudgets/status"], validations=[validation])
        change = {"status": {"disruptionsAllowed": 1}}
        await until_denied(server, f"{BUDGETS}/b/status?dryRun=All", "PATCH", change, MERGE)
        before = [await tell(server, "GET", path, None) for path in (f"{BUDGETS}/b", f"{CORE}/pods/p")]
        told = await evict(server)
        assert told["message"].endswith("denied request: system:apiserver")
        assert [await tell(server, "GET", path, None) for path in (f"{BUDGETS}/b", f"{CORE}/pods/p")] == before
        assert (await evict(server, "?dryRun=All"))["status"] == "Success"


async def add_mutation(server: InProcess, group: str, resource: str) -> None:
    patch = "Object{metadata: Object.metadata{labels: Object.metadata.labels{mutated: 'true'}}}"
    mutation = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": patch}}
    await add_policy(server, "Mutating", group, [resource], mutations=[mutation], reinvocationPolicy="Never")


async def until_mutated(server: InProcess, path: str, change: Any) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while "labels" not in (await tell(server, "PATCH", f"{path}?dryRun=All", change, MERGE))["metadata"]:
            await asyncio.sleep(0.005)


async def test_admission_may_change_what_an_eviction_writes_to_the_budget(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        await make_budget(server)
        await add_mutation(server, "policy", "poddisruptionbudgets/status")
        await until_mutated(server, f"{BUDGETS}/b/status", {"status": {"disruptionsAllowed": 1}})
        assert (await evict(server))["status"] == "Success"
        assert (await tell(server, "GET", f"{BUDGETS}/b", None))["metadata"]["labels"] == {"mutated": "true"}


async def make_quota(server: InProcess) -> None:
    hard = {"configmaps": "5"}
    told = await tell(server, "POST", QUOTAS, {"metadata": {"name": "q"}, "spec": {"hard": hard}})
    assert told["kind"] != "Status", told
    status = {"status": {"hard": hard, "used": {"configmaps": "1"}}}
    assert (await server.call("PATCH", f"{QUOTAS}/q/status", status, MERGE)).status == 200


async def test_admission_may_refuse_the_charge_of_a_quota(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        await make_quota(server)
        validation = {"expression": "false", "messageExpression": "request.userInfo.username"}
        await add_policy(server, "Validating", "", ["resourcequotas/status"], validations=[validation])
        change = {"status": {"used": {"configmaps": "2"}}}
        await until_denied(server, f"{QUOTAS}/q/status?dryRun=All", "PATCH", change, MERGE)
        told = await tell(server, "POST", f"{CORE}/configmaps", {"metadata": {"name": "a"}})
        assert told["message"].endswith("denied request: system:apiserver")
        assert (await tell(server, "GET", f"{QUOTAS}/q", None))["status"]["used"] == {"configmaps": "1"}
        told = await tell(server, "POST", f"{CORE}/configmaps?dryRun=All", {"metadata": {"name": "a"}})
        assert told["kind"] == "ConfigMap"


async def test_admission_may_change_what_a_charge_writes_to_the_quota(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        await make_quota(server)
        await add_mutation(server, "", "resourcequotas/status")
        await until_mutated(server, f"{QUOTAS}/q/status", {"status": {"used": {"configmaps": "2"}}})
        assert (await tell(server, "POST", f"{CORE}/configmaps", {"metadata": {"name": "a"}}))["kind"] == "ConfigMap"
        quota = await tell(server, "GET", f"{QUOTAS}/q", None)
        assert (quota["status"]["used"], quota["metadata"]["labels"]) == ({"configmaps": "2"}, {"mutated": "true"})
