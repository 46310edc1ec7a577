"""Owners and dependents through a real server: the three policies, a restart in between, custom resources."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.server import Server
from support.waiting import PATIENCE_S, wait_for

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
WIDGETS = "/apis/garbage.example.com/v1/widgets"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def call(server: Server, method: str, path: str, body: Any = None, kind: str = "application/json") -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": kind})
        answer = connection.getresponse()
        data = answer.read()
        return answer.status, json.loads(data) if answer.headers.get_content_type() == "application/json" else data
    finally:
        connection.close()


def merge(server: Server, path: str, body: Any) -> None:
    code, answer = call(server, "PATCH", path, body, "application/merge-patch+json")
    assert code == 200, answer


def refer(owner: Any, *, blocks: bool = False) -> dict[str, Any]:
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": blocks,
    }


def create(server: Server, name: str, owners: tuple[Any, ...] = (), finalizers: tuple[str, ...] = ()) -> Any:
    metadata = {"name": name, "ownerReferences": list(owners), "finalizers": list(finalizers)}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    code, answer = call(server, "POST", CONFIG_MAPS, body)
    assert code == 201, answer
    return answer


def find(server: Server, name: str) -> Any:
    code, answer = call(server, "GET", f"{CONFIG_MAPS}/{name}")
    return answer if code == 200 else None


def delete(server: Server, name: str, policy: str) -> None:
    code, answer = call(server, "DELETE", f"{CONFIG_MAPS}/{name}?propagationPolicy={policy}")
    assert code == 200, answer


def test_background_takes_the_whole_chain(server: Server) -> None:
    owner = create(server, "b-owner")
    dependent = create(server, "b-dependent", (refer(owner),))
    create(server, "b-leaf", (refer(dependent),))
    delete(server, "b-owner", "Background")
    wait_for(lambda: find(server, "b-leaf") is None and find(server, "b-dependent") is None)


def test_foreground_waits_for_blocking_dependents(server: Server) -> None:
    owner = create(server, "f-owner")
    dependent = create(server, "f-dependent", (refer(owner, blocks=True),))
    create(server, "f-leaf", (refer(dependent, blocks=True),), ("example.com/hold",))
    delete(server, "f-owner", "Foreground")
    wait_for(lambda: "deletionTimestamp" in find(server, "f-leaf")["metadata"])
    assert find(server, "f-owner")["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert find(server, "f-dependent")["metadata"]["finalizers"] == ["foregroundDeletion"]
    merge(server, f"{CONFIG_MAPS}/f-leaf", {"metadata": {"finalizers": None}})
    wait_for(lambda: not any(find(server, name) for name in ("f-owner", "f-dependent", "f-leaf")))


def test_orphans_lose_their_owner_and_stay(server: Server) -> None:
    owner, other = create(server, "o-owner"), create(server, "o-other")
    create(server, "o-alone", (refer(owner),))
    create(server, "o-both", (refer(owner), refer(other)))
    delete(server, "o-owner", "Orphan")
    wait_for(lambda: find(server, "o-owner") is None)
    assert "ownerReferences" not in find(server, "o-alone")["metadata"]
    assert [one["name"] for one in find(server, "o-both")["metadata"]["ownerReferences"]] == ["o-other"]


def test_revisions_are_orphaned_however_they_are_spelled(server: Server) -> None:
    owner = create(server, "r-owner")
    revisions = "/apis/apps/v1/namespaces/default/controllerrevisions"
    metadata = {"name": "r", "ownerReferences": [refer(owner)]}
    code, made = call(server, "POST", revisions, {"metadata": metadata, "data": {"b": 1, "a": [2, 3]}, "revision": 1})
    assert code == 201, made
    delete(server, "r-owner", "Orphan")
    wait_for(lambda: find(server, "r-owner") is None)
    code, kept = call(server, "GET", f"{revisions}/r")
    assert (code, kept["data"], "ownerReferences" in kept["metadata"]) == (200, made["data"], False)


def test_a_dependent_of_an_unknown_kind_stays_until_the_kind_is_served(server: Server) -> None:
    stranger = {"apiVersion": "garbage.example.com/v1", "kind": "Widget", "name": "w", "uid": "no-such-uid"}
    create(server, "k-dependent", (stranger,))
    create(server, "k-other", ({**stranger, "apiVersion": "v1", "kind": "ConfigMap"},))
    wait_for(lambda: find(server, "k-other") is None)
    assert find(server, "k-dependent") is not None
    define_widgets(server)
    wait_for(lambda: find(server, "k-dependent") is None)


def define_widgets(server: Server) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    spec = {"group": "garbage.example.com", "scope": "Cluster", "names": names, "versions": [version]}
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.garbage.example.com"},
        "spec": spec,
    }
    call(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)
    wait_for(lambda: call(server, "GET", WIDGETS)[0] == 200)


def test_deleting_a_definition_collects_the_dependents_of_its_objects(server: Server) -> None:
    define_widgets(server)
    body = {"apiVersion": "garbage.example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}
    code, widget = call(server, "POST", WIDGETS, body)
    assert code == 201, widget
    for number in range(20):
        create(server, f"d-{number}", (refer(widget),))
    call(server, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.garbage.example.com")
    wait_for(lambda: not any(find(server, f"d-{number}") for number in range(20)))


def test_deletions_that_a_crash_interrupted_are_finished(server: Server) -> None:
    owner = create(server, "r-owner")
    create(server, "r-dependent", (refer(owner, blocks=True),), ("example.com/hold",))
    gone = create(server, "r-gone")
    for number in range(30):
        create(server, f"r-{number}", (refer(gone),))
    delete(server, "r-owner", "Foreground")
    delete(server, "r-gone", "Background")
    server.kill()
    server.start()
    wait_for(lambda: not any(find(server, f"r-{number}") for number in range(30)))
    assert find(server, "r-owner")["metadata"]["finalizers"] == ["foregroundDeletion"]
    merge(server, f"{CONFIG_MAPS}/r-dependent", {"metadata": {"finalizers": None}})
    wait_for(lambda: find(server, "r-owner") is None and find(server, "r-dependent") is None)
