"""Namespaces that are deleted while another server holds objects in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.aggregation import API_SERVICE, World
from support.extension_server import BASE, GROUP
from support.waiting import wait_for

pytestmark = pytest.mark.e2e

NAMESPACES = "/api/v1/namespaces"
CURRENT = "Current"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    try:
        made.register()
        wait_for(lambda: (made.aggregated() or {}).get("freshness") == CURRENT)
        assert made.call("POST", NAMESPACES, {"metadata": {"name": "doomed"}})[0] == 201
        yield made
    finally:
        made.close()


def items(namespace: str) -> str:
    return f"{BASE}/namespaces/{namespace}/flunders"


def condition(world: World, kind: str) -> tuple[str, str, str]:
    found = json.loads(world.call("GET", f"{NAMESPACES}/doomed")[2])
    for each in found["status"].get("conditions", ()):
        if each["type"] == kind:
            return each["status"], each["reason"], each["message"]
    return "", "", ""


def test_what_another_server_holds_goes_with_its_namespace(world: World) -> None:
    kept = {"metadata": {"name": "held", "finalizers": ["example.com/hold"]}}
    for namespace in ("doomed", "default"):
        for obj in ({"metadata": {"name": "free"}}, kept):
            assert world.call("POST", items(namespace), obj)[0] == 201
    assert world.call("DELETE", f"{NAMESPACES}/doomed")[0] == 200
    text = f"Some resources are remaining: flunders.{GROUP} has 1 resource instances"
    wait_for(lambda: condition(world, "NamespaceContentRemaining") == ("True", "SomeResourcesRemain", text))
    text = "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    assert condition(world, "NamespaceFinalizersRemaining") == ("True", "SomeFinalizersRemain", text)
    asked = [
        (method, dict(sent)["X-Remote-User"]) for method, path, sent in world.extension.requests if method == "DELETE"
    ]
    assert set(asked) == {("DELETE", "system:serviceaccount:kube-system:namespace-controller")}
    assert world.extension.find("doomed", "free") is None
    world.extension.find("doomed", "held")["metadata"]["finalizers"] = []
    wait_for(lambda: world.call("GET", f"{NAMESPACES}/doomed")[0] == 404)
    assert world.extension.list("doomed")["items"] == []
    assert len(world.extension.list("default")["items"]) == 2


def test_a_server_that_is_down_holds_the_namespace(world: World) -> None:
    world.extension.stop()
    touch = {"metadata": {"annotations": {"touched": "yes"}}}
    assert world.call("PATCH", API_SERVICE, touch, Content_Type="application/merge-patch+json")[0] == 200
    wait_for(lambda: (world.aggregated() or {}).get("freshness") == "Stale")
    assert world.call("DELETE", f"{NAMESPACES}/doomed")[0] == 200
    version = f"{GROUP}/v1"
    text = (
        "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: "
        f"{version}: stale GroupVersion discovery: {version}"
    )
    wait_for(lambda: condition(world, "NamespaceDeletionDiscoveryFailure") == ("True", "DiscoveryFailed", text))
    assert condition(world, "NamespaceDeletionContentFailure")[:2] == ("False", "ContentDeleted")
    assert world.call("DELETE", API_SERVICE)[0] == 200
    wait_for(lambda: world.call("GET", f"{NAMESPACES}/doomed")[0] == 404)
