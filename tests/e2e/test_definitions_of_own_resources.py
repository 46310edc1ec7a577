"""Definitions named as resources that the server has of its own: they take nothing of theirs, nor along."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Client
from support.server import Server
from support.waiting import wait_for

pytestmark = pytest.mark.e2e

INGRESSES = "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
MERGE: dict[str, str | None] = {"Content-Type": "application/merge-patch+json"}
HELD = "example.com/held"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things("other.example.com"))
        assert call("POST", INGRESSES, ingress("old")).code == 201
        yield call


def ingress(name: str) -> dict[str, Any]:
    backend = {"service": {"name": "x", "port": {"number": 80}}}
    kind = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress"}
    return {**kind, "metadata": {"name": name}, "spec": {"defaultBackend": backend}}


def define(group: str, plural: str, kind: str, version: str) -> dict[str, Any]:
    obj = definitions.of_things(group, definitions.version(name=version))
    obj["metadata"] = {
        "name": f"{plural}.{group}",
        "annotations": {"api-approved.kubernetes.io": "unapproved"},
        "finalizers": [HELD],
    }
    obj["spec"]["names"] = {"plural": plural, "kind": kind}
    return obj


def condition(client: Client, path: str, kind: str) -> dict[str, Any]:
    found = json.loads(client("GET", path).body)["status"]["conditions"] or []
    return next((each for each in found if each["type"] == kind), {})


def names(client: Client, path: str) -> set[str]:
    return {each["metadata"]["name"] for each in json.loads(client("GET", path).body)["items"]}


@pytest.mark.parametrize("version", ["v1", "v9"])
@pytest.mark.parametrize(
    ("group", "plural", "kind"),
    [
        ("networking.k8s.io", "ingresses", "Ingress"),
        ("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition"),
    ],
)
def test_the_objects_of_the_servers_own_stay(client: Client, group: str, plural: str, kind: str, version: str) -> None:
    path = f"{definitions.PATH}/{plural}.{group}"
    assert client("POST", definitions.PATH, define(group, plural, kind, version)).code == 201
    wait_for(lambda: condition(client, path, "Established").get("status") == "True")
    assert client("GET", f"/apis/{group}/v9/{plural}").code == 404
    resources = json.loads(client("GET", f"/apis/{group}/v1").body)["resources"]
    assert plural in {each["name"] for each in resources}
    assert client("DELETE", path).code == 200
    wait_for(lambda: condition(client, path, "Terminating").get("reason") == "OverlappingBuiltInResource")
    assert condition(client, path, "Terminating")["message"] == "instances overlap with built-in resources in storage"
    assert client("PATCH", path, json.dumps({"metadata": {"finalizers": None}}), MERGE).code == 200
    wait_for(lambda: client("GET", path).code == 404)
    assert names(client, definitions.PATH) == {"things.other.example.com"}
    assert "old" in names(client, INGRESSES)
    name = f"{plural}-{version}"
    assert client("POST", INGRESSES, ingress(name)).code == 201
    assert name in names(client, INGRESSES)
