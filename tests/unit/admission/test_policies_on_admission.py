"""Policies judge configurations of webhooks, as anything else, but no policies and no bindings."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from support import in_process

GROUP = "/apis/admissionregistration.k8s.io/v1"
EVERYTHING = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}
LABEL = 'Object{metadata: Object.metadata{labels: {"seen": "yes"}}}'


async def add(server: in_process.InProcess, kind: str, name: str, spec: dict[str, Any], **bound: Any) -> None:
    policy = {"metadata": {"name": name}, "spec": {"matchConstraints": {"resourceRules": [EVERYTHING]}, **spec}}
    assert (await server.call("POST", f"{GROUP}/{kind}admissionpolicies", policy)).status == 201
    binding = {"metadata": {"name": name}, "spec": {"policyName": name, **bound}}
    assert (await server.call("POST", f"{GROUP}/{kind}admissionpolicybindings", binding)).status == 201


def test_policies_judge_configurations_of_webhooks(tmp_path: Path) -> None:
    async def body() -> None:
        async with in_process.running(tmp_path) as server:
            labelling = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": LABEL}}
            spec = {"mutations": [labelling], "reinvocationPolicy": "Never", "failurePolicy": "Fail"}
            await add(server, "mutating", "label", spec)
            for kind in ("validating", "mutating"):
                answer = await server.call("POST", f"{GROUP}/{kind}webhookconfigurations", {"metadata": {"name": "a"}})
                assert answer.status == 201, answer.body
                assert json.loads(answer.body)["metadata"]["labels"] == {"seen": "yes"}
            spec = {"validations": [{"expression": "object.metadata.name != 'b'"}]}
            await add(server, "validating", "refuse", spec, validationActions=["Deny"])
            for kind in ("validating", "mutating"):
                answer = await server.call("POST", f"{GROUP}/{kind}webhookconfigurations", {"metadata": {"name": "b"}})
                assert answer.status == 422, answer.body
                await add(
                    server,
                    kind,
                    "b",
                    {"validations": [{"expression": "true"}]}
                    if kind == "validating"
                    else {"mutations": [labelling], "reinvocationPolicy": "Never"},
                    **({"validationActions": ["Deny"]} if kind == "validating" else {}),
                )

    asyncio.run(body())
