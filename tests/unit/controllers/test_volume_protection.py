"""Claims, volumes and classes of volumes' attributes that are deleted stay as long as something uses them."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.controllers import names
from quarterdeck.registry.strategy import Object
from support.control import World
from support.optional_controllers import add, find, kept, start

CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
VOLUME = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "csi": {"driver": "d", "volumeHandle": "v"}}
STORAGE = "storage.k8s.io"


async def add_claim(world: World, name: str, owners: list[Object] | None = None, **spec: Any) -> Object:
    metadata = {"name": name, "namespace": "default"} | ({"ownerReferences": owners} if owners else {})
    kind = "PersistentVolumeClaim"
    made = await add(world, kind.lower() + "s", apiVersion="v1", kind=kind, metadata=metadata, spec={**CLAIM, **spec})
    await world.settle()
    return made


async def add_volume(world: World, name: str, **spec: Any) -> None:
    metadata = {"name": name}
    await add(
        world, "persistentvolumes", apiVersion="v1", kind="PersistentVolume", metadata=metadata, spec={**VOLUME, **spec}
    )
    await world.settle()


async def add_pod(world: World, volume: Object, node: str = "n", finalizers: list[str] | None = None) -> Object:
    metadata = {"name": "p", "namespace": "default"} | ({"finalizers": finalizers} if finalizers else {})
    spec: Object = {"containers": [{"name": "c", "image": "i"}], "volumes": [volume]}
    if node:
        spec["nodeName"] = node
    return await add(world, "pods", apiVersion="v1", kind="Pod", metadata=metadata, spec=spec)


async def delete(world: World, resource: str, namespace: str, name: str, group: str = "") -> None:
    await world.delete(world.builtin[group, "v1", resource][""], namespace, name)
    await world.settle()


def uses(claim: str) -> Object:
    return {"name": "v", "persistentVolumeClaim": {"claimName": claim}}


async def test_a_claim_is_protected_and_goes_when_nobody_uses_it() -> None:
    world = await start(names.CLAIM_PROTECTION)
    await add_claim(world, "c")
    assert kept(world, "persistentvolumeclaims", "default", "c")["metadata"]["finalizers"] == [
        "kubernetes.io/pvc-protection"
    ]
    await delete(world, "persistentvolumeclaims", "default", "c")
    assert find(world, "persistentvolumeclaims", "default", "c") is None


async def test_other_finalizers_are_left() -> None:
    world = await start(names.CLAIM_PROTECTION)
    await add_claim(world, "c")

    def add_another(obj: Object) -> None:
        obj["metadata"]["finalizers"].append("example.com/mine")

    await world.change(world.builtin["", "v1", "persistentvolumeclaims"][""], "default", "c", add_another)
    await delete(world, "persistentvolumeclaims", "default", "c")
    assert kept(world, "persistentvolumeclaims", "default", "c")["metadata"]["finalizers"] == ["example.com/mine"]


async def test_a_claim_waits_for_the_pod_that_uses_it() -> None:
    world = await start(names.CLAIM_PROTECTION)
    await add_claim(world, "c")
    await add_claim(world, "other")
    await add_pod(world, uses("c"))
    for name in ("c", "other"):
        await delete(world, "persistentvolumeclaims", "default", name)
    assert find(world, "persistentvolumeclaims", "default", "other") is None
    assert kept(world, "persistentvolumeclaims", "default", "c")["metadata"]["deletionTimestamp"]
    await world.delete(world.builtin["", "v1", "pods"][""], "default", "p", grace_period_s=0)
    await world.settle()
    assert find(world, "persistentvolumeclaims", "default", "c") is None


async def test_a_pod_without_a_node_does_not_hold_a_claim() -> None:
    world = await start(names.CLAIM_PROTECTION)
    await add_claim(world, "c")
    await add_pod(world, uses("c"), node="")
    await delete(world, "persistentvolumeclaims", "default", "c")
    assert find(world, "persistentvolumeclaims", "default", "c") is None


@pytest.mark.parametrize("made_for_the_pod", [True, False])
async def test_a_pods_own_claim_is_told_by_its_owner(made_for_the_pod: bool) -> None:
    world = await start(names.CLAIM_PROTECTION)
    pod = await add_pod(world, {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}}})
    uid = pod["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid, "controller": True}
    await add_claim(world, "p-v", [owner] if made_for_the_pod else None)
    await delete(world, "persistentvolumeclaims", "default", "p-v")
    assert (find(world, "persistentvolumeclaims", "default", "p-v") is not None) == made_for_the_pod


async def test_a_pod_that_waits_for_its_finalizers_does_not_hold_its_own_claim() -> None:
    world = await start(names.CLAIM_PROTECTION)
    volume = {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}}}
    pod = await add_pod(world, volume, finalizers=["example.com/mine"])
    uid = pod["metadata"]["uid"]
    await add_claim(world, "p-v", [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid, "controller": True}])
    await delete(world, "persistentvolumeclaims", "default", "p-v")
    assert find(world, "persistentvolumeclaims", "default", "p-v") is not None
    await world.delete(world.builtin["", "v1", "pods"][""], "default", "p", grace_period_s=0)
    await world.settle()
    assert find(world, "pods", "default", "p") is not None
    assert find(world, "persistentvolumeclaims", "default", "p-v") is None


async def test_a_bound_volume_stays_until_it_is_released() -> None:
    world = await start(names.VOLUME_PROTECTION)
    await add_volume(world, "v")
    assert kept(world, "persistentvolumes", "", "v")["metadata"]["finalizers"] == ["kubernetes.io/pv-protection"]

    async def become(phase: str) -> None:
        def change(obj: Object) -> None:
            obj["status"] = {"phase": phase}

        await world.change(world.builtin["", "v1", "persistentvolumes"]["status"], "", "v", change)
        await world.settle()

    await become("Bound")
    await delete(world, "persistentvolumes", "", "v")
    assert kept(world, "persistentvolumes", "", "v")["metadata"]["deletionTimestamp"]
    await become("Released")
    assert find(world, "persistentvolumes", "", "v") is None


async def test_a_class_of_attributes_stays_while_claims_and_volumes_have_it() -> None:
    world = await start(names.ATTRIBUTES_CLASS_PROTECTION)
    kind = "VolumeAttributesClass"
    for name in ("gold", "silver"):
        await add(
            world,
            "volumeattributesclasses",
            STORAGE,
            apiVersion=f"{STORAGE}/v1",
            kind=kind,
            metadata={"name": name},
            driverName="d",
            parameters={"iops": "1"},
        )
    await world.settle()
    assert kept(world, "volumeattributesclasses", "", "gold", STORAGE)["metadata"]["finalizers"] == [
        "kubernetes.io/vac-protection"
    ]
    await add_claim(world, "c", volumeAttributesClassName="gold")
    await add_volume(world, "v", volumeAttributesClassName="gold")
    for name in ("gold", "silver"):
        await delete(world, "volumeattributesclasses", "", name, STORAGE)
    assert find(world, "volumeattributesclasses", "", "silver", STORAGE) is None
    await delete(world, "persistentvolumeclaims", "default", "c")
    assert find(world, "volumeattributesclasses", "", "gold", STORAGE) is not None
    await delete(world, "persistentvolumes", "", "v")
    assert find(world, "volumeattributesclasses", "", "gold", STORAGE) is None
