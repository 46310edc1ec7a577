"""Ranges of services' addresses become ready, and stay while an address needs them."""

from __future__ import annotations

import time

from quarterdeck.controllers import names
from quarterdeck.controllers.optional import servicecidrs
from support.control import World
from support.optional_controllers import add, find, kept, start

GROUP = "networking.k8s.io"


async def begin() -> World:
    world = await start(names.SERVICE_CIDR)
    world.clock.wall_begin_s = time.time() - world.clock.now_s()  # objects are stamped by the real clock
    return world


async def add_range(world: World, name: str, *cidrs: str) -> None:
    kind = {"apiVersion": f"{GROUP}/v1", "kind": "ServiceCIDR"}
    await add(world, "servicecidrs", GROUP, **kind, metadata={"name": name}, spec={"cidrs": list(cidrs)})
    await world.settle()


def condition(world: World, name: str) -> tuple[str, str, str]:
    (found,) = kept(world, "servicecidrs", "", name, GROUP)["status"]["conditions"]
    return found["status"], found.get("reason", ""), found["message"]


async def remove(world: World, name: str) -> None:
    await world.delete(world.builtin[GROUP, "v1", "servicecidrs"][""], "", name)
    await world.settle()


READY = ("True", "", "Kubernetes Service CIDR is ready")


async def test_a_range_becomes_ready_and_goes_after_a_grace_period() -> None:
    world = await begin()
    await add_range(world, "more", "10.5.0.0/24")
    assert condition(world, "more") == READY
    assert kept(world, "servicecidrs", "", "more", GROUP)["metadata"]["finalizers"] == [servicecidrs.FINALIZER]
    await remove(world, "more")
    await world.settle(servicecidrs.GRACE_S - 1)
    assert find(world, "servicecidrs", "", "more", GROUP) is not None
    await world.settle(2)
    assert find(world, "servicecidrs", "", "more", GROUP) is None


async def test_a_range_stays_while_an_address_needs_it() -> None:
    world = await begin()
    await add_range(world, "more", "10.5.0.0/24")
    metadata = {"name": "web", "namespace": "default"}
    spec = {"ports": [{"port": 80}], "clusterIP": "10.5.0.7"}
    await add(world, "services", apiVersion="v1", kind="Service", metadata=metadata, spec=spec)
    await remove(world, "more")
    await world.settle(100)
    told = "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR"
    assert condition(world, "more") == ("False", "Terminating", told)
    await world.delete(world.builtin["", "v1", "services"][""], "default", "web")
    await world.settle(servicecidrs.GRACE_S)
    assert find(world, "servicecidrs", "", "more", GROUP) is None


async def test_a_range_within_another_may_go() -> None:
    world = await begin()
    await add_range(world, "small", "10.0.0.0/25")
    assert condition(world, "kubernetes") == READY
    await remove(world, "small")
    await world.settle(servicecidrs.GRACE_S + 1)
    assert find(world, "servicecidrs", "", "small", GROUP) is None
    await remove(world, "kubernetes")
    await world.settle(100)
    assert condition(world, "kubernetes")[1] == "Terminating", "the server's own service needs it"
    await add_range(world, "wide", "10.0.0.0/16")
    await world.settle(servicecidrs.GRACE_S)
    made_again = (
        kept(world, "servicecidrs", "", "kubernetes", GROUP)
        if find(world, "servicecidrs", "", "kubernetes", GROUP)
        else None
    )
    assert made_again is None or not made_again["metadata"].get("deletionTimestamp")
