"""What policies make of built-in objects that is something else by then, or has no type to be made by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import in_process
from support.in_process import InProcess

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
CORE = "/api/v1/namespaces/default"
AUTOSCALERS = "/apis/autoscaling/{}/namespaces/default/horizontalpodautoscalers"
POD = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
AUTOSCALER = {"metadata": {"name": "h"}, "spec": {"maxReplicas": 3, "scaleTargetRef": TARGET}}
MAP = {"metadata": {"name": "m", "labels": {"a": "b"}}}
OF_MAP = ", unknown field ".join(f'"metadata.{name}"' for name in ("name", "namespace", "labels", "managedFields"))
LEGACY = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'
UNKNOWN = "strict decoding error: unknown field "
APPLIED = "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"
UNTYPED = "error applying patch: failed to convert patch object to typed object: no corresponding type for "


def put(path: str, value: str, op: str = "replace") -> str:
    return f"JSONPatch{{op: '{op}', path: '{path}', value: {value}}}"


async def add_policy(
    server: InProcess, expression: str, version: str = "*", *, operation: str = "CREATE", ignores: bool = False
) -> None:
    """One that matches everything of a version."""
    resources = ["configmaps", "horizontalpodautoscalers", "pods/*", "serviceaccounts/token", "deployments/scale"]
    rule = {"apiGroups": ["*"], "apiVersions": [version], "operations": [operation], "resources": resources}
    applied = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}
    patched = {"patchType": "JSONPatch", "jsonPatch": {"expression": f"[{expression}]"}}
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "mutations": [patched if expression.startswith("JSONPatch") else applied],
        "failurePolicy": "Ignore" if ignores else "Fail",
        "reinvocationPolicy": "Never",
    }
    for plural, members in (("policies", spec), ("policybindings", {"policyName": "p"})):
        body = {"metadata": {"name": "p"}, "spec": members}
        answer = await server.call("POST", f"{ADMISSION}/mutatingadmission{plural}", body)
        assert answer.status == 201, answer.body


async def ask(server: InProcess, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
    """The code and the message of the answer, without what all refusals of the policy begin with."""
    answer = await server.call(method, path, body, **headers)
    assert isinstance(answer.body, bytes)
    message: str = json.loads(answer.body).get("message", "")
    return answer.status, message.removeprefix("policy 'p' with binding 'p' denied request: ")


@pytest.mark.parametrize(
    ("expression", "code", "told"),
    [
        (
            put("/apiVersion", "'autoscaling/v1'"),
            500,
            f'Internal error occurred: {UNKNOWN}"spec.metrics", unknown field "status.currentMetrics"',
        ),
        (
            put("", "{'apiVersion': 'autoscaling/v1', 'kind': 'HorizontalPodAutoscaler'}"),
            403,
            "converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown conversion",
        ),
        (
            put("", "{'apiVersion': 'v1', 'kind': 'ConfigMap'}"),
            403,
            f'v1.ConfigMap is not suitable for converting to "autoscaling/v2" {LEGACY}',
        ),
        (
            put("", "{'apiVersion': 'autoscaling/v1', 'kind': 'Scale'}"),
            403,
            f'no kind "Scale" is registered for version "autoscaling/v2" {LEGACY}',
        ),
        (
            put("/apiVersion", "'autoscaling/__internal'"),
            500,
            f'Internal error occurred: {UNKNOWN}"metadata", unknown field "spec", unknown field "status"',
        ),
    ],
)
async def test_an_object_of_another_version(tmp_path: Path, expression: str, code: int, told: str) -> None:
    async with in_process.running(tmp_path) as server:
        await add_policy(server, expression)
        assert await ask(server, "POST", AUTOSCALERS.format("v2"), AUTOSCALER) == (code, told)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("Status", OF_MAP),
        ("ConfigMapList", OF_MAP),
        ("DeleteOptions", '"metadata"'),
    ],
)
async def test_an_object_of_another_kind_is_read_as_one(tmp_path: Path, kind: str, told: str) -> None:
    async with in_process.running(tmp_path) as server:
        await add_policy(server, put("/kind", f"'{kind}'"))
        expected = (500, f"Internal error occurred: {UNKNOWN}{told}")
        assert await ask(server, "POST", f"{CORE}/configmaps", MAP) == expected


async def test_null_is_an_empty_object(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        await add_policy(server, put("", "null"))
        code, told = await ask(server, "POST", f"{CORE}/configmaps", MAP)
        assert (code, "name or generateName is required" in told) == (422, True)


@pytest.mark.parametrize(
    ("expression", "code", "told"),
    [
        (put("/spec/bogus", "1", "add"), 500, f'Internal error occurred: {UNKNOWN}"spec.bogus"'),
        (
            "Object{spec: Object.spec{metrics: []}}",
            403,
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: "
            ".spec.metrics",
        ),
        (
            put("/spec/maxReplicas", "5"),
            403,
            "converting (v2.HorizontalPodAutoscaler) to (v1.HorizontalPodAutoscaler): unknown conversion",
        ),
        (
            put("/spec/maxReplicas", "5", "test"),
            403,
            "converting (v2.HorizontalPodAutoscaler) to (v1.HorizontalPodAutoscaler): unknown conversion",
        ),
    ],
)
async def test_the_patch_comes_before_the_version(tmp_path: Path, expression: str, code: int, told: str) -> None:
    async with in_process.running(tmp_path) as server:
        await add_policy(server, expression, "v2")
        assert await ask(server, "POST", AUTOSCALERS.format("v1"), AUTOSCALER) == (code, told)


async def test_a_patch_may_bring_an_object_into_the_version_of_the_request(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        whole = put("", "{'apiVersion': 'autoscaling/v1', 'kind': 'HorizontalPodAutoscaler'}")
        metadata = put("/metadata", "Object.metadata{name: 'h'}", "add")
        target = "Object.spec.scaleTargetRef{apiVersion: 'a/v1', kind: 'K', name: 'n'}"
        spec = f"Object.spec{{maxReplicas: 7, scaleTargetRef: {target}}}"
        await add_policy(server, f"{whole}, {metadata}, {put('/spec', spec, 'add')}", "v2")
        answer = await server.call("POST", AUTOSCALERS.format("v1"), AUTOSCALER)
        assert answer.status == 201, answer.body
        assert isinstance(answer.body, bytes)
        assert json.loads(answer.body)["spec"]["maxReplicas"] == 7


@pytest.mark.parametrize("ignores", [False, True])
async def test_nothing_is_applied_to_what_has_no_type(tmp_path: Path, ignores: bool) -> None:
    async with in_process.running(tmp_path) as server:
        assert (await server.call("POST", f"{CORE}/pods", POD)).status == 201
        await add_policy(server, APPLIED, ignores=ignores)
        refused = {
            "serviceaccounts/default/token": ("authentication.k8s.io/v1", "TokenRequest"),
            "pods/p/eviction": ("policy/v1", "Eviction"),
        }
        await server.call("POST", f"{CORE}/serviceaccounts", {"metadata": {"name": "default"}})
        for path, (api_version, kind) in refused.items():
            body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": path.split("/")[1]}}
            found = await ask(server, "POST", f"{CORE}/{path}", body)
            assert found == ((201, "") if ignores else (403, f"{UNTYPED}{api_version}, Kind={kind}"))


async def test_nothing_is_applied_to_a_scale(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        labels = {"a": "b"}
        template = {"metadata": {"labels": labels}, "spec": POD["spec"]}
        deployment = {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": labels}, "template": template}}
        path = "/apis/apps/v1/namespaces/default/deployments"
        assert (await server.call("POST", path, deployment)).status == 201
        await add_policy(server, APPLIED, operation="UPDATE")
        merge = "application/merge-patch+json"
        found = await ask(server, "PATCH", f"{path}/d/scale", {"spec": {"replicas": 2}}, content_type=merge)
        assert found == (403, f"{UNTYPED}autoscaling/v1, Kind=Scale")


@pytest.mark.parametrize(
    ("subresource", "expression", "code", "told"),
    [
        ("exec", APPLIED, 403, f"{UNTYPED}/v1, Kind=PodExecOptions"),
        ("exec", put("/bogus", "1", "add"), 500, f'{UNKNOWN}"bogus"'),
        (
            "attach",
            put("/stdin", "'x'", "add"),
            500,
            "json: cannot unmarshal string into Go struct field PodAttachOptions.stdin of type bool",
        ),
        (
            "portforward",
            put("/ports", "['x']", "add"),
            500,
            "json: cannot unmarshal string into Go struct field PodPortForwardOptions.ports of type int32",
        ),
        (
            "proxy",
            put("/kind", "'Pod'"),
            500,
            "failed to convert object: converting (v1.Pod) to (core.PodProxyOptions): unknown conversion",
        ),
        ("exec", put("/container", "'other'", "add"), 400, "container other is not valid for pod p"),
    ],
)
async def test_options_of_connections(tmp_path: Path, subresource: str, expression: str, code: int, told: str) -> None:
    async with in_process.running(tmp_path) as server:
        assert (await server.call("POST", f"{CORE}/pods", POD)).status == 201
        await add_policy(server, expression, operation="CONNECT")
        prefix = "Internal error occurred: " if code == 500 else ""
        assert await ask(server, "GET", f"{CORE}/pods/p/{subresource}") == (code, f"{prefix}{told}")
