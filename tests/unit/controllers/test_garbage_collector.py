"""What the garbage collector does to dependents, by what became of their owners."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.controllers.garbage.graph import read_references
from quarterdeck.controllers.garbage.local import LocalResource
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.writes import Update
from support.garbage import World, context, refer
from support.waiting import until


@pytest.fixture
def world(runner: asyncio.Runner) -> Iterator[World]:
    made = runner.run(World().start())
    yield made
    runner.run(made.stop())


async def test_a_dependent_goes_with_its_last_owner(world: World) -> None:
    first, second = await world.create("first"), await world.create("second")
    await world.create("dependent", refer(first), refer(second))
    await world.delete("first", "Background")
    await world.settle()
    assert world.owners() == {"second": [], "dependent": ["second"]}
    await world.delete("second", "Background")
    await world.settle()
    assert world.owners() == {}
    graph = world.garbage.collector.graph
    assert not graph.nodes and not graph.owners


@pytest.mark.parametrize("policy", ["Orphan", "Foreground"])
async def test_a_client_can_read_what_its_deletion_has_left(world: World, policy: str) -> None:
    for queue in world.garbage.collector.queues():
        queue.steady_clock = None
    owner = await world.create("owner")
    await world.create("dependent", refer(owner))
    await world.delete("owner", policy)
    queues = (world.garbage.collector.deleting, world.garbage.collector.orphaning)
    assert not any(queue.depth for queue in queues) and any(not queue.is_idle for queue in queues)
    await until(lambda: world.metadata("owner") is None and all(queue.is_idle for queue in queues))
    assert world.owners() == ({"dependent": []} if policy == "Orphan" else {})


async def test_an_owner_is_known_by_its_uid(world: World) -> None:
    owner = await world.create("owner")
    await world.create("dependent", refer(owner, uid="another"))
    await world.settle()
    assert world.owners() == {"owner": []}


async def test_an_owner_in_another_namespace_counts_as_absent(world: World) -> None:
    owner = await world.create("owner", namespace="elsewhere")
    await world.create("dependent", refer(owner))
    await world.settle()
    assert world.metadata("dependent") is None


async def test_an_owner_without_namespace_owns_everywhere(world: World) -> None:
    owner = await world.create("owner", kind="Namespace")
    await world.create("dependent", refer(owner))
    await world.settle()
    assert world.metadata("dependent") is not None


async def test_an_owner_of_an_unknown_kind_keeps_its_dependent(world: World) -> None:
    owner = await world.create("owner")
    await world.create("dependent", refer(owner, kind="Nothing"))
    await world.settle()
    await world.delete("owner", "Background")
    await world.settle()
    assert world.metadata("dependent") is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "ConfigMapList"},
        {"kind": "configmap", "uid": "gone"},
        {"kind": "event"},
        {"kind": "Binding"},
        {"kind": "bindinglist", "name": "kept"},
        {"kind": "ComponentStatus"},
        {"kind": "TokenReview", "apiVersion": "authentication.k8s.io/v1"},
        {"kind": "tokenreview", "apiVersion": "authentication.k8s.io/v1"},
        {"kind": "TokenReviewList", "apiVersion": "authentication.k8s.io/v1"},
        {"kind": "configmaplist", "name": "kept"},
        {"kind": "CONFIGMAP", "name": "kept"},
        {"kind": "Eviction", "apiVersion": "policy/v1", "name": "kept"},
        {"uid": "gone", "name": "kept%"},
    ],
)
async def test_kinds_of_which_there_is_nothing_are_known_as_a_mapper_knows_them(
    world: World, changed: dict[str, str]
) -> None:
    owner = await world.create("owner")
    await world.create("dependent", refer(owner, **changed))
    await world.settle()
    is_kept = changed.get("name", "").startswith("kept")
    assert (world.metadata("dependent") is not None) == is_kept


async def test_an_owner_whose_kind_is_written_in_lower_case_owns(world: World) -> None:
    owner = await world.create("owner")
    await world.create("dependent", refer(owner, kind="configmap"))
    await world.settle()
    assert world.metadata("dependent") is not None
    await world.delete("owner", "Background")
    await world.settle()
    assert world.metadata("dependent") is None


async def test_an_owner_in_a_version_that_is_not_served_keeps_its_dependent(world: World) -> None:
    owner = await world.create("owner")
    await world.create("dependent", refer(owner, apiVersion="v9"))
    await world.settle()
    await world.delete("owner", "Background")
    await world.settle()
    assert world.metadata("dependent") is not None


async def test_a_cluster_scoped_dependent_of_a_namespaced_owner_is_left_alone(world: World) -> None:
    owner = await world.create("owner")
    await world.create("dependent", refer(owner, uid="gone"), kind="Namespace")
    await world.settle()
    assert world.scopes["Namespace"].store.cache.get("", "dependent") is not None


async def test_foreground_waits_only_for_blocking_dependents(world: World) -> None:
    owner = await world.create("owner")
    await world.create("blocking", refer(owner, blocks=True), hold=True)
    await world.create("other", refer(owner), hold=True)
    await world.delete("owner", "Foreground")
    await world.settle()
    for name in ("blocking", "other"):
        assert "deletionTimestamp" in (world.metadata(name) or {})
    assert world.metadata("owner") is not None
    await world.release("blocking")
    await world.settle()
    assert world.metadata("owner") is None and world.metadata("other") is not None


async def test_foreground_lets_go_of_dependents_that_somebody_else_owns(world: World) -> None:
    owner, other = await world.create("owner"), await world.create("other")
    await world.create("dependent", refer(owner, blocks=True), refer(other))
    await world.delete("owner", "Foreground")
    await world.settle()
    assert world.owners() == {"other": [], "dependent": ["other"]}


async def test_foreground_goes_down_to_the_leaves_first(world: World) -> None:
    owner = await world.create("owner")
    middle = await world.create("middle", refer(owner, blocks=True))
    await world.create("leaf", refer(middle, blocks=True), hold=True)
    await world.delete("owner", "Foreground")
    await world.settle()
    assert (world.metadata("middle") or {})["finalizers"] == ["foregroundDeletion"]
    await world.release("leaf")
    await world.settle()
    assert world.owners() == {}


async def test_a_circle_does_not_wait_for_itself(world: World) -> None:
    first = await world.create("first", hold=True)
    second = await world.create("second", refer(first, blocks=True))
    scope = world.scopes["ConfigMap"]
    live = scope.codec.decode(scope.store.get("ns", "first").data)
    live["metadata"]["ownerReferences"] = [refer(second, blocks=True)]
    await put_first(world, live)
    await world.delete("first", "Foreground")
    await world.settle()
    await world.release("first")
    await world.settle()
    assert world.owners() == {}


async def put_first(world: World, obj: dict[str, object]) -> None:
    async def transform(_live: dict[str, object] | None) -> dict[str, object]:
        return obj

    scope = world.scopes["ConfigMap"]
    await scope.store.update(scope, "ns", "first", Update(transform), context())


async def test_an_orphaned_dependent_keeps_its_other_owners(world: World) -> None:
    owner, other = await world.create("owner"), await world.create("other")
    await world.create("dependent", refer(owner, blocks=True), refer(other))
    await world.create("alone", refer(owner))
    await world.delete("owner", "Orphan")
    await world.settle()
    assert world.owners() == {"other": [], "dependent": ["other"], "alone": []}


async def test_what_was_left_half_done_is_finished_after_a_restart(world: World) -> None:
    foreground, orphaned, gone = [await world.create(name) for name in ("foreground", "orphaned", "gone")]
    await world.create("a", refer(foreground, blocks=True))
    await world.create("b", refer(orphaned))
    await world.create("c", refer(gone))
    await world.settle()
    await world.stop()
    await world.delete("foreground", "Foreground")
    await world.delete("orphaned", "Orphan")
    await world.delete("gone", "Background")
    world.begin()
    await world.settle()
    assert world.owners() == {"b": []}


async def test_an_event_tells_of_an_owner_in_another_namespace(world: World) -> None:
    await world.create("ns", kind="Namespace")
    owner = await world.create("owner", namespace="elsewhere")
    await world.create("elsewhere", kind="Namespace")
    here = await world.create("here")
    dependent = await world.create("dependent", refer(owner), refer(here))
    await world.settle()
    (event,) = world.events()
    assert event["metadata"]["namespace"] == "ns"
    assert event["metadata"]["name"].startswith("dependent.")
    assert event["involvedObject"] == {
        "kind": "ConfigMap",
        "namespace": "ns",
        "name": "dependent",
        "uid": dependent["metadata"]["uid"],
        "apiVersion": "v1",
    }
    assert (event["type"], event["reason"], event["count"]) == ("Warning", "OwnerRefInvalidNamespace", 1)
    assert event["source"] == {"component": "garbage-collector-controller"}
    assert event["message"] == (
        f"ownerRef [v1/ConfigMap, namespace: ns, name: owner, uid: {owner['metadata']['uid']}] "
        'does not exist in namespace "ns"'
    )
    assert world.owners()["dependent"] == ["here"]


async def test_an_event_tells_of_an_owner_in_a_namespace_of_an_object_without_one(world: World) -> None:
    await world.create("default", kind="Namespace")
    await world.create("elsewhere", kind="Namespace")
    owner = await world.create("owner", namespace="elsewhere")
    await world.create("dependent", refer(owner), kind="Namespace")
    await world.settle()
    (event,) = world.events()
    assert event["metadata"]["namespace"] == "default"
    assert "namespace" not in event["involvedObject"]
    assert event["message"].endswith('does not exist in namespace ""')
    assert world.scopes["Namespace"].store.cache.get("", "dependent") is not None


async def test_no_event_is_left_in_a_namespace_that_is_gone_or_going(world: World) -> None:
    await world.create("elsewhere", kind="Namespace")
    owner = await world.create("owner", namespace="elsewhere")
    await world.create("dependent", refer(owner))
    await world.create("ns", kind="Namespace")
    await world.delete("ns", "Background", kind="Namespace")
    await world.create("another", refer(owner))
    await world.settle()
    assert world.events() == []


async def test_an_owner_whose_store_has_told_less_is_waited_for(world: World) -> None:
    """As where its resource is in another etcd than the dependent's."""
    owner = await world.create("owner")
    cache = world.scopes["ConfigMap"].store.cache
    told: list[str] = []

    async def catch_up() -> None:
        told.append("all")

    behind: Any = SimpleNamespace(
        get=lambda namespace, name: cache.get(namespace, name) if told else None,
        damaged={},
        shared=SimpleNamespace(is_alone=False, catch_up=catch_up),
        prefix="",
    )
    scope: Any = SimpleNamespace(resource=world.scopes["ConfigMap"].resource, store=SimpleNamespace(cache=behind))
    resource = LocalResource(scope.resource, lambda: scope, frozenset(("v1",)), lambda: UNADMITTED)
    (reference,) = read_references({"ownerReferences": [refer(owner)]})
    state = await resource.find_owner("ns", reference, {})
    assert state is not None and state.uid == owner["metadata"]["uid"]
    told.clear()
    assert await resource.find_owner("ns", reference._replace(uid="another"), {}) is None
    assert told == ["all"]


