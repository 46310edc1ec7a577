"""Namespaces that are deleted: emptied, told about, let go; pods first."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from quarterdeck.apimachinery import clock, errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import format_rfc3339
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
    gvr = "wardle.example.com", "v1", "flunders"

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
    assert told(world)["NamespaceDeletionContentFailure"][0] == "False"
    remote.left = Remaining(1)
    await world.settle(2)
    text = "unexpected items still remain in namespace: ns for gvr: wardle.example.com/v1, Resource=flunders"
    assert told(world)["NamespaceDeletionContentFailure"][2].endswith(text)
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


async def test_conditions_stand_where_they_stood() -> None:
    """What others have told is kept, before the conditions that the controller has to add; of several of a type the
    first counts, and keeps its time while its status stays."""
    world = await begin("a")
    before = "2024-01-01T00:00:00Z"
    others = [
        {"type": "Mine", "status": "True"},
        {"type": "NamespaceDeletionContentFailure", "status": "False", "lastTransitionTime": before},
        {"type": "NamespaceContentRemaining", "status": "False", "lastTransitionTime": before},
        {"type": "NamespaceContentRemaining", "status": "Unknown", "lastTransitionTime": before},
    ]
    await world.change(world.namespaces["status"], "", "ns", lambda obj: obj["status"].update(conditions=others))
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle()
    found = namespace(world)
    assert found is not None
    conditions = found["status"]["conditions"]
    assert [each["type"] for each in conditions] == [
        *(each["type"] for each in others),
        "NamespaceDeletionDiscoveryFailure",
        "NamespaceDeletionGroupVersionParsingFailure",
        "NamespaceFinalizersRemaining",
    ]
    assert conditions[1]["lastTransitionTime"] == before and conditions[1]["reason"] == "ContentDeleted"
    assert conditions[2]["lastTransitionTime"] != before and conditions[2]["status"] == "True"
    assert conditions[3] == others[3]


async def test_what_is_orphaned_in_a_namespace_goes_with_it() -> None:
    """Nothing waits for the garbage collector, whatever the finalizers of its deletions say."""
    world = await begin()

    def orphan(obj: dict[str, Any]) -> None:
        obj["metadata"]["finalizers"] = ["orphan"]

    await world.change(world.scope_of("widgets"), "ns", "free", orphan)
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle()
    assert namespace(world) is None
    assert world.objects() == []


async def test_a_namespace_that_waits_for_others_alone_is_emptied() -> None:
    world = await begin()
    scope = world.namespaces["finalize"]
    await world.change(scope, "", "ns", lambda obj: obj.update(spec={"finalizers": ["example.com/mine"]}))
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle()
    assert world.objects() == []
    assert told(world)["NamespaceContentRemaining"][:2] == DONE["NamespaceContentRemaining"]
    await world.change(scope, "", "ns", lambda obj: obj.update(spec={}))
    assert namespace(world) is None


async def test_pods_that_are_left_when_their_time_is_over_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await begin()
    monkeypatch.setattr(clock, "wall_s", world.clock.wall_s)
    spec = {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}, "spec": spec}
    pods = world.builtin["", "v1", "pods"][""]
    await world.create(pods, pod)
    deleted = format_rfc3339(int(world.clock.wall_s()))
    monkeypatch.setattr(clock, "now", lambda: deleted)
    await world.delete(world.namespaces[""], "", "ns")
    await world.settle(28)
    assert told(world)["NamespaceDeletionContentFailure"][:2] == DONE["NamespaceDeletionContentFailure"]
    await world.settle(4)
    text = "unexpected items still remain in namespace: ns for gvr: /v1, Resource=pods"
    message = f"Failed to delete all resource types, 1 remaining: {text}"
    assert told(world)["NamespaceDeletionContentFailure"] == ("True", "ContentDeletionFailed", message)
    await world.delete(pods, "ns", "p", grace_period_s=0)
    await world.settle(2)
    assert namespace(world) is None
