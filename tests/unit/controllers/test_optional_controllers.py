"""Controllers that run only where they are named: what they make, keep right and delete."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import format_rfc3339
from quarterdeck.controllers import names
from quarterdeck.controllers.optional import podgc, rootcapublisher, run
from quarterdeck.registry.strategy import Object
from support.control import World
from support.optional_controllers import add, add_namespace, find, kept, start


@pytest.mark.parametrize("name", names.OPTIONAL)
def test_every_name_has_its_controller(name: str) -> None:
    module, _, kind = run._PLACES[name].rpartition(".")
    assert isinstance(getattr(importlib.import_module(f"quarterdeck.controllers.{module}"), kind), type)


async def test_the_star_means_none_of_them() -> None:
    world = await start("*")
    await add_namespace(world, "n")
    assert find(world, "serviceaccounts", "n", "default") is None
    assert find(world, "configmaps", "n", rootcapublisher.NAME) is None


async def test_every_namespace_has_a_service_account() -> None:
    world = await start(names.SERVICE_ACCOUNT)
    await add_namespace(world, "n")
    for namespace in ("n", "default", "kube-system"):
        made = kept(world, "serviceaccounts", namespace, "default")
        assert [entry["manager"] for entry in made["metadata"].get("managedFields", ())] in (
            [],
            ["kube-controller-manager"],
        )
    accounts = world.builtin["", "v1", "serviceaccounts"][""]
    await world.delete(accounts, "n", "default")
    await world.settle()
    assert find(world, "serviceaccounts", "n", "default") is not None
    await world.delete(world.namespaces[""], "", "n")
    await world.settle(5)
    assert find(world, "serviceaccounts", "n", "default") is None


async def test_every_namespace_has_the_root_certificates() -> None:
    world = await start(names.ROOT_CA_PUBLISHER)
    await add_namespace(world, "n")
    assert kept(world, "configmaps", "n", rootcapublisher.NAME)["data"] == {"ca.crt": "root"}
    config_maps = world.builtin["", "v1", "configmaps"][""]

    def spoil(obj: Object) -> None:
        obj["data"] = {"ca.crt": "other", "more": "x"}
        obj["metadata"]["annotations"] = {"mine": "kept"}

    await world.change(config_maps, "n", rootcapublisher.NAME, spoil)
    await world.settle()
    found = kept(world, "configmaps", "n", rootcapublisher.NAME)
    assert found["data"] == {"ca.crt": "root"}
    assert found["metadata"]["annotations"] == {"mine": "kept", rootcapublisher.ANNOTATION: rootcapublisher.DESCRIPTION}
    await world.delete(config_maps, "n", rootcapublisher.NAME)
    await world.settle()
    assert find(world, "configmaps", "n", rootcapublisher.NAME) is not None


async def test_a_finished_job_goes_when_its_time_has_come() -> None:
    world = await start(names.TTL_AFTER_FINISHED)
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    for name, ttl_s in (("short", 30), ("long", 300), ("kept", None)):
        spec = {"template": template, **({} if ttl_s is None else {"ttlSecondsAfterFinished": ttl_s})}
        metadata = {"name": name, "namespace": "default"}
        await add(world, "jobs", "batch", apiVersion="batch/v1", kind="Job", metadata=metadata, spec=spec)
    await world.settle(1000)
    assert find(world, "jobs", "default", "short", "batch") is not None, "it has not finished"
    finished = format_rfc3339(world.clock.wall_s())

    def finish(obj: Object) -> None:
        conditions = [
            {"type": name, "status": "True", "lastTransitionTime": finished}
            for name in ("SuccessCriteriaMet", "Complete")
        ]
        obj["status"] = {"startTime": finished, "completionTime": finished, "conditions": conditions}

    for name in ("short", "long", "kept"):
        await world.change(world.builtin["batch", "v1", "jobs"]["status"], "default", name, finish)
    await world.settle(29)
    assert find(world, "jobs", "default", "short", "batch") is not None
    await world.settle(2)
    marked = find(world, "jobs", "default", "short", "batch")
    assert marked is None or marked["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert not kept(world, "jobs", "default", "long", "batch")["metadata"].get("deletionTimestamp")
    await world.settle(1000)
    assert not kept(world, "jobs", "default", "kept", "batch")["metadata"].get("deletionTimestamp")


async def add_pod(world: World, name: str, **spec: Any) -> None:
    metadata = {"name": name, "namespace": "default"}
    containers = [{"name": "c", "image": "i"}]
    await add(world, "pods", apiVersion="v1", kind="Pod", metadata=metadata, spec={"containers": containers, **spec})


async def test_pods_of_a_node_that_is_gone_fail_and_go() -> None:
    world = await start(names.POD_GARBAGE_COLLECTOR)
    await add(world, "nodes", apiVersion="v1", kind="Node", metadata={"name": "here"})
    await add_pod(world, "stays", nodeName="here")
    await add_pod(world, "lost", nodeName="gone")
    await add_pod(world, "waits")
    await world.settle(podgc.INTERVAL_S)
    assert find(world, "pods", "default", "lost") is not None, "its node may come back"
    await world.settle(podgc.QUARANTINE_S + podgc.INTERVAL_S)
    assert find(world, "pods", "default", "lost") is None
    assert find(world, "pods", "default", "stays") is not None
    assert find(world, "pods", "default", "waits") is not None


async def test_beyond_a_number_finished_pods_go_evicted_ones_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(podgc, "FINISHED_MAX", 2)
    world = await start(names.POD_GARBAGE_COLLECTOR)
    for number in range(4):
        await add_pod(world, f"pod-{number}")

        def finish(obj: Object, number: int = number) -> None:
            obj["status"] = {**(obj.get("status") or {}), "phase": "Failed"}
            if number > 1:
                obj["status"]["reason"] = "Evicted"

        await world.change(world.builtin["", "v1", "pods"]["status"], "default", f"pod-{number}", finish)
    await world.settle(podgc.INTERVAL_S)
    assert [number for number in range(4) if find(world, "pods", "default", f"pod-{number}")] == [0, 1]


async def add_address(world: World, name: str, address: str, *, ready: bool = True) -> None:
    def change(obj: Object) -> None:
        condition = {"type": "Ready", "status": str(ready)}
        obj["status"] = {**(obj.get("status") or {}), "podIPs": [{"ip": address}], "podIP": address}
        obj["status"]["conditions"] = [condition]

    await world.change(world.builtin["", "v1", "pods"]["status"], "default", name, change)


def slices(world: World) -> list[Object]:
    entries = world.builtin["discovery.k8s.io", "v1", "endpointslices"][""].store.cache.state.all()
    return [json_codec.load(entry.data) for entry in entries]


async def add_labelled_pods(world: World, count: int) -> None:
    for number in range(count):
        metadata = {"name": f"web-{number}", "namespace": "default", "labels": {"app": "web"}}
        ports = [{"name": "http", "containerPort": 8080}]
        spec = {"containers": [{"name": "c", "image": "i", "ports": ports}]}
        await add(world, "pods", apiVersion="v1", kind="Pod", metadata=metadata, spec=spec)


async def test_a_service_has_slices_of_the_pods_that_it_selects() -> None:
    world = await start(names.ENDPOINT_SLICE)
    metadata = {"name": "web", "namespace": "default", "labels": {"tier": "front"}}
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]}
    await add(world, "services", apiVersion="v1", kind="Service", metadata=metadata, spec=spec)
    await world.settle()
    (empty,) = slices(world)
    assert not empty["endpoints"]
    assert empty["metadata"]["labels"] == {
        "tier": "front",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }

    await add_labelled_pods(world, 2)
    await add_address(world, "web-0", "10.1.0.1")
    await add_address(world, "web-1", "10.1.0.2", ready=False)
    await world.settle()
    (found,) = slices(world)
    assert found["ports"] == [{"name": "", "protocol": "TCP", "port": 8080}]
    ready = {each["addresses"][0]: each["conditions"]["ready"] for each in found["endpoints"]}
    assert ready == {"10.1.0.1": True, "10.1.0.2": False}
    revision = found["metadata"]["resourceVersion"]
    await world.settle(100)
    assert slices(world)[0]["metadata"]["resourceVersion"] == revision, "what is right is not written again"

    await world.delete(world.builtin["", "v1", "pods"][""], "default", "web-0")
    await world.settle(100)
    (found,) = slices(world)
    assert "10.1.0.1" not in [each["addresses"][0] for each in found["endpoints"] if each["conditions"]["ready"]]


async def test_a_slice_holds_a_hundred_endpoints() -> None:
    world = await start(names.ENDPOINT_SLICE)
    await add_labelled_pods(world, 103)
    for number in range(103):
        await add_address(world, f"web-{number}", f"10.1.1.{number}")
    metadata = {"name": "web", "namespace": "default"}
    spec = {"selector": {"app": "web"}, "clusterIP": "None"}
    await add(world, "services", apiVersion="v1", kind="Service", metadata=metadata, spec=spec)
    await world.settle()
    assert sorted(len(each["endpoints"]) for each in slices(world)) == [3, 100]
    assert {each["metadata"]["labels"]["service.kubernetes.io/headless"] for each in slices(world)} == {""}