async def test_what_is_final_waits_for_what_other_stores_have_to_tell(world: World) -> None:
    first, second = await world.create("first"), await world.create("second")
    told: list[str] = []

    async def catch_up() -> None:
        if not told:
            told.append("all")
            await world.create("a", refer(first))
            await world.create("b", refer(second, blocks=True))

    world.garbage.collector.catch_up = catch_up
    await world.delete("first", "Orphan")
    await world.delete("second", "Foreground")
    await world.settle()
    assert world.owners() == {"a": []}


async def test_many_owners_are_taken_in_by_steps_and_in_order(world: World) -> None:
    owner = await world.create("owner")
    many = [refer(owner, uid=f"u{number}", name=f"n{number}") for number in range(2000)]
    await world.create("large", *many, refer(owner), hold=True)
    assert not world.garbage.collector.feed.is_caught_up
    await world.create("small", refer(owner))  # waits behind it
    await world.catch_up()
    graph = world.garbage.collector.graph
    assert len(graph.nodes) == 2
    await world.settle()
    assert world.owners()["large"] == ["owner"]  # the others are gone
    assert world.owners()["small"] == ["owner"]
    await world.catch_up()
    await world.delete("owner", "Background")
    await world.settle()
    assert "small" not in world.owners()
    await world.release("large")
    await world.catch_up()
    await world.settle()
    assert not graph.nodes and not graph.owners
