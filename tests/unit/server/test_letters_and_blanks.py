"""Rules on clients' text take letters, blanks and printable characters as Go does, not as Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import in_process

SPACED = "/api/v1/namespaces/default"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
LINKED = "\U0001f6dc"  # printable since Unicode 15.0


def definition(schema: dict[str, Any] | None = None, kind: str = "X", **version: Any) -> dict[str, Any]:
    root = {"type": "object", "properties": {"spec": {"type": "object", **(schema or {})}}}
    served = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": root}, **version}
    names = {"plural": "xs", "kind": kind}
    spec = {"group": "a.dev", "scope": "Namespaced", "names": names, "versions": [served]}
    return {"metadata": {"name": "xs.a.dev"}, "spec": spec}


def rule(**members: str) -> dict[str, Any]:
    return {"properties": {"a": {"type": "string"}}, "x-kubernetes-validations": [{"rule": "has(self.a)", **members}]}


def pod(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "c", "image": "i", **(container or {})}], **spec},
    }


def annotation_of_itself(key: str) -> dict[str, Any]:
    return pod({"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{key}']"}}}]})


def storage_class(provisioner: str) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "provisioner": provisioner}


def node(driver: str) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "spec": {"drivers": [{"name": driver, "nodeID": "a"}]}}


def balanced(ranges: str) -> dict[str, Any]:
    spec = {"type": "LoadBalancer", "ports": [{"port": 1}], "loadBalancerSourceRanges": [ranges]}
    return {"metadata": {"name": "a"}, "spec": spec}


def iscsi(name: str) -> dict[str, Any]:
    return pod(volumes=[{"name": "v", "iscsi": {"targetPortal": "a", "iqn": f"iqn.2001-04.com.a:{name}", "lun": 0}}])


TAKEN = [
    (f"{SPACED}/configmaps", {"metadata": {"name": "a", "annotations": {"\u0130": "b"}}}),
    ("/apis/storage.k8s.io/v1/storageclasses", storage_class("a.b/\u0130")),
    ("/apis/storage.k8s.io/v1/csinodes", node("a\u0130")),
    (f"{SPACED}/pods", annotation_of_itself("\u0130")),
    (f"{SPACED}/pods", iscsi("b\u00a0\x1c")),
    (f"{SPACED}/pods", pod({"image": "\x1c"})),
    (DEFINITIONS, definition(kind="\u0130x")),
    (DEFINITIONS, definition(rule(message="\x1f"))),
    (DEFINITIONS, definition(deprecated=True, deprecationWarning=LINKED)),
]

REFUSED = [
    (f"{SPACED}/services", balanced("1.0.0.0/8\x1c"), "must be a valid CIDR value"),
    (f"{SPACED}/pods", iscsi("b c"), "must be valid format"),
    (DEFINITIONS, definition(rule(rule="\x1c")), "token recognition error"),
    (DEFINITIONS, definition(rule(messageExpression="\x1d")), "token recognition error"),
    (DEFINITIONS, definition(rule(rule=" ")), "rule is not specified"),
    (f"{SPACED}/configmaps", {"metadata": {"name": "a"}, "data": {LINKED: ""}}, f'Invalid value: "{LINKED}"'),
]


@pytest.mark.parametrize(("path", "body"), TAKEN)
async def test_what_go_takes_is_taken(tmp_path: Path, path: str, body: dict[str, Any]) -> None:
    async with in_process.running(tmp_path) as server:
        answer = await server.call("POST", f"{path}?dryRun=All&fieldManager=%F0%9F%9B%9C", body)
        assert answer.status == 201, answer.body


@pytest.mark.parametrize(("path", "body", "text"), REFUSED)
async def test_what_go_refuses_is_refused(tmp_path: Path, path: str, body: dict[str, Any], text: str) -> None:
    async with in_process.running(tmp_path) as server:
        answer = await server.call("POST", f"{path}?dryRun=All", body)
        assert answer.status == 422
        assert isinstance(answer.body, bytes)
        assert text in json.loads(answer.body)["message"]
