"""The status of quotas tells what is used: at the start, when something goes or uses less, and from time to time."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.controllers import names
from quarterdeck.controllers.optional import quotas, quotausage
from quarterdeck.registry.strategy import Object
from support.control import World
from support.optional_controllers import add, find, kept, start

DEVICES = "nic.deviceclass.resource.k8s.io/devices"


async def limit(world: World, name: str, hard: dict[str, str], **spec: Any) -> None:
    metadata = {"name": name, "namespace": "default"}
    await add(
        world, "resourcequotas", apiVersion="v1", kind="ResourceQuota", metadata=metadata, spec={"hard": hard, **spec}
    )
    await world.settle(1)


def used(world: World, name: str = "q") -> dict[str, str]:
    status = kept(world, "resourcequotas", "default", name)["status"]
    assert status["hard"] == kept(world, "resourcequotas", "default", name)["spec"]["hard"]
    found: dict[str, str] = status["used"]
    return found


async def add_pod(world: World, name: str, namespace: str = "default", **spec: Any) -> None:
    metadata = {"name": name, "namespace": namespace}
    resources = {"requests": {"cpu": "500m", "memory": "64Mi"}}
    containers = [{"name": "c", "image": "i", "resources": resources}]
    await add(world, "pods", apiVersion="v1", kind="Pod", metadata=metadata, spec={"containers": containers, **spec})


async def remove(world: World, resource: str, name: str, group: str = "") -> None:
    await world.delete(world.builtin[group, "v1", resource][""], "default", name)
    await world.settle(1)


async def test_a_new_quota_is_told_what_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotausage, "STEP_OBJECTS", 2)
    world = await start(names.RESOURCE_QUOTA)
    for number in range(5):
        await add_pod(world, f"p{number}")
    await add_pod(world, "elsewhere", "kube-system")
    await limit(
        world, "q", {"pods": "9", "requests.cpu": "4", "requests.memory": "1Gi", "services": "2", "a.dev/x": "1"}
    )
    assert used(world) == {"pods": "5", "requests.cpu": "2500m", "requests.memory": "320Mi", "services": "1"}


async def test_what_goes_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await start(names.RESOURCE_QUOTA)
    await limit(world, "q", {"pods": "9", "cpu": "4", "count/pods": "9", "services.nodeports": "9", "configmaps": "3"})
    for name in ("a", "b", "c"):
        await add_pod(world, name)
    metadata = {"name": "web", "namespace": "default"}
    spec = {"type": "NodePort", "ports": [{"port": 1}]}
    await add(world, "services", apiVersion="v1", kind="Service", metadata=metadata, spec=spec)
    await world.settle(1)
    assert used(world)["pods"] == "0", "what is added is charged by admission, which has not run"
    await remove(world, "pods", "a")
    assert used(world) == {"pods": "2", "cpu": "1", "count/pods": "2", "services.nodeports": "1", "configmaps": "0"}

    def finish(obj: Object) -> None:
        obj["status"] = {**(obj.get("status") or {}), "phase": "Succeeded"}

    await world.change(world.builtin["", "v1", "pods"]["status"], "default", "b", finish)
    await world.settle(1)
    assert used(world)["pods"] == "1"
    assert used(world)["count/pods"] == "2", "it is there still"

    def hide(obj: Object) -> None:
        obj["spec"]["type"] = "ClusterIP"
        obj["spec"]["ports"][0].pop("nodePort", None)

    await world.change(world.builtin["", "v1", "services"][""], "default", "web", hide)
    await world.settle(1)
    assert used(world)["services.nodeports"] == "0"


async def test_what_does_not_change_is_not_written() -> None:
    world = await start(names.RESOURCE_QUOTA)
    await add_pod(world, "a")
    await limit(world, "q", {"pods": "9"})
    before = kept(world, "resourcequotas", "default", "q")["metadata"]["resourceVersion"]
    await world.settle(3 * quotas.RESYNC_S)
    metadata = {"name": "m", "namespace": "default"}
    await add(world, "configmaps", apiVersion="v1", kind="ConfigMap", metadata=metadata)
    await remove(world, "configmaps", "m")
    assert kept(world, "resourcequotas", "default", "q")["metadata"]["resourceVersion"] == before


async def test_other_limits_and_what_was_charged_in_vain() -> None:
    world = await start(names.RESOURCE_QUOTA)
    await add_pod(world, "a")
    await limit(world, "q", {"pods": "9"})

    def more(obj: Object) -> None:
        obj["spec"]["hard"] = {"count/pods": "3", "secrets": "3"}

    await world.change(world.builtin["", "v1", "resourcequotas"][""], "default", "q", more)
    await world.settle(1)
    assert used(world) == {"count/pods": "1", "secrets": "0"}

    def charge(obj: Object) -> None:
        obj["status"]["used"]["secrets"] = "2"

    await world.change(world.builtin["", "v1", "resourcequotas"]["status"], "default", "q", charge)
    await world.settle(1)
    assert used(world)["secrets"] == "2"
    await world.settle(quotas.RESYNC_S)
    assert used(world)["secrets"] == "0"


async def test_scopes_choose_what_is_counted() -> None:
    world = await start(names.RESOURCE_QUOTA)
    await add_pod(world, "short", activeDeadlineSeconds=5)
    await add_pod(world, "long")
    await limit(world, "q", {"pods": "9"}, scopes=["Terminating"])
    expression = {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}
    await limit(world, "of-class", {"pods": "9"}, scopeSelector={"matchExpressions": [expression]})
    assert used(world) == {"pods": "1"}
    assert used(world, "of-class") == {"pods": "0"}


async def test_objects_of_definitions_are_counted_once_they_are_served() -> None:
    world = await start(names.RESOURCE_QUOTA)
    await limit(world, "q", {"count/widgets.example.com": "5"})
    assert used(world) == {}
    await world.define("widgets")
    await world.settle(5)
    assert used(world) == {"count/widgets.example.com": "0"}
    await world.add_object("widgets", "w", "default")
    await world.add_object("widgets", "v", "default")
    await world.delete(world.scope_of("widgets"), "default", "w")
    await world.settle(1)
    assert used(world) == {"count/widgets.example.com": "1"}


async def test_claims_count_devices() -> None:
    world = await start(names.RESOURCE_QUOTA)
    exactly = {"deviceClassName": "nic", "allocationMode": "ExactCount", "count": 3}
    for name in ("a", "b"):
        await add(
            world,
            "resourceclaims",
            "resource.k8s.io",
            apiVersion="resource.k8s.io/v1",
            kind="ResourceClaim",
            metadata={"name": name, "namespace": "default"},
            spec={"devices": {"requests": [{"name": "r", "exactly": exactly}]}},
        )
    await limit(world, "q", {DEVICES: "9", "count/resourceclaims.resource.k8s.io": "9"})
    assert used(world) == {DEVICES: "6", "count/resourceclaims.resource.k8s.io": "2"}
    await remove(world, "resourceclaims", "a", "resource.k8s.io")
    assert used(world) == {DEVICES: "3", "count/resourceclaims.resource.k8s.io": "1"}


async def test_a_quota_that_is_made_again_is_counted_again() -> None:
    world = await start(names.RESOURCE_QUOTA)
    await add_pod(world, "a")
    await limit(world, "q", {"pods": "9"})
    await remove(world, "resourcequotas", "q")
    await add_pod(world, "b")
    await limit(world, "q", {"pods": "7"}, scopes=["NotTerminating"])
    assert used(world) == {"pods": "2"}
    await remove(world, "resourcequotas", "q")
    assert find(world, "resourcequotas", "default", "q") is None
    await remove(world, "pods", "a")


async def test_what_goes_together_is_told_together() -> None:
    world = await start(names.RESOURCE_QUOTA)
    await limit(world, "q", {"count/configmaps": "900"})
    config_maps = world.builtin["", "v1", "configmaps"][""]
    for number in range(50):
        metadata = {"name": f"m{number}", "namespace": "default"}
        await add(world, "configmaps", apiVersion="v1", kind="ConfigMap", metadata=metadata)
    await world.settle(quotas.RESYNC_S)
    assert used(world) == {"count/configmaps": "50"}
    told: list[object] = []
    world.builtin["", "v1", "resourcequotas"][""].store.cache.listeners.append(told.append)
    for number in range(50):
        await world.delete(config_maps, "default", f"m{number}")
    await world.settle(1)
    assert used(world) == {"count/configmaps": "0"}
    assert len(told) == 1
