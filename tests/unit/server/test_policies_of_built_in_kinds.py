"""What policies make of built-in objects is read as upstream reads it, and what they may ask of whom."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process
from support.in_process import InProcess
from support.waiting import PATIENCE_S

POLICIES = "/apis/admissionregistration.k8s.io/v1"
CORE = "/api/v1/namespaces/default"
GROUP = "mutated.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MERGE = "application/merge-patch+json"
OF_CUSTOM = "request to convert CR to an invalid group/version: autoscaling/v1"
UNTYPED = (
    "error applying patch: failed to convert patch object to typed object: no corresponding type for autoscaling/v1, "
    "Kind=Scale"
)
ALLOWED = "authorizer.group('').resource('pods').namespace('default').check('get').allowed()"


async def add_policy(server: InProcess, kind: str, group: str, resource: str, version: str = "*", **spec: Any) -> None:
    rule = {"apiGroups": [group], "apiVersions": [version], "operations": ["CREATE", "UPDATE"], "resources": [resource]}
    match = {"resourceRules": [rule]}
    bound = {"validationActions": ["Deny"]} if kind == "Validating" else {}
    for name, members in (
        (f"{kind}AdmissionPolicy", {"matchConstraints": match, **spec}),
        (f"{kind}AdmissionPolicyBinding", {"policyName": "p", **bound}),
    ):
        body = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": name,
            "metadata": {"name": "p"},
            "spec": members,
        }
        plural = f"{name.lower()}s" if name.endswith("Binding") else f"{name.lower()[:-1]}ies"
        answer = await server.call("POST", f"{POLICIES}/{plural}", body)
        assert answer.status == 201, answer.body


async def mutate(
    server: InProcess, group: str, resource: str, expression: str, policy: str = "Fail", version: str = "*"
) -> None:
    is_patch = expression.startswith("[")
    member = {"jsonPatch" if is_patch else "applyConfiguration": {"expression": expression}}
    mutation = {"patchType": "JSONPatch" if is_patch else "ApplyConfiguration", **member}
    await add_policy(
        server,
        "Mutating",
        group,
        resource,
        version,
        mutations=[mutation],
        reinvocationPolicy="Never",
        failurePolicy=policy,
    )


async def tell(
    server: InProcess, method: str, path: str, body: dict[str, Any], content_type: str = in_process.JSON
) -> Any:
    answer = await server.call(method, path, body, content_type)
    assert isinstance(answer.body, bytes)
    return json.loads(answer.body)


def thing_with_scale() -> dict[str, Any]:
    replicas = {"type": "object", "properties": {"replicas": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"spec": replicas, "status": replicas}}
    paths = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    return definitions.of_things(GROUP, definitions.version(schema, subresources={"scale": paths}))


@pytest.mark.parametrize(
    ("expression", "refusal"),
    [
        ("Object{spec: Object.spec{replicas: 3}}", UNTYPED),
        ("Object{}", UNTYPED),
        ("[JSONPatch{op: 'replace', path: '/spec/replicas', value: 3}]", OF_CUSTOM),
        ("[JSONPatch{op: 'replace', path: '/spec/replicas', value: 'x'}]", OF_CUSTOM),
        ("[JSONPatch{op: 'replace', path: '/kind', value: 'Thing'}]", OF_CUSTOM),
        (
            "[JSONPatch{op: 'replace', path: '/apiVersion', value: 'a/v1'}]",
            'a/v1, Kind=Scale is unstructured and is not suitable for converting to "autoscaling/v1"',
        ),
        ("[JSONPatch{op: 'test', path: '/spec/replicas', value: 7}]", ""),
    ],
)
@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
async def test_the_scale_of_a_custom_resource_is_not_mutated(
    tmp_path: Path, expression: str, refusal: str, policy: str
) -> None:
    async with in_process.running(tmp_path) as server:
        await server.define(thing_with_scale())
        thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "w"}, "spec": {"replicas": 1}}
        assert (await server.call("POST", THINGS, thing)).status == 201
        await mutate(server, GROUP, "things/scale", expression, policy)
        told = await tell(server, "PATCH", f"{THINGS}/w/scale", {"spec": {"replicas": 2}}, MERGE)
        if refusal and policy == "Fail":
            assert (told["code"], told["reason"]) == (403, "Invalid")
            assert told["message"] == f"policy 'p' with binding 'p' denied request: {refusal}"
        else:
            assert told["spec"] == {"replicas": 2}


async def test_the_scale_of_a_deployment_is_mutated(tmp_path: Path) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    path = "/apis/apps/v1/namespaces/default/deployments"
    async with in_process.running(tmp_path) as server:
        assert (await server.call("POST", path, {"metadata": {"name": "d"}, "spec": spec})).status == 201
        expression = "[JSONPatch{op: 'replace', path: '/spec/replicas', value: 3}]"
        await mutate(server, "apps", "deployments/scale", expression)
        told = await tell(server, "PATCH", f"{path}/d/scale", {"spec": {"replicas": 2}}, MERGE)
        assert told["spec"] == {"replicas": 3}


@pytest.mark.parametrize(("path", "field"), [("/spec", "spec"), ("/metadata/nope", "metadata.nope"), ("/nope", "nope")])
@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
async def test_an_unknown_field_of_a_patch_is_an_error(tmp_path: Path, path: str, field: str, policy: str) -> None:
    async with in_process.running(tmp_path) as server:
        await mutate(server, "", "configmaps", f"[JSONPatch{{op: 'add', path: '{path}', value: 'x'}}]", policy)
        told = await tell(server, "POST", f"{CORE}/configmaps", {"metadata": {"name": "m"}})
        assert (told["code"], told["reason"]) == (500, "InternalError")
        assert told["message"] == f'Internal error occurred: strict decoding error: unknown field "{field}"'


@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
async def test_a_configuration_that_does_not_fit_its_type_is_a_failure_of_the_policy(
    tmp_path: Path, policy: str
) -> None:
    async with in_process.running(tmp_path) as server:
        await mutate(server, "", "secrets", "Object{data: Object.data{k: 'not base64!'}}", policy)
        told = await tell(server, "POST", f"{CORE}/secrets", {"metadata": {"name": "s"}})
        if policy == "Ignore":
            assert told["kind"] == "Secret"
            assert "data" not in told
            return
        inner = "error decoding from json: illegal base64 data at input byte 3"
        assert (told["code"], told["reason"]) == (403, "Invalid")
        assert told["message"] == (
            "policy 'p' with binding 'p' denied request: unable to convert unstructured object to /v1, "
            f"Kind=Secret: {inner}"
        )


async def until_refused(server: InProcess, name: str) -> Any:
    """The policy is compiled at once, but in force a moment later."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            told = await tell(server, "POST", f"{CORE}/configmaps", {"metadata": {"generateName": name}})
            if told["kind"] == "Status":
                return told
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("is_variable", [False, True])
async def test_annotations_may_name_an_authorizer_that_is_not_there(tmp_path: Path, is_variable: bool) -> None:
    text = f"{ALLOWED} ? 'yes' : 'no'"
    variables = [{"name": "v", "expression": text}] if is_variable else []
    annotation = {"key": "k", "valueExpression": "variables.v" if is_variable else text}
    async with in_process.running(tmp_path) as server:
        await add_policy(server, "Validating", "", "configmaps", variables=variables, auditAnnotations=[annotation])
        told = await until_refused(server, "a-")
        reason = "no such attribute(s): authorizer"
        if is_variable:
            reason = f'composited variable "v" fails to evaluate: {reason}'
        assert told["code"] == 422
        assert told["message"].endswith(f"resulted in error: {reason}")


