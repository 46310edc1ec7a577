"""An APIService tells whether what it names is there."""

from __future__ import annotations

import asyncio
from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.availability import SETTLE_S
from support.control import World

NAME = "v1.remote.dev"
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "svc", "namespace": "ns"}}


def build(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": NAME},
        "spec": {"group": "remote.dev", "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1, **spec},
    }


async def begin(**spec: Any) -> World:
    world = await World().start()
    await world.settle()
    await world.create(world.builtin["apiregistration.k8s.io", "v1", "apiservices"][""], build(**spec))
    await world.settle()
    return world


def condition(world: World) -> dict[str, Any]:
    entry = world.builtin["apiregistration.k8s.io", "v1", "apiservices"][""].store.cache.get("", NAME)
    assert entry is not None
    (found,) = json_codec.load(entry.data)["status"]["conditions"]
    return dict(found)


async def test_one_behind_a_service_follows_it() -> None:
    world = await begin(service={"namespace": "ns", "name": "svc"})
    absent = condition(world)
    assert (absent["type"], absent["status"], absent["reason"]) == ("Available", "False", "ServiceNotFound")
    assert absent["message"] == 'service/svc in "ns" is not present'
    services = world.builtin["", "v1", "services"][""]
    await world.create(services, {**SERVICE, "spec": {"ports": [{"port": 80}]}})
    await world.settle()
    deaf = condition(world)
    assert deaf["message"] == 'service/svc in "ns" is not listening on port 443'
    assert (deaf["reason"], deaf["lastTransitionTime"]) == ("ServicePortError", absent["lastTransitionTime"])

    def listen(obj: dict[str, Any]) -> None:
        obj["spec"]["ports"] = [{"port": 443, "protocol": "TCP", "targetPort": 443}]

    await world.change(services, "ns", "svc", listen)
    await world.settle()
    assert condition(world)["reason"] == "EndpointsNotFound"
    await world.delete(services, "ns", "svc")
    await world.settle()
    assert condition(world)["reason"] == "ServiceNotFound"


async def test_who_makes_one_reads_its_condition_at_once() -> None:
    world = await World().start()
    await world.settle()
    scope = world.builtin["apiregistration.k8s.io", "v1", "apiservices"][""]
    world.controllers.availability.controller.start()
    try:
        await world.create(scope, build(service={"namespace": "ns", "name": "svc"}))
        assert condition(world)["reason"] == "ServiceNotFound"
        async with asyncio.timeout(SETTLE_S / 2):  # there is nothing to wait for
            await world.delete(scope, "", NAME)
            await world.create(scope, build())
        assert condition(world)["reason"] == "Local"
    finally:
        await world.controllers.availability.controller.stop()


async def test_what_is_known_is_written_once() -> None:
    world = await begin(service={"namespace": "ns", "name": "svc"})
    revision = world.store.revision
    again = await World(world.store).start()
    await again.settle()
    assert again.store.revision == revision


async def test_one_that_becomes_local_is_available() -> None:
    world = await begin(service={"namespace": "ns", "name": "svc"})

    def localize(obj: dict[str, Any]) -> None:
        obj["spec"].pop("service")

    await world.change(world.builtin["apiregistration.k8s.io", "v1", "apiservices"][""], "", NAME, localize)
    await world.settle()
    assert (condition(world)["status"], condition(world)["reason"]) == ("True", "Local")
