"""Bindings and evictions that admission gives another name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import in_process
from support.in_process import InProcess

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
CORE = "/api/v1/namespaces/default"
RENAME = "[JSONPatch{op: 'replace', path: '/metadata/name', value: 'other'}]"
BODY = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
CONTAINERS = [{"name": "c", "image": "i"}]


async def make_renamed_pods(server: InProcess) -> None:
    for name in ("p", "other"):
        pod = {"metadata": {"name": name}, "spec": {"containers": CONTAINERS}}
        assert (await server.call("POST", f"{CORE}/pods", pod)).status == 201
    resources = ["pods/binding", "bindings", "pods/eviction"]
    rule = {"apiGroups": [""], "apiVersions": ["*"], "operations": ["CREATE"], "resources": resources}
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": RENAME}}],
        "reinvocationPolicy": "Never",
    }
    for plural, members in (("policies", spec), ("policybindings", {"policyName": "p"})):
        body = {"metadata": {"name": "p"}, "spec": members}
        assert (await server.call("POST", f"{ADMISSION}/mutatingadmission{plural}", body)).status == 201


async def find_pods(server: InProcess) -> dict[str, str]:
    """The node of each."""
    answer = await server.call("GET", f"{CORE}/pods")
    assert isinstance(answer.body, bytes)
    items: list[dict[str, Any]] = json.loads(answer.body)["items"]
    return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in items}


@pytest.mark.parametrize(("subresource", "kind"), [("binding", "Binding"), ("eviction", "Eviction")])
async def test_at_a_pod_the_name_has_to_stay(tmp_path: Path, subresource: str, kind: str) -> None:
    async with in_process.running(tmp_path) as server:
        await make_renamed_pods(server)
        body = BODY if kind == "Binding" else {"metadata": {"name": "p"}}
        answer = await server.call("POST", f"{CORE}/pods/p/{subresource}", body)
        assert answer.status == 400
        assert f'"name in URL does not match name in {kind} object"'.encode() in answer.body
        assert await find_pods(server) == {"p": "", "other": ""}


async def test_a_binding_of_its_own_follows_its_name(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        await make_renamed_pods(server)
        assert (await server.call("POST", f"{CORE}/bindings", BODY)).status == 201
        assert await find_pods(server) == {"p": "", "other": "n"}
