"""Namespaces that are deleted: emptied, told about, let go; pods first."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.remotecontents import Remaining
from support.control import GROUP, World
from support.waiting import until

DONE = {
    "NamespaceDeletionDiscoveryFailure": ("False", "ResourcesDiscovered"),
    "NamespaceDeletionGroupVersionParsingFailure": ("False", "ParsedGroupVersions"),
    "NamespaceDeletionContentFailure": ("False", "ContentDeleted"),
    "NamespaceContentRemaining": ("False", "ContentRemoved"),
    "NamespaceFinalizersRemaining": ("False", "ContentHasNoFinalizers"),
}


async def begin(*held: str) -> World:
    world = await World().start()
    await world.define("widgets")
    await world.create(world.namespaces[""], {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}})
    await world.settle()
    for name in held:
        await world.add_object("widgets", name, hold=True)
    await world.add_object("widgets", "free")
    return world


def namespace(world: World) -> dict[str, Any] | None:
    entry = world.namespaces[""].store.cache.get("", "ns")
    return json_codec.load(entry.data) if entry is not None else None


def told(world: World) -> dict[str, tuple[str, str, str]]:
    found = namespace(world)
    assert found is not None
    return {one["type"]: (one["status"], one["reason"], one["message"]) for one in found["status"]["conditions"]}


async def test_an_emptied_namespace_goes() -> None:
    world = await begin()
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle()
    assert namespace(world) is None
    assert world.objects() == []


async def test_a_deleted_namespace_is_emptied_after_a_while() -> None:
    """It is Terminating until then; one that is not deleted is never worked on."""
    world = await begin()
    world.controllers.namespace.delay_s = 1.0
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle(0.9)
    found = namespace(world)
    assert found is not None and found["status"] == {"phase": "Terminating"}
    assert world.objects() != []
    await world.settle(0.2)
    assert namespace(world) is None
    assert world.objects() == []


async def test_what_remains_is_told_and_looked_at_again() -> None:
    world = await begin("a", "b")
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle()
    found = told(world)
    remaining = f"Some resources are remaining: widgets.{GROUP} has 2 resource instances"
    finalizers = "Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances"
    assert found.pop("NamespaceContentRemaining") == ("True", "SomeResourcesRemain", remaining)
    assert found.pop("NamespaceFinalizersRemaining") == ("True", "SomeFinalizersRemain", finalizers)
    assert {kind: text[:2] for kind, text in found.items()} == {kind: DONE[kind] for kind in found}
    await world.release("widgets", "a")
    await world.settle(2)
    assert "widgets.example.com has 1 resource instances" in told(world)["NamespaceContentRemaining"][2]
    await world.release("widgets", "b")
    await world.settle(2)
    assert namespace(world) is None


async def test_a_deletion_that_fails_is_told_and_tried_again() -> None:
    world = await begin()
    world.store.fail = lambda key: key.startswith(f"/registry/{GROUP}/")
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle(1)
    status, reason, message = told(world)["NamespaceDeletionContentFailure"]
    assert (status, reason) == ("True", "ContentDeletionFailed")
    assert message.startswith("Failed to delete all resource types, 1 remaining: ")
    assert told(world)["NamespaceContentRemaining"][:2] == DONE["NamespaceContentRemaining"]
    world.store.fail = lambda _key: False
    await world.settle(5)
    assert namespace(world) is None


async def test_a_restart_in_the_middle_goes_on() -> None:
    world = await begin("a")
    await world.delete(world.namespaces[""], "", "ns")
    again = await World(world.store).start()
    await again.settle()
    assert again.objects() == ["widgets/ns/a"]
    await again.release("widgets", "a")
    last = await World(world.store).start()
    await last.settle()
    assert namespace(last) is None


async def test_the_namespaces_of_the_server_are_made_at_the_start() -> None:
    world = await World().start()
    found = {entry.name: json_codec.load(entry.data) for entry in world.namespaces[""].store.cache.state.all()}
    assert set(found) == {"default", "kube-system", "kube-public", "kube-node-lease"}
    owners = [each["metadata"]["managedFields"] for each in found.values()]
    assert {(each["manager"], each["operation"]) for (each,) in owners} == {("kube-apiserver", "Update")}


class RemoteDeleter:
    """Other servers with one resource; `left` is what stays of it."""

    name = "flunders.wardle.example.com"

    def __init__(self) -> None:
        self.stale: list[str] = []
        self.left = Remaining()
        self.failure = ""
        self.emptied = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    def resources(self) -> list[RemoteDeleter]:
        return [self]

    def undiscovered(self) -> list[str]:
        return self.stale

    async def empty(self, namespace: str) -> Remaining:
        assert namespace.startswith("ns")
        self.emptied += 1
        await self.may_answer.wait()
        if self.failure:
            raise errors.ServiceUnavailable(self.failure)
        return self.left


async def test_other_servers_are_emptied_too() -> None:
    world = await begin()
    remote = world.controllers.namespace.remote = RemoteDeleter()
    remote.left = Remaining(2, Counter({"a/b": 1}))
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle()
    text = "Some resources are remaining: flunders.wardle.example.com has 2 resource instances"
    assert told(world)["NamespaceContentRemaining"] == ("True", "SomeResourcesRemain", text)
    remote.failure = "no"
    await world.settle(2)
    text = "Failed to delete all resource types, 1 remaining: no"
    assert told(world)["NamespaceDeletionContentFailure"] == ("True", "ContentDeletionFailed", text)
    remote.failure, remote.left = "", Remaining()
    await world.settle(60)
    assert namespace(world) is None


async def test_a_server_that_hangs_holds_up_nothing_here() -> None:
    world = await begin()
    remote = world.controllers.namespace.remote = RemoteDeleter()
    remote.may_answer = asyncio.Event()
    spaces = [f"ns-{number}" for number in range(12)]
    for name in spaces:
        await world.create(world.namespaces[""], {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        await world.add_object("widgets", "one", name)
    world.controllers.namespace.controller.start()
    for name in spaces:
        await world.delete(world.namespaces[""], "", name)
    await until(lambda: world.objects() == ["widgets/ns/free"] and remote.emptied)
    assert len(list(world.namespaces[""].store.cache.state.all())) > len(spaces)
    remote.may_answer.set()
    await until(lambda: not [entry for entry in world.namespaces[""].store.cache.state.all() if entry.name in spaces])
    await world.controllers.stop()


async def test_servers_that_do_not_tell_what_they_serve_hold_a_namespace() -> None:
    world = await begin()
    remote = world.controllers.namespace.remote = RemoteDeleter()
    remote.stale = ["a/v1: stale", "b/v1: stale"]
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle()
    text = (
        "Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: "
        "a/v1: stale, b/v1: stale"
    )
    assert told(world)["NamespaceDeletionDiscoveryFailure"] == ("True", "DiscoveryFailed", text)
    assert world.objects() == []
    assert remote.emptied
    remote.stale = []
    await world.settle(60)
    assert namespace(world) is None
