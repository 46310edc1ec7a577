"""The deletion of a definition: its objects first, however long they take, then the definition."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from quarterdeck.controllers.finalizer import PATIENCE_S, PAUSE_S
from support.control import GROUP, World

NAME = f"widgets.{GROUP}"
IN_PROGRESS = ("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
PENDING = (
    "True",
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
)


async def begin(*held: str, free: int = 0) -> World:
    world = await World().start()
    await world.define("widgets")
    await world.settle()
    for name in held:
        await world.add_object("widgets", name, hold=True)
    for number in range(free):
        await world.add_object("widgets", f"free-{number}", namespace=f"ns-{number % 3}")
    return world


async def remove(world: World) -> None:
    await world.delete(world.definitions[""], "", NAME)


async def test_objects_go_before_their_definition() -> None:
    world = await begin(free=40)
    await remove(world)
    assert world.condition("widgets", "Terminating") == PENDING
    await world.settle()
    assert world.definition("widgets") is None
    assert world.objects() == []
    assert world.served.get(GROUP, "widgets") is None


async def test_a_client_can_read_what_its_deletion_has_left() -> None:
    world = await begin(free=1)
    world.controllers.finalizer.controller.steady_clock = None
    await remove(world)
    await world.settle()
    assert world.condition("widgets", "Terminating") == IN_PROGRESS and len(world.objects()) == 1
    await world.settle(PAUSE_S)
    assert world.definition("widgets") is None and world.objects() == []


async def test_a_report_that_fails_comes_later_each_time() -> None:
    world = await begin(free=1)
    world.controllers.finalizer.controller.steady_clock = None
    await remove(world)
    tries = []
    world.store.fail = lambda key: tries.append(key) is None
    await world.settle(1)
    assert 1 < len(tries) < 12
    world.store.fail = lambda _key: False
    await world.settle(10)
    assert world.definition("widgets") is None


async def test_the_end_of_the_last_object_lets_the_definition_go_at_once() -> None:
    world = await begin("a", "b")
    await remove(world)
    await world.settle()
    assert world.condition("widgets", "Terminating") == IN_PROGRESS
    await world.release("widgets", "a")
    await world.settle()
    assert world.definition("widgets") is not None
    await world.release("widgets", "b")
    await world.settle()
    assert world.definition("widgets") is None


async def test_objects_that_stay_are_told_of_after_a_minute() -> None:
    world = await begin("a")
    await remove(world)
    await world.settle(PATIENCE_S - 10)
    assert world.condition("widgets", "Terminating") == IN_PROGRESS
    told = set()
    for _ in range(12):
        await world.settle(1)
        told.add(world.condition("widgets", "Terminating"))
    text = "could not confirm zero CustomResources remaining: context deadline exceeded"
    # A retry that finds nothing wrong says so at once.
    assert IN_PROGRESS in told and told <= {IN_PROGRESS, ("True", "InstanceDeletionCheck", text)}
    await world.release("widgets", "a")
    await world.settle()
    assert world.definition("widgets") is None


async def test_a_deletion_that_fails_is_told_and_tried_again() -> None:
    world = await begin(free=5)
    world.store.fail = lambda key: key.startswith(f"/registry/{GROUP}/widgets/ns-1/")
    await remove(world)
    await world.settle(1)
    status, reason, message = world.condition("widgets", "Terminating") or ("", "", "")
    assert (status, reason) == ("True", "InstanceDeletionFailed")
    assert message.startswith("could not issue all deletes: ")
    assert world.objects()
    writes = world.store.revision
    await world.settle(300)
    assert world.store.revision - writes < 5, "a failure that lasts is not written again and again"
    world.store.fail = lambda _key: False
    await world.settle(1000)
    assert world.definition("widgets") is None
    assert world.objects() == []


async def test_a_definition_that_cannot_be_served_keeps_its_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await begin("a")

    def fail(*_: Any) -> Any:
        raise ValueError("broken")

    restarted = World(world.store)
    monkeypatch.setattr("quarterdeck.apiextensions.build.Builder.build", fail)
    await restarted.start()
    await remove(restarted)
    await restarted.settle(30)
    text = f"could not list instances: unable to find a custom resource client for {NAME}"
    assert restarted.condition("widgets", "Terminating") == ("True", "InstanceDeletionFailed", text)
    assert restarted.objects() == ["widgets/ns/a"]
    monkeypatch.undo()
    again = await World(world.store).start()
    await again.settle()
    assert again.condition("widgets", "Terminating") == IN_PROGRESS
    await again.release("widgets", "a")
    await again.settle()
    assert again.definition("widgets") is None


async def watch_conditions(world: World, act: Callable[[], Awaitable[None]]) -> list[str]:
    """The reasons of Terminating that a watcher sees, one after another."""
    seen: list[str] = []

    def follow(_change: object) -> None:
        if world.definition("widgets") is not None:
            reason = (world.condition("widgets", "Terminating") or ("", "", ""))[1]
            if reason and seen[-1:] != [reason]:
                seen.append(reason)

    world.definitions[""].store.cache.listeners.append(follow)
    await act()
    await world.settle()
    return seen


async def test_a_definition_that_never_was_established_goes_without_objects() -> None:
    world = await World().start()
    await world.define("others", "Widget")
    await world.settle()
    await world.define("widgets", "Widget")
    await world.settle()
    await world.change(world.definitions[""], "", NAME, lambda obj: obj["metadata"].update(finalizers=["a.b/c"]))
    seen = await watch_conditions(world, lambda: remove(world))
    assert seen == ["InstanceDeletionPending", "InstanceDeletionInProgress", "NeverEstablished"]
    assert world.condition("widgets", "Terminating") == ("False", "NeverEstablished", "resource was never established")


async def test_the_definition_waits_for_finalizers_of_others() -> None:
    world = await begin("a")
    await world.change(world.definitions[""], "", NAME, lambda obj: obj["metadata"].update(finalizers=["a.b/c"]))
    await remove(world)
    await world.settle()
    await world.release("widgets", "a")
    await world.settle()
    found = world.definition("widgets")
    assert found is not None and found["metadata"]["finalizers"] == ["a.b/c"]
    completed = ("False", "InstanceDeletionCompleted", "removed all instances")
    assert world.condition("widgets", "Terminating") == completed
    await world.change(world.definitions[""], "", NAME, lambda obj: obj["metadata"].pop("finalizers"))
    await world.settle()
    assert world.definition("widgets") is None


async def test_nothing_is_left_to_wait_for_after_the_end() -> None:
    world = await begin("a")
    await remove(world)
    await world.settle()
    cache = world.scope_of("widgets").store.cache
    assert len(cache.listeners) == 1
    await world.release("widgets", "a")
    await world.settle(10)
    assert cache.listeners == []
    assert world.controllers.finalizer.controller.is_idle
