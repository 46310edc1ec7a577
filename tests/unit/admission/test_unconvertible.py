"""Requests whose object cannot be had in the version that policies or webhooks name: its conversion webhook fails."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process

GROUP = "conv.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
FAILED = f"conversion webhook for {GROUP}/v1, Kind=Thing failed: "
RULE = {"operations": ["*"], "apiGroups": [GROUP], "apiVersions": ["v2"], "resources": ["things"]}
NEVER = [{"name": "never", "expression": "false"}]
LABEL = {
    "patchType": "ApplyConfiguration",
    "applyConfiguration": {"expression": 'Object{metadata: Object.metadata{labels: {"seen": "yes"}}}'},
}
MISSING = {"name": "missing", "parameterNotFoundAction": "Allow"}


@asynccontextmanager
async def running(tmp_path: Path) -> AsyncIterator[in_process.InProcess]:
    """With a definition of two versions."""
    definition = definitions.of_things(GROUP, definitions.version(), definitions.version(name="v2", is_storage=False))
    definition["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"url": "https://127.0.0.1:1/"}, "conversionReviewVersions": ["v1"]},
    }
    async with in_process.running(tmp_path) as server:
        await server.define(definition)
        yield server


async def bind(server: in_process.InProcess, kind: str, name: str, *, param: Any = None, **spec: Any) -> None:
    """A policy that names v2, and its binding."""
    made = {"matchConstraints": {"resourceRules": [RULE]}, **spec}
    bound: dict[str, Any] = {"policyName": name}
    if kind == "validating":
        made = {"validations": [{"expression": "true"}], **made}
        bound["validationActions"] = ["Warn"]
    else:
        made = {"mutations": [LABEL], "reinvocationPolicy": "Never", **made}
    if param is not None:
        made["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
        bound["paramRef"] = param
    for resource, content in (("policies", made), ("policybindings", bound)):
        body = {"metadata": {"name": name}, "spec": content}
        assert (await server.call("POST", f"{ADMISSION}/{kind}admission{resource}", body)).status == 201


async def create(server: in_process.InProcess) -> dict[str, Any]:
    thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a"}}
    answer = await server.call("POST", THINGS, thing)
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return {"code": answer.status, **found}


@pytest.mark.parametrize("conditions", [[], NEVER])
async def test_a_validating_policy_refuses_whatever_its_actions(tmp_path: Path, conditions: list[Any]) -> None:
    async with running(tmp_path) as server:
        await bind(server, "validating", "p", matchConditions=conditions)
        answer = await create(server)
    begin = "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed to configure binding: "
    assert f"{begin}failed to convert object version: {FAILED}" in answer["message"]
    assert (answer["code"], answer["reason"]) == (422, "Invalid")


async def test_a_validating_policy_needs_no_object_without_params(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        await bind(server, "validating", "p", param=MISSING)
        assert (await create(server))["code"] == 201


@pytest.mark.parametrize("more", [{}, {"matchConditions": NEVER}, {"param": MISSING}])
async def test_mutating_policies_refuse(tmp_path: Path, more: dict[str, Any]) -> None:
    async with running(tmp_path) as server:
        await bind(server, "mutating", "p", **more)
        await bind(server, "mutating", "q", **more)
        answer = await create(server)
    assert (answer["code"], answer["reason"]) == (403, "Forbidden")
    told = [cause["message"].partition(FAILED)[0] for cause in answer["details"]["causes"]]
    assert told == [f'policy "{name}" denied request: failed to configure policy: ' for name in "pq"]


@pytest.mark.parametrize("kind", ["validating", "mutating"])
async def test_a_policy_that_may_fail_is_passed_over(tmp_path: Path, kind: str) -> None:
    async with running(tmp_path) as server:
        await bind(server, kind, "p", failurePolicy="Ignore")
        assert (await create(server))["code"] == 201


@pytest.mark.parametrize("conditions", [[], NEVER])
@pytest.mark.parametrize(("kind", "times"), [("validating", 1), ("mutating", 2)])
async def test_a_webhook_is_an_error_of_the_server(
    tmp_path: Path, kind: str, times: int, conditions: list[Any]
) -> None:
    """A mutating one says so twice."""
    webhook = {
        "name": "w.example.com",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "rules": [RULE],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "failurePolicy": "Ignore",
        "matchConditions": conditions,
    }
    async with running(tmp_path) as server:
        body = {"metadata": {"name": "c"}, "webhooks": [webhook]}
        assert (await server.call("POST", f"{ADMISSION}/{kind}webhookconfigurations", body)).status == 201
        answer = await create(server)
    assert answer["code"] == 500
    prefix = "Internal error occurred: "
    assert answer["message"].startswith(prefix * times + FAILED)
    assert answer["details"]["causes"][0]["message"].startswith(prefix * (times - 1) + FAILED)
