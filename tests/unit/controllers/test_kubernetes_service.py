"""The service by which pods find the server is there from the start, and comes back."""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.kubernetesservice import INTERVAL_S
from quarterdeck.registry.scope import Scope
from support.control import World


def services(world: World) -> Scope:
    return world.builtin["", "v1", "services"][""]


def find(world: World) -> dict[str, Any] | None:
    entry = services(world).store.cache.get("default", "kubernetes")
    return json_codec.load(entry.data) if entry is not None else None


async def test_it_is_made_at_the_first_address() -> None:
    world = await World().start()
    found = find(world)
    assert found is not None
    assert found["metadata"]["labels"] == {"component": "apiserver", "provider": "kubernetes"}
    assert found["spec"] == {
        "ports": [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": 6443}],
        "clusterIP": "10.0.0.1",
        "clusterIPs": ["10.0.0.1"],
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "internalTrafficPolicy": "Cluster",
    }
    (owner,) = found["metadata"]["managedFields"]
    assert (owner["manager"], owner["operation"]) == ("kube-apiserver", "Update")
    assert sorted(owner["fieldsV1"]["f:spec"]) == [
        "f:clusterIP",
        "f:internalTrafficPolicy",
        "f:ipFamilyPolicy",
        "f:ports",
        "f:sessionAffinity",
        "f:type",
    ]


async def test_it_comes_back_after_a_while() -> None:
    world = await World().start()
    await world.settle()
    await world.delete(services(world), "default", "kubernetes")
    await world.settle()
    assert find(world) is None
    await world.settle(INTERVAL_S)
    assert find(world) is not None


async def test_its_ports_and_type_are_set_right_at_the_start_only() -> None:
    world = await World().start()

    def spoil(obj: dict[str, Any]) -> None:
        obj["spec"]["ports"][0]["targetPort"] = 1
        obj["metadata"]["labels"]["mine"] = "1"

    await world.change(services(world), "default", "kubernetes", spoil)
    await world.settle(INTERVAL_S)
    found = find(world)
    assert found is not None
    assert found["spec"]["ports"][0]["targetPort"] == 1
    again = await World(world.store).start()
    found = find(again)
    assert found is not None
    assert found["spec"]["ports"][0]["targetPort"] == 6443
    assert found["metadata"]["labels"]["mine"] == "1"
    revision = again.store.revision
    await World(again.store).start()
    assert again.store.revision == revision, "what is right is not written again"
