"""A group that another server serves while that changes: the server dies and returns, a definition takes its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.aggregation import API_SERVICE, World
from support.control import build_definition
from support.extension_server import BASE, GROUP, ITEMS, VERBS
from support.waiting import wait_for

pytestmark = pytest.mark.e2e


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    try:
        made.register()
        wait_for(lambda: (made.aggregated() or {}).get("freshness") == "Current")
        assert made.call("POST", ITEMS, {"metadata": {"name": "one"}})[0] == 201
        yield made
    finally:
        made.close()


def test_it_dies_and_comes_back(world: World) -> None:
    world.extension.stop()
    port = world.extension.port
    status, headers, body = world.call("GET", ITEMS)
    assert (status, headers["content-type"]) == (503, "text/plain; charset=utf-8")
    refused = f"error trying to reach service: dial tcp 127.0.0.1:{port}: connect: connection refused\n"
    assert body.decode() in (refused, "service unavailable\n")
    # A change of the object has it looked at again at once.
    touch = {"metadata": {"annotations": {"touched": "yes"}}}
    merge = "application/merge-patch+json"
    assert world.call("PATCH", API_SERVICE, touch, Content_Type=merge)[0] == 200
    wait_for(lambda: world.condition()["status"] == "False")
    found = world.condition()
    url = f"https://127.0.0.1:{port}{BASE}"
    text = f"dial tcp 127.0.0.1:{port}: connect: connection refused"
    assert found["reason"] == "FailedDiscoveryCheck"
    assert found["message"] == f'failing or missing response from {url}: Get "{url}": {text}'
    assert world.call("GET", ITEMS)[2] == b"service unavailable\n"
    told = f'{{name="v1.{GROUP}",reason="FailedDiscoveryCheck"}} 1'
    metrics = world.call("GET", "/metrics")[2].decode()
    assert f"aggregator_unavailable_apiservice_total{told}\n" in metrics
    assert f'aggregator_unavailable_apiservice{{name="v1.{GROUP}"}} 1\n' in metrics
    assert 'workqueue_depth{name="discovery-manager"}' in metrics
    wait_for(lambda: (world.aggregated() or {}).get("freshness") == "Stale")
    assert (world.aggregated() or {})["resources"], "what was told last stays"
    assert world.call("GET", f"/apis/{GROUP}")[0] == 200
    world.extension.start()
    wait_for(lambda: world.condition()["status"] == "True")
    assert world.call("GET", f"{ITEMS}/one")[0] == 200
    wait_for(lambda: (world.aggregated() or {}).get("freshness") == "Current")


def test_a_definition_of_its_version_waits_for_its_end(world: World) -> None:
    definition = build_definition("flunders", "Flunder", group=GROUP)
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert world.call("POST", path, definition)[0] == 201
    name = definition["metadata"]["name"]

    def is_established() -> bool:
        found = json.loads(world.call("GET", f"{path}/{name}")[2])
        return any(each["type"] == "Established" for each in found["status"]["conditions"] or ())

    wait_for(is_established)
    assert json.loads(world.call("GET", f"{ITEMS}/one")[2])["metadata"] == {"name": "one"}, "the other server's"
    wait_for(lambda: (world.aggregated() or {}).get("freshness") == "Current")
    assert [each["verbs"] for each in (world.aggregated() or {})["resources"]] == [VERBS]
    assert world.call("DELETE", API_SERVICE)[0] == 200
    wait_for(lambda: world.call("GET", f"{ITEMS}/one")[0] == 404)
    assert json.loads(world.call("GET", ITEMS)[2])["items"] == []
    wait_for(lambda: world.condition().get("reason") == "Local")  # the server registers what the definition serves
    assert world.call("DELETE", f"{path}/{name}")[0] == 200
    wait_for(lambda: world.call("GET", API_SERVICE)[0] == 404)
