"""Objects that were stored by an earlier schema, read by the one that came after it."""

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

GROUP = "changed.example.com"
BASE = f"/apis/{GROUP}/v1/namespaces/default/things"
DEFINITION = f"{definitions.PATH}/things.{GROUP}"
MERGE: dict[str, str | None] = {"Content-Type": "application/merge-patch+json"}
STORED = {
    "kept": "x",
    "dropped": "y",
    "null": None,
    "embedded": {"apiVersion": "v1", "kind": "X", "metadata": {"z": 1}},
}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP))
        thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "old"}, "spec": STORED}
        assert call("POST", BASE, thing).code == 201
        yield call


def change(client: Client, properties: dict[str, Any], **more: Any) -> None:
    """The schema of spec, and wait until it is what objects are read by."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    body = {"spec": {"versions": [definitions.version(schema, **more)]}}
    assert client("PATCH", DEFINITION, json.dumps(body), MERGE).code == 200
    probe = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "probe"}, "spec": {"unknown": 1}}
    wait_for(lambda: "unknown" not in json.loads(client("POST", f"{BASE}?dryRun=All", probe).body)["spec"])


def specs(client: Client) -> list[Any]:
    """As they are read by name, listed and watched."""
    read = json.loads(client("GET", f"{BASE}/old").body)
    (listed,) = json.loads(client("GET", BASE).body)["items"]
    watched = json.loads(client("GET", f"{BASE}?watch=true&timeoutSeconds=1").body.splitlines()[0])["object"]
    return [each["spec"] for each in (read, listed, watched)]


def test_what_a_later_schema_does_not_have_is_not_shown(client: Client) -> None:
    assert specs(client) == [STORED] * 3
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    change(client, {"kept": {"type": "string"}, "null": {"type": "string"}, "embedded": embedded})
    # Nulls that a field may not be are gone too, and what metadata does not have.
    shown = {"kept": "x", "embedded": {"apiVersion": "v1", "kind": "X", "metadata": {}}}
    assert specs(client) == [shown] * 3


def test_field_selectors_see_what_is_read(client: Client) -> None:
    properties = {"kept": {"type": "string"}, "dropped": {"type": "integer"}, "new": {"type": "string", "default": "n"}}
    selectable = [{"jsonPath": f".spec.{name}"} for name in ("kept", "new", "null")]
    change(client, properties | {"null": {"type": "string", "default": "now"}}, selectableFields=selectable)
    for selector, count in (("new=n", 1), ("new!=n", 0), ("null=now", 1), ("kept=x", 1), ("kept=", 0)):
        answer = client("GET", f"{BASE}?fieldSelector=spec.{selector}")
        assert (selector, len(json.loads(answer.body)["items"])) == (selector, count)
