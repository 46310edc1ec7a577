"""Bad values whose types Go has names for, or that are behind pointers, are shown as JSON; plain texts are quoted.

Source: apimachinery/pkg/util/validation/field/errors.go (ErrorBody), and the types of what each check is given.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import in_process

ODD = "a>b"
AS_JSON = '"a\\u003eb"'
CORE = "/api/v1/namespaces/default"
TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}
MERGE = "application/merge-patch+json"


def pod(**container: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i", **container}]}}


def service(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}], **spec}}


NEW = {
    "the name of a resource": (f"{CORE}/pods", pod(resources={"limits": {ODD: "1"}})),
    "a resource that is resized": (
        f"{CORE}/pods",
        pod(resizePolicy=[{"resourceName": ODD, "restartPolicy": "NotRequired"}] * 2),
    ),
    "a family of addresses": (f"{CORE}/services", service(ipFamilies=[ODD, ODD])),
    "who may send traffic": (f"{CORE}/services", service(externalTrafficPolicy=ODD)),
    "a type of limits": (f"{CORE}/limitranges", {"metadata": {"name": "a"}, "spec": {"limits": [{"type": ODD}] * 2}}),
    "what a quota limits": (f"{CORE}/resourcequotas", {"metadata": {"name": "a"}, "spec": {"hard": {ODD: "1"}}}),
    "a name of ports": (
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
        {"metadata": {"name": "a"}, "addressType": "IPv4", "endpoints": [], "ports": [{"name": ODD, "port": 1}] * 2},
    ),
}


async def post(server: in_process.InProcess, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await server.call("POST", path, body)
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return found


@pytest.mark.parametrize("name", NEW)
async def test_new_objects(tmp_path: Path, name: str) -> None:
    path, body = NEW[name]
    async with in_process.running(tmp_path) as server:
        refused = await post(server, path, body)
        assert refused["reason"] == "Invalid"
        assert AS_JSON in refused["message"]


CHANGED = {
    "the type of a secret": (f"{CORE}/secrets", {}, "", {"type": ODD}),
    "the class of a balancer": (
        f"{CORE}/services",
        service(type="LoadBalancer", loadBalancerClass="x")["spec"],
        "spec",
        {"loadBalancerClass": ODD},
    ),
    "who manages a job": (
        "/apis/batch/v1/namespaces/default/jobs",
        {"template": TEMPLATE},
        "spec",
        {"managedBy": ODD},
    ),
    "which indexes failed": (
        "/apis/batch/v1/namespaces/default/jobs",
        {
            "completionMode": "Indexed",
            "completions": 2,
            "backoffLimitPerIndex": 1,
            "template": TEMPLATE,
        },
        "status",
        {"failedIndexes": ODD},
    ),
}


@pytest.mark.parametrize("name", CHANGED)
async def test_a_changed_value_is_told_as_json(tmp_path: Path, name: str) -> None:
    path, spec, member, change = CHANGED[name]
    async with in_process.running(tmp_path) as server:
        made = await post(server, path, {"metadata": {"name": "a"}, **({"spec": spec} if spec else {})})
        assert "status" not in made or made["status"] != "Failure", made
        address = f"{path}/a/status" if member == "status" else f"{path}/a"
        answer = await server.call("PATCH", address, {member: change} if member else change, MERGE)
        assert isinstance(answer.body, bytes)
        assert answer.status == 422
        assert AS_JSON in json.loads(answer.body)["message"]
