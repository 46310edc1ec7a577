"""Whatever the order in which the controllers work, whichever of their writes fail, and wherever the process dies, the
store ends as it does when nothing goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from support.control import GROUP, FailingStore, World

# Longer than the back-off after the few failures, all together shorter than the finalizer's patience.
PATIENCE_S = 5.0
SCHEMA = {"schema": {"openAPIV3Schema": {"type": "object"}}}


async def define_rival(world: World) -> None:
    """Its kind is taken as long as widgets is there."""
    await world.define("gadgets", "Widget")


async def delete_widgets(world: World) -> None:
    await world.delete(world.definitions[""], "", f"widgets.{GROUP}")


async def delete_namespace(world: World) -> None:
    await world.delete(world.namespaces[""], "", "doomed")


async def release(world: World) -> None:
    """Take the finalizers from the held objects, as their own controllers would."""
    for name, namespace in (("held", "ns"), ("held-too", "doomed")):
        served = world.served.get(GROUP, "widgets")
        if served is not None and served.store.cache.get(namespace, name) is not None:
            await world.release("widgets", name, namespace)


async def add_version(world: World) -> None:
    def change(obj: dict[str, Any]) -> None:
        obj["spec"]["versions"].append({"name": "v2", "served": True, "storage": False, **SCHEMA})

    if world.definition("widgets") is not None:
        await world.change(world.definitions[""], "", f"widgets.{GROUP}", change)


async def make_up_a_condition(world: World) -> None:
    def change(obj: dict[str, Any]) -> None:
        one = {"type": "NonStructuralSchema", "status": "True", "reason": "Violations", "message": "made up"}
        obj["status"]["conditions"] = [*(obj["status"]["conditions"] or []), one]

    if world.definition("widgets") is not None:
        await world.change(world.definitions["status"], "", f"widgets.{GROUP}", change)


async def define_in_other_group(world: World) -> None:
    annotations = {"api-approved.kubernetes.io": "https://example.com/1"}
    await world.define("others", group="other.k8s.io", annotations=annotations)


Act = Callable[[World], Awaitable[None]]
# In this order, each of them or not. What they lead to does not depend on how far the controllers are in between.
ACTS: tuple[Act, ...] = (
    define_rival,
    add_version,
    make_up_a_condition,
    define_in_other_group,
    delete_namespace,
    delete_widgets,
    release,
)


async def begin() -> World:
    """Widgets with a held object in two namespaces, one of which may be deleted."""
    world = await World(FailingStore()).start()
    await world.define("widgets", "Widget")
    for name in ("ns", "doomed"):
        await world.create(world.namespaces[""], {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    await world.settle()
    await world.add_object("widgets", "held", "ns", hold=True)
    await world.add_object("widgets", "held-too", "doomed", hold=True)
    await world.add_object("widgets", "free", "doomed")
    await world.settle()
    return world


async def persist(world: World, act: Act) -> None:
    """A client tries again until it is answered."""
    while True:
        try:
            await act(world)
            return
        except errors.AlreadyExists:
            return
        except errors.InternalError:
            continue


def show(world: World) -> dict[str, Any]:
    """All that is stored, without what differs from run to run."""
    shown: dict[str, Any] = {}
    for cache in world.cacher.caches():
        for entry in cache.state.all():
            obj = json_codec.load(entry.data)
            metadata, status = obj["metadata"], dict(obj.get("status") or {})
            conditions = sorted(
                (one["type"], one["status"], one.get("reason"), one.get("message"))
                for one in status.pop("conditions", None) or ()
            )
            kept = {name: metadata.get(name) for name in ("labels", "finalizers")}
            is_going = "deletionTimestamp" in metadata
            shown[cache.prefix + entry.path] = (kept, is_going, obj.get("spec"), status, conditions)
    shown["served"] = {each.name: sorted(each.scopes) for each in world.served.all()}
    return shown


async def run_smoothly(acts: list[Act]) -> dict[str, Any]:
    world = await begin()
    for act in acts:
        await act(world)
        await world.settle(PATIENCE_S)
    return show(world)


class Chance:
    """Decides which key is next, which writes fail, and when the process dies."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        self._failures = 0

    def pick(self, most: int) -> int:
        return self._data.draw(st.integers(0, most)) if most else 0

    def fail(self, _key: str) -> bool:
        if self._failures < 6 and self._data.draw(st.integers(0, 3)) == 3:
            self._failures += 1
            return True
        return False


async def work_a_little(world: World, chance: Chance) -> None:
    for _ in range(chance.pick(6)):
        waiting = world.waiting()
        if not waiting:
            due = world.clock.due_s()
            if not due:
                return
            world.clock.advance(due[0])
            continue
        await waiting[chance.pick(len(waiting) - 1)].work_on_next()


async def run_roughly(acts: list[Act], chance: Chance) -> dict[str, Any]:
    world = await begin()
    for act in acts:
        await persist(world, act)
        world.store.fail = chance.fail
        await work_a_little(world, chance)
        world.store.fail = lambda _key: False
        if chance.pick(2) == 2:
            world = await World(world.store).start()
    await world.settle(PATIENCE_S)
    return show(world)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), min_size=len(ACTS), max_size=len(ACTS)), st.data())
def test_disorder_failures_and_restarts_change_nothing(chosen: list[bool], data: st.DataObject) -> None:
    acts = [act for act, is_chosen in zip(ACTS, chosen, strict=True) if is_chosen]
    smooth = asyncio.run(run_smoothly(acts))
    assert asyncio.run(run_roughly(acts, Chance(data))) == smooth


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), min_size=len(ACTS), max_size=len(ACTS)), st.lists(st.integers(0, 5), max_size=8))
def test_the_end_of_the_process_between_any_two_writes_changes_nothing(chosen: list[bool], lives: list[int]) -> None:
    """`lives`: how many writes of the controllers each process lasts."""
    acts = [act for act, is_chosen in zip(ACTS, chosen, strict=True) if is_chosen]

    async def run() -> dict[str, Any]:
        world = await begin()
        for act in acts:
            await persist(world, act)
        for writes in lives:
            left = [writes]

            def fail(_key: str, left: list[int] = left) -> bool:
                left[0] -= 1
                return left[0] < 0

            world.store.fail = fail
            await world.settle(1)
            world.store.fail = lambda _key: False
            world = await World(world.store).start()
        await world.settle(PATIENCE_S)
        return show(world)

    assert asyncio.run(run()) == asyncio.run(run_smoothly(acts))