async def test_messages_know_no_authorizer(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        validation = {
            "expression": "!variables.v",
            "messageExpression": "'m ' + string(variables.v)",
            "message": "plain",
        }
        await add_policy(
            server,
            "Validating",
            "",
            "configmaps",
            variables=[{"name": "v", "expression": ALLOWED}],
            validations=[validation],
        )
        told = await until_refused(server, "m-")
        assert told["message"].endswith("denied request: plain")


async def test_a_request_seen_as_any_value_has_what_go_writes(tmp_path: Path) -> None:
    conditions = ("dyn(request).uid == ''", "has(dyn(request).object)", "dyn(request).oldObject == null", "false")
    async with in_process.running(tmp_path) as server:
        await add_policy(
            server, "Validating", "", "configmaps", validations=[{"expression": each} for each in conditions]
        )
        told = await until_refused(server, "r-")
        assert told["message"].endswith("denied request: failed expression: false")


LABELLED = 'Object{metadata: Object.metadata{labels: {"a": "b"}}}'
PATCHED = '[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]'


@pytest.mark.parametrize("expression", [LABELLED, PATCHED])
@pytest.mark.parametrize(("version", "is_refused"), [("v1", True), ("v2", False)])
async def test_what_is_made_in_another_version_is_not_brought_back(
    tmp_path: Path, expression: str, version: str, is_refused: bool
) -> None:
    """It would have lost what that version does not have."""
    async with in_process.running(tmp_path) as server:
        await mutate(server, "autoscaling", "horizontalpodautoscalers", expression, version=version)
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
        behavior = {"scaleDown": {"stabilizationWindowSeconds": 5}}
        body = {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "a"},
            "spec": {"scaleTargetRef": target, "maxReplicas": 5, "behavior": behavior},
        }
        path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
        told = await tell(server, "POST", path, body)
        if is_refused:
            assert told["code"] == 403
            assert told["message"].endswith(
                "converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown conversion"
            )
        else:
            assert told["metadata"]["labels"] == {"a": "b"}
            assert told["spec"]["behavior"]["scaleDown"]["stabilizationWindowSeconds"] == 5
