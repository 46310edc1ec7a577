"""The service of the server leads to its address, and the range of services is there; both come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from quarterdeck.controllers.kubernetesservice import INTERVAL_S
from quarterdeck.registry.builtin.core.service.allocation import DEFAULT_RANGES
from quarterdeck.registry.strategy import Object
from quarterdeck.server import advertised
from quarterdeck.server.config import Config, ConfigError
from support.control import World
from support.optional_controllers import find, kept

SLICES = ("endpointslices", "default", "kubernetes", "discovery.k8s.io")
ENDPOINTS = ("endpoints", "default", "kubernetes")


async def start(
    address: str = "192.0.2.2",
    port: int = 43443,
    world: World | None = None,
    ranges: Sequence[str] = DEFAULT_RANGES,
) -> World:
    world = World(world.store if world is not None else None)
    world.service_ranges = ranges
    await world.start()
    world.controllers.set_address("127.0.0.1", port, ranges, address)
    world.controllers.take_up_when_ready()
    await world.settle()
    return world


def leads_to(world: World) -> tuple[list[str], int]:
    (subset,) = kept(world, *ENDPOINTS)["subsets"]
    made = kept(world, *SLICES)
    addresses = [each["ip"] for each in subset["addresses"]]
    assert [each["addresses"] for each in made["endpoints"]] == [[each] for each in addresses]
    assert made["ports"] == subset["ports"]
    return addresses, subset["ports"][0]["port"]


async def test_both_are_made_as_recorded() -> None:
    world = await start()
    made = kept(world, *ENDPOINTS)
    assert made["metadata"]["labels"] == {"endpointslice.kubernetes.io/skip-mirror": "true"}
    assert made["subsets"] == [
        {"addresses": [{"ip": "192.0.2.2"}], "ports": [{"name": "https", "port": 43443, "protocol": "TCP"}]}
    ]
    (owner,) = made["metadata"]["managedFields"]
    assert (owner["manager"], owner["operation"]) == ("kube-apiserver", "Update")
    assert owner["fieldsV1"]["f:subsets"] == {}
    made = kept(world, *SLICES)
    assert made["metadata"]["labels"] == {"kubernetes.io/service-name": "kubernetes"}
    assert made["addressType"] == "IPv4"
    assert made["endpoints"] == [{"addresses": ["192.0.2.2"], "conditions": {"ready": True}}]
    assert made["ports"] == [{"name": "https", "port": 43443, "protocol": "TCP"}]


@pytest.mark.parametrize("address", ["", "127.0.0.1", "::1"])
async def test_nothing_leads_to_an_address_that_no_object_holds(address: str) -> None:
    world = await start(address)
    assert find(world, *ENDPOINTS) is None
    assert find(world, *SLICES) is None


async def test_what_is_deleted_or_changed_comes_back() -> None:
    world = await start()
    await world.delete(world.builtin["", "v1", "endpoints"][""], "default", "kubernetes")
    await world.delete(world.builtin["discovery.k8s.io", "v1", "endpointslices"][""], "default", "kubernetes")
    await world.settle(INTERVAL_S - 1)
    assert find(world, *ENDPOINTS) is None
    await world.settle(2)
    assert leads_to(world) == (["192.0.2.2"], 43443)

    def spoil(obj: Object) -> None:
        obj["subsets"] = [{"addresses": [{"ip": "192.0.2.9"}], "ports": [{"name": "x", "port": 1, "protocol": "TCP"}]}]
        obj["metadata"]["labels"] = {"mine": "1"}

    await world.change(world.builtin["", "v1", "endpoints"][""], "default", "kubernetes", spoil)
    await world.settle(INTERVAL_S)
    assert leads_to(world) == (["192.0.2.2"], 1), "ports are corrected at the start"
    assert kept(world, *ENDPOINTS)["metadata"]["labels"]["mine"] == "1"
    written = [kept(world, *where)["metadata"]["resourceVersion"] for where in (ENDPOINTS, SLICES)]
    await world.settle(10 * INTERVAL_S)
    assert [kept(world, *where)["metadata"]["resourceVersion"] for where in (ENDPOINTS, SLICES)] == written
    assert leads_to(await start(port=43444, world=world)) == (["192.0.2.2"], 43444)
    assert leads_to(await start("2001:db8::1", world=world)) == (["2001:db8::1"], 43443)


async def test_the_servers_own_range_is_made_ready_and_comes_back() -> None:
    world = await start()
    where = ("servicecidrs", "", "kubernetes", "networking.k8s.io")
    ranges = world.builtin["networking.k8s.io", "v1", "servicecidrs"]

    def condition() -> dict[str, Any]:
        (found,) = kept(world, *where)["status"]["conditions"]
        return {key: found[key] for key in ("type", "status", "message")}

    ready = {"type": "Ready", "status": "True", "message": "Kubernetes default Service CIDR is ready"}
    assert kept(world, *where)["spec"]["cidrs"] == ["10.0.0.0/24"]
    assert condition() == ready
    owners = kept(world, *where)["metadata"]["managedFields"]
    assert [(each["manager"], each["operation"], each.get("subresource")) for each in owners] == [
        ("kubernetes-service-cidr-controller", "Apply", "status"),
        ("kube-apiserver", "Update", None),
    ]
    await world.delete(ranges[""], "", "kubernetes")
    await world.settle(INTERVAL_S)
    assert condition() == ready

    def deny(obj: Object) -> None:
        obj["status"]["conditions"][0] |= {"status": "False", "reason": "Mine"}

    await world.change(ranges["status"], "", "kubernetes", deny)
    await world.settle(10 * INTERVAL_S)
    assert condition()["status"] == "False", "what somebody says of it stands"


async def test_the_servers_own_ranges_get_a_second_family(caplog: pytest.LogCaptureFixture) -> None:
    where = ("servicecidrs", "", "kubernetes", "networking.k8s.io")
    both = ["10.0.0.0/24", "fd00::/112"]
    world = await start(world=await start(), ranges=both)
    await world.settle(INTERVAL_S + 1)
    assert kept(world, *where)["spec"]["cidrs"] == both
    (ready,) = kept(world, *where)["status"]["conditions"]
    assert ready["status"] == "True"
    assert not caplog.messages
    others = await start(world=world, ranges=["fd00::/112", "10.0.0.0/24"])
    await others.settle(INTERVAL_S + 1)
    assert kept(others, *where)["spec"]["cidrs"] == both, "other ranges stay as they are"
    (told,) = [each for each in caplog.messages if "ServiceCIDR" in each]
    assert told.endswith("[10.0.0.0/24 fd00::/112] does not match --service-cluster-ip-range [fd00::/112 10.0.0.0/24]")


async def test_a_second_family_is_tried_again_where_the_store_fails() -> None:
    where, both = ("servicecidrs", "", "kubernetes", "networking.k8s.io"), ["10.0.0.0/24", "fd00::/112"]
    before = await start()
    before.store.fail = lambda key: "servicecidrs" in key
    world = await start(world=before, ranges=both)
    await world.settle()
    assert kept(world, *where)["spec"]["cidrs"] == both[:1]
    world.store.fail = lambda _key: False
    await world.settle(INTERVAL_S + 1)
    assert kept(world, *where)["spec"]["cidrs"] == both


@pytest.mark.parametrize(
    "given, found",
    [
        ({"advertise_address": "192.0.2.7"}, "192.0.2.7"),
        ({"advertise_address": "127.0.0.1", "bind_address": "192.0.2.8"}, "127.0.0.1"),
        ({"bind_address": "192.0.2.8"}, "192.0.2.8"),
        ({"advertise_address": "0.0.0.0", "bind_address": "192.0.2.8"}, "192.0.2.8"),
        ({"bind_address": "127.0.0.1"}, "the host's"),
        ({"bind_address": "::"}, "the host's"),
        ({"advertise_address": "192.0.2.7", "has_endpoints": False}, ""),
    ],
)
def test_which_address_others_are_told(
    given: dict[str, Any], found: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(advertised, "_find_host_address", lambda: "the host's")
    assert advertised.find(Config(tmp_path, **given)) == found


def test_by_which_addresses_the_server_is_reached(tmp_path: Any) -> None:
    config = Config(tmp_path, advertise_address="2001:db8::1", service_ranges=("fd00::/112", "10.0.0.0/24"))
    assert advertised.own(config) == ["fd00::1", "2001:db8::1"]
    assert advertised.own(replace(config, has_endpoints=False)) == ["fd00::1", "2001:db8::1"]
    assert advertised.own(replace(config, advertise_address="", has_endpoints=False)) == ["fd00::1"]


@pytest.mark.parametrize(
    ("ranges", "address", "is_taken"),
    [
        (("10.0.0.0/24",), "192.0.2.7", True),
        (("10.0.0.0/24", "fd00::/112"), "192.0.2.7", True),
        (("fd00::/112",), "2001:db8::1", True),
        (("fd00::/112",), "192.0.2.7", False),
        (("10.0.0.0/24", "fd00::/112"), "2001:db8::1", False),
    ],
)
def test_the_service_leads_to_an_address_of_its_own_family(
    ranges: tuple[str, ...], address: str, is_taken: bool, tmp_path: Any
) -> None:
    config = Config(tmp_path, advertise_address=address, service_ranges=ranges)
    advertised.check(replace(config, has_endpoints=False))
    if is_taken:
        advertised.check(config)
        return
    with pytest.raises(ConfigError) as refused:
        advertised.check(config)
    assert str(refused.value) == f'service IP family "{ranges[0]}" must match public address family "{address}"'
