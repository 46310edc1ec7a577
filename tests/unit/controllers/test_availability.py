"""An APIService tells whether what it names is there."""

from __future__ import annotations

import asyncio
from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.availability import RESYNC_S, SETTLE_S
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


def build_slice(ready: bool, port: str = "") -> dict[str, Any]:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "svc-1", "namespace": "ns", "labels": {"kubernetes.io/service-name": "svc"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.1.2.3"], "conditions": {"ready": ready}}],
        "ports": [{"name": port, "port": 8443, "protocol": "TCP"}],
    }


async def with_endpoints(world: World, ready: bool = True) -> None:
    spec = {"ports": [{"name": "https", "port": 443}]}
    await world.create(world.builtin["", "v1", "services"][""], {**SERVICE, "spec": spec})
    slices = world.builtin["discovery.k8s.io", "v1", "endpointslices"][""]
    await world.create(slices, build_slice(ready, "https"))
    await world.settle()


class Server:
    """Behind the service: `text` is why it does not serve."""

    def __init__(self, world: World, text: str = "") -> None:
        self.text = text
        self.asked = 0
        world.controllers.availability.check = self.check

    async def check(self, obj: dict[str, Any]) -> str:
        assert obj["metadata"]["name"] == NAME
        self.asked += 1
        return self.text


async def test_endpoints_have_to_be_ready() -> None:
    world = await begin(service={"namespace": "ns", "name": "svc"})
    server = Server(world)
    await with_endpoints(world, ready=False)
    missing = condition(world)
    text = 'endpointslices for service/svc in "ns" have no addresses with port name "https"'
    assert (missing["status"], missing["reason"], missing["message"]) == ("False", "MissingEndpoints", text)
    assert not server.asked

    def make_ready(obj: dict[str, Any]) -> None:
        obj["endpoints"][0]["conditions"]["ready"] = True

    slices = world.builtin["discovery.k8s.io", "v1", "endpointslices"][""]
    await world.change(slices, "ns", "svc-1", make_ready)
    await world.settle()
    found = condition(world)
    assert (found["status"], found["reason"], found["message"]) == ("True", "Passed", "all checks passed")
    await world.delete(slices, "ns", "svc-1")
    await world.settle()
    assert condition(world)["reason"] == "EndpointsNotFound"


async def test_an_endpoints_object_will_do() -> None:
    world = await begin(service={"namespace": "ns", "name": "svc"})
    spec = {"ports": [{"port": 443}]}
    await world.create(world.builtin["", "v1", "services"][""], {**SERVICE, "spec": spec})
    endpoints = world.builtin["", "v1", "endpoints"][""]
    subsets = [{"addresses": [{"ip": "10.1.2.3"}], "ports": [{"port": 8443}]}]
    await world.create(endpoints, {"metadata": {"name": "svc", "namespace": "ns"}, "subsets": subsets})
    await world.settle()
    assert condition(world)["reason"] == "Passed"


async def test_a_server_that_does_not_serve_is_asked_again() -> None:
    world = await begin(service={"namespace": "ns", "name": "svc"})
    server = Server(world, "failing or missing response")
    await with_endpoints(world)
    failed = condition(world)
    assert (failed["reason"], failed["message"]) == ("FailedDiscoveryCheck", "failing or missing response")
    asked = server.asked
    await world.settle(1)
    assert asked < server.asked < asked + 10
    server.text = ""
    await world.settle(RESYNC_S)
    assert condition(world)["reason"] == "Passed"
    asked = server.asked
    server.text = "gone"
    await world.settle(RESYNC_S)
    assert server.asked > asked
    assert condition(world)["reason"] == "FailedDiscoveryCheck"


async def test_known_services_need_no_objects() -> None:
    world = await World().start()
    await world.settle()
    server = Server(world)
    world.controllers.availability.is_known = lambda *service: service == ("ns", "svc", 443)
    scope = world.builtin["apiregistration.k8s.io", "v1", "apiservices"][""]
    await world.create(scope, build(service={"namespace": "ns", "name": "svc"}))
    await world.settle()
    assert condition(world)["reason"] == "Passed"
    assert server.asked


async def test_a_service_of_another_type_is_asked_without_endpoints() -> None:
    world = await begin(service={"namespace": "ns", "name": "svc"})
    spec = {"type": "ExternalName", "externalName": "api.example.com"}
    await world.create(world.builtin["", "v1", "services"][""], {**SERVICE, "spec": spec})
    await world.settle()
    assert condition(world)["reason"] == "Passed"


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
