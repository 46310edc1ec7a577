"""Services and the objects of their addresses are made to agree; what cannot be repaired is reported."""

from __future__ import annotations

import time
from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers import addressrepair
from quarterdeck.registry.strategy import Object
from support.control import FailingStore, World
from support.optional_controllers import add, find, kept

GROUP = "networking.k8s.io"
OURS = {"ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}


async def start(store: Any = None) -> World:
    world = World(store)
    await world.start()
    world.controllers.take_up_when_ready()
    await world.settle(5)
    return world


async def add_service(world: World, name: str, address: str, **spec: Any) -> None:
    metadata = {"name": name, "namespace": "default"}
    given = {"ports": [{"port": 80}], "clusterIP": address, **spec}
    await add(world, "services", apiVersion="v1", kind="Service", metadata=metadata, spec=given)
    await world.settle(5)


async def add_address(world: World, address: str, labels: dict[str, str] | None = None, **parent: str) -> None:
    reference = {"resource": "services", "namespace": "default", **parent}
    metadata: Object = {"name": address, "labels": OURS if labels is None else labels}
    kind = {"apiVersion": f"{GROUP}/v1", "kind": "IPAddress"}
    await add(world, "ipaddresses", GROUP, **kind, metadata=metadata, spec={"parentRef": reference})
    await world.settle()


def shown(world: World, address: str) -> Object | None:
    return find(world, "ipaddresses", "", address, GROUP)


def events(world: World) -> list[tuple[str, str]]:
    entries = world.builtin["events.k8s.io", "v1", "events"][""].store.cache.state.all()
    found = [json_codec.load(entry.data) for entry in entries]
    return [(each["reason"], each.get("message") or each.get("note")) for each in found]


async def test_what_agrees_is_left_alone() -> None:
    world = await start()
    await add_service(world, "web", "10.0.0.7", type="NodePort")
    await add_service(world, "headless", "None", selector={"a": "b"})
    made = shown(world, "10.0.0.7")
    await world.settle(3 * addressrepair.INTERVAL_S)
    assert shown(world, "10.0.0.7") == made
    assert events(world) == []


async def test_a_deleted_address_of_a_service_comes_back() -> None:
    world = await start()
    await add_service(world, "web", "10.0.0.7")
    await world.delete(world.builtin[GROUP, "v1", "ipaddresses"][""], "", "10.0.0.7")
    await world.settle(5)
    made = shown(world, "10.0.0.7")
    assert made is not None
    assert made["spec"]["parentRef"] == {"resource": "services", "namespace": "default", "name": "web"}
    assert made["metadata"]["labels"] == OURS
    told = "Cluster IP [IPv4]: 10.0.0.7 is not allocated; repairing"
    assert events(world) == [("ClusterIPNotAllocated", told)]
    await world.delete(world.builtin["", "v1", "services"][""], "default", "web")
    await world.settle(addressrepair.INTERVAL_S)
    assert shown(world, "10.0.0.7") is None
    assert len(events(world)) == 1


async def test_what_is_missing_at_the_start_is_made() -> None:
    world = World()
    await world.start()
    await add_service(world, "web", "10.0.0.7")
    await world.delete(world.builtin[GROUP, "v1", "ipaddresses"][""], "", "10.0.0.7")
    again = await start(world.store)
    assert shown(again, "10.0.0.7") is not None


class SharedStore(FailingStore):
    """Others write there, too."""

    def __init__(self) -> None:
        super().__init__()
        self.lags = True


async def test_a_service_that_another_server_wrote_gets_its_address() -> None:
    world = await start(SharedStore())
    await add_service(world, "web", "10.0.0.7")
    services = world.builtin["", "v1", "services"][""].store.cache
    obj = json_codec.load(services.get("default", "web").data)
    obj["metadata"] |= {"name": "old"}
    obj["spec"] |= {"clusterIP": "10.0.0.8", "clusterIPs": ["10.0.0.8"]}
    await world.store.create(f"{services.prefix}default/old", json_codec.encode(obj))
    await world.settle(addressrepair.SETTLING_S + 1)
    made = shown(world, "10.0.0.8")
    assert made is not None
    assert made["spec"]["parentRef"]["name"] == "old"


async def test_addresses_without_a_service_go_after_a_while() -> None:
    world = await start()
    world.clock.wall_begin_s = time.time() - world.clock.now_s()  # objects are stamped by the real clock
    await add_address(world, "10.0.0.9", name="nobody")
    await add_address(world, "10.0.0.10", {}, name="nobody")
    await world.settle(addressrepair.LEAK_S - 10)
    assert shown(world, "10.0.0.9") is not None
    await world.settle(20)
    assert shown(world, "10.0.0.9") is None
    assert shown(world, "10.0.0.10") is not None, "somebody else's"
    told = "IPAddress: 10.0.0.9 for Service default/nobody appears to have leaked: cleaning up"
    assert events(world) == [("IPAddressNotAllocated", told)]


async def test_addresses_that_say_something_else() -> None:
    world = await start()
    await add_service(world, "web", "10.0.0.7")
    await add_address(world, "10.0.0.9", name="web")
    await add_address(world, "10.0.0.11", name="web", resource="gateways", group="a.dev")
    await world.settle(5)
    assert shown(world, "10.0.0.9") is None
    assert shown(world, "10.0.0.11") is None
    assert {reason for reason, _ in events(world)} == {"IPAddressWrongReference", "IPAddressNotAllocated"}

    def spoil(obj: Object) -> None:
        obj["metadata"]["labels"]["ipaddress.kubernetes.io/ip-family"] = "IPv6"

    await world.change(world.builtin[GROUP, "v1", "ipaddresses"][""], "", "10.0.0.7", spoil)
    await world.settle(addressrepair.INTERVAL_S)
    assert kept(world, "ipaddresses", "", "10.0.0.7", GROUP)["metadata"]["labels"] == OURS


async def test_what_cannot_be_repaired_is_reported_once() -> None:
    world = await start()
    await add_service(world, "web", "10.0.0.7", type="NodePort", ports=[{"port": 80, "nodePort": 30001}])
    await add_service(world, "twin", "10.0.0.8", type="NodePort")
    await add_service(world, "far", "10.0.0.9")

    def clash(obj: Object) -> None:
        obj["spec"] |= {"clusterIP": "10.0.0.7", "clusterIPs": ["10.0.0.7"]}
        obj["spec"]["ports"][0]["nodePort"] = 30001

    def leave(obj: Object) -> None:
        obj["spec"] |= {"clusterIP": "10.9.0.9", "clusterIPs": ["10.9.0.9"]}

    services = world.builtin["", "v1", "services"][""]
    cache = services.store.cache
    for name, change in (("twin", clash), ("far", leave)):
        entry = cache.get("default", name)
        assert entry is not None
        obj = json_codec.load(entry.data)
        change(obj)
        await world.store.update(f"{cache.prefix}default/{name}", services.codec.encode(obj), entry.revision)
    await world.settle(2 * addressrepair.INTERVAL_S)
    assert sorted(set(events(world))) == sorted(events(world)), "nothing is told twice"
    told = dict(events(world))
    assert told["ClusterIPAlreadyAllocated"] == (
        "Cluster IP [IPv4]:10.0.0.7 was assigned to multiple services; please recreate service"
    )
    assert told["ClusterIPOutOfRange"] == (
        "Cluster IP [IPv4]: 10.9.0.9 is not within any configured Service CIDR; please recreate service"
    )
    assert told["PortAlreadyAllocated"] == "Port 30001 was assigned to multiple services; please recreate service"
