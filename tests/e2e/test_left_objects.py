"""Objects of a definition that went without waiting for them: they stay stored, for the next one of their resource."""

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

GROUP = "left.example.com"
DEFINITION = f"{definitions.PATH}/things.{GROUP}"
MERGE: dict[str, str | None] = {"Content-Type": "application/merge-patch+json"}
WITHOUT_FINALIZERS = json.dumps({"metadata": {"finalizers": None}})


def path(version: str) -> str:
    return f"/apis/{GROUP}/{version}/namespaces/default/things"


@pytest.fixture
def client() -> Iterator[Client]:
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP))
        metadata = {"name": "old", "finalizers": ["example.com/held"]}
        thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": metadata, "spec": {"a": "x", "b": 1}}
        assert call("POST", path("v1"), thing).code == 201
        assert call("DELETE", DEFINITION).code == 200
        wait_for(lambda: "deletionTimestamp" in call("GET", f"{path('v1')}/old").text)
        assert call("PATCH", DEFINITION, WITHOUT_FINALIZERS, MERGE).code == 200
        wait_for(lambda: call("GET", DEFINITION).code == 404)
        assert call("GET", path("v1")).code == 404
        yield call


def client_text(client: Client) -> str:
    return client("GET", DEFINITION).text


def shown(client: Client, version: str) -> list[tuple[str, Any]]:
    """The object as it is listed, read by name and watched."""
    (listed,) = json.loads(client("GET", path(version)).body)["items"]
    read = json.loads(client("GET", f"{path(version)}/old").body)
    lines = client("GET", f"{path(version)}?watch=true&timeoutSeconds=1").body.splitlines()
    watched = json.loads(lines[0])["object"]
    return [(each["apiVersion"], each["spec"]) for each in (listed, read, watched)]


def test_the_next_definition_has_them(client: Client) -> None:
    definitions.install(client, definitions.of_things(GROUP))
    assert shown(client, "v1") == [(f"{GROUP}/v1", {"a": "x", "b": 1})] * 3
    assert client("PATCH", f"{path('v1')}/old", WITHOUT_FINALIZERS, MERGE).code == 200
    assert json.loads(client("GET", path("v1")).body)["items"] == []


def test_they_are_read_by_the_next_schema_and_in_its_versions(client: Client) -> None:
    spec = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = {"type": "object", "properties": {"spec": spec}}
    storage = definitions.version(schema, "v2", selectableFields=[{"jsonPath": ".spec.a"}])
    old = definitions.version(schema, "v1", is_storage=False, selectableFields=[{"jsonPath": ".spec.a"}])
    definitions.install(client, definitions.of_things(GROUP, storage, old))
    assert shown(client, "v2") == [(f"{GROUP}/v2", {"a": "x"})] * 3
    for selector, count in (("spec.a=x", 1), ("spec.a=y", 0)):
        answer = client("GET", f"{path('v2')}?fieldSelector={selector}")
        assert (selector, len(json.loads(answer.body)["items"])) == (selector, count)


def test_they_go_with_the_next_definition(client: Client) -> None:
    definitions.install(client, definitions.of_things(GROUP))
    assert client("DELETE", DEFINITION).code == 200
    wait_for(lambda: "InstanceDeletionInProgress" in client_text(client))
    assert client("PATCH", f"{path('v1')}/old", WITHOUT_FINALIZERS, MERGE).code == 200
    wait_for(lambda: client("GET", DEFINITION).code == 404)
    definitions.install(client, definitions.of_things(GROUP))
    assert json.loads(client("GET", path("v1")).body)["items"] == []
