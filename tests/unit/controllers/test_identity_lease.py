"""The lease that tells of the server is made once it is ready, renewed, and deleted some time after it died."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import format_micro, parse_rfc3339
from quarterdeck.controllers import identitylease, identityleasegc
from quarterdeck.controllers.identitylease import ADDRESS_ANNOTATION, HOSTNAME_LABEL, IDENTITY_LABEL, INTERVAL_S
from quarterdeck.registry.scope import Scope
from support.control import World


@pytest.fixture(autouse=True)
def hostname(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identitylease.socket, "gethostname", lambda: "vm")


NAME = "apiserver-wlv32tlttr4jl3gtroqexyxapa"  # as kube-apiserver names it on a machine of that name


async def start(world: World) -> World:
    await world.start()
    world.controllers.set_address("192.0.2.2", 43443)
    world.controllers.take_up_when_ready()
    await world.settle()
    return world


def leases(world: World) -> Scope:
    return world.builtin["coordination.k8s.io", "v1", "leases"][""]


def find(world: World, name: str = NAME) -> dict[str, Any] | None:
    entry = leases(world).store.cache.get("kube-system", name)
    return json_codec.load(entry.data) if entry is not None else None


def get(world: World, name: str = NAME) -> dict[str, Any]:
    found = find(world, name)
    assert found is not None
    return found


async def add(world: World, name: str, labels: dict[str, str], spec: dict[str, Any]) -> None:
    metadata = {"name": name, "namespace": "kube-system", "labels": labels}
    kind = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
    await world.create(leases(world), {**kind, "metadata": metadata, "spec": spec})


async def test_it_is_not_made_before_the_server_is_ready() -> None:
    world = await World().start()
    await world.settle(INTERVAL_S)
    assert find(world) is None


async def test_it_is_made_as_kube_apiserver_does() -> None:
    world = await start(World())
    lease = get(world)
    assert lease["metadata"]["labels"] == {IDENTITY_LABEL: "kube-apiserver", HOSTNAME_LABEL: "vm"}
    assert lease["metadata"]["annotations"] == {ADDRESS_ANNOTATION: "192.0.2.2:43443"}
    holder = lease["spec"].pop("holderIdentity")
    assert holder.startswith(NAME + "_")
    assert len(holder) == len(NAME) + 37
    assert lease["spec"] == {"leaseDurationSeconds": 3600, "renewTime": format_micro(world.clock.wall_s())}
    (owner,) = lease["metadata"]["managedFields"]
    assert (owner["manager"], owner["operation"]) == ("kube-apiserver", "Update")
    assert owner["fieldsV1"] == {
        "f:metadata": {
            "f:annotations": {".": {}, f"f:{ADDRESS_ANNOTATION}": {}},
            "f:labels": {".": {}, f"f:{IDENTITY_LABEL}": {}, f"f:{HOSTNAME_LABEL}": {}},
        },
        "f:spec": {"f:holderIdentity": {}, "f:leaseDurationSeconds": {}, "f:renewTime": {}},
    }


@pytest.mark.parametrize(("host", "address"), [("127.0.0.1", "127.0.0.1:1"), ("::1", "[::1]:1")])
async def test_an_address_is_written_as_one(host: str, address: str) -> None:
    world = await World().start()
    world.controllers.set_address(host, 1)
    assert world.controllers.identity_lease.address == address


async def test_each_interval_it_is_renewed_by_one_write_and_by_nothing_else() -> None:
    world = await start(World())
    first, revision = get(world), world.store.revision
    adds = {queue.name: queue.adds for queue in world.queues()}
    await world.settle(3 * INTERVAL_S)
    lease = get(world)
    assert world.store.revision == revision + 3
    assert lease["spec"] == {**first["spec"], "renewTime": format_micro(world.clock.wall_s())}
    assert lease["metadata"]["uid"] == first["metadata"]["uid"]
    assert {
        queue.name: queue.adds - adds[queue.name] for queue in world.queues() if queue.adds != adds[queue.name]
    } == {"identity-lease": 3}


async def test_after_a_restart_the_same_lease_is_renewed_with_its_holder() -> None:
    world = await start(World())
    before = get(world)
    again = World(world.store)
    again.clock.advance(5)
    lease = get(await start(again))
    assert lease["metadata"]["uid"] == before["metadata"]["uid"]
    assert lease["spec"]["holderIdentity"] == before["spec"]["holderIdentity"]
    assert lease["spec"]["renewTime"] == format_micro(again.clock.wall_s())


async def test_one_that_was_deleted_comes_back_and_others_changes_stay() -> None:
    world = await start(World())
    await world.delete(leases(world), "kube-system", NAME)
    await world.settle(INTERVAL_S)

    def change(obj: dict[str, Any]) -> None:
        obj["metadata"]["labels"] = {"mine": "1"}
        obj["spec"]["leaseDurationSeconds"] = 5

    await world.change(leases(world), "kube-system", NAME, change)
    await world.settle(INTERVAL_S)
    lease = get(world)
    assert lease["metadata"]["labels"] == {"mine": "1", IDENTITY_LABEL: "kube-apiserver", HOSTNAME_LABEL: "vm"}
    assert lease["spec"]["leaseDurationSeconds"] == 3600


async def test_a_failure_to_renew_is_tried_again() -> None:
    world = await start(World())
    world.store.fail = lambda key: "/leases/" in key
    before = get(world)
    await world.settle(INTERVAL_S)
    assert get(world) == before
    world.store.fail = lambda _key: False
    await world.settle(1)
    assert parse_rfc3339(get(world)["spec"]["renewTime"]) > parse_rfc3339(before["spec"]["renewTime"])


async def test_leases_of_dead_servers_go_when_their_time_is_over() -> None:
    world = await start(World())
    server = {IDENTITY_LABEL: "kube-apiserver"}
    now_s = world.clock.wall_s()
    renewed = {"leaseDurationSeconds": 3600, "renewTime": format_micro(now_s)}
    await add(world, "dead", server, renewed)
    await add(world, "without-time", server, {"leaseDurationSeconds": 3600})
    await add(world, "without-duration", server, {"renewTime": format_micro(now_s)})
    await add(world, "of-another", {IDENTITY_LABEL: "other"}, {})
    await add(world, "no-servers", {}, renewed)
    await add(world, "lives", server, {**renewed, "renewTime": format_micro(now_s + 3 * identityleasegc.INTERVAL_S)})
    await world.settle(identityleasegc.INTERVAL_S)
    assert find(world, "without-time") is None
    assert find(world, "without-duration") is None
    assert find(world, "dead") is not None, "an hour has not passed yet"
    await world.settle(identityleasegc.INTERVAL_S)
    assert find(world, "dead") is None
    for name in (NAME, "of-another", "no-servers", "lives"):
        assert find(world, name) is not None, name
