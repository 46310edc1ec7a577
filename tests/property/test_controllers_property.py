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


# Most of them, so that they meet.
CHOICES = st.sets(st.integers(0, len(ACTS) - 1), max_size=3).map(
    lambda left_out: [act for position, act in enumerate(ACTS) if position not in left_out]
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


def check(acts: list[Act], shown: dict[str, Any]) -> None:
    """What the end has to be, whatever the code does when it is not disturbed."""
    prefix = f"/registry/{GROUP}/widgets/"
    is_released = release in acts
    widgets_go, namespace_goes = delete_widgets in acts, delete_namespace in acts
    expected = set() if widgets_go and is_released else {"ns/held", "doomed/held-too", "doomed/free"}
    if widgets_go or namespace_goes:
        expected.discard("doomed/free")
    if namespace_goes and is_released:
        expected.discard("doomed/held-too")
    assert {key.removeprefix(prefix) for key in shown if key.startswith(prefix)} == expected
    assert ("/registry/core/namespaces/doomed" in shown) == (not (namespace_goes and is_released))
    served = {f"widgets.{GROUP}": ["v1", "v2"] if add_version in acts else ["v1"]}
    if widgets_go and is_released:
        served.clear()
    if define_rival in acts and not served:
        served[f"gadgets.{GROUP}"] = ["v1"]
    if define_in_other_group in acts:
        served["others.other.k8s.io"] = ["v1"]
    assert shown["served"] == served
    wanted = {f"{version}.{name.partition('.')[2]}" for name, versions in served.items() for version in versions}
    if define_rival in acts:
        wanted.add(f"v1.{GROUP}")
    services = {
        key.rpartition("/")[2] for key in shown if key.startswith("/registry/apiregistration.k8s.io/apiservices/")
    }
    assert {name for name in services if "example" in name or "other" in name} == wanted


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


@settings(max_examples=30, deadline=None)
@given(CHOICES, st.data())
def test_disorder_failures_and_restarts_change_nothing(acts: list[Act], data: st.DataObject) -> None:
    smooth = asyncio.run(run_smoothly(acts))
    check(acts, smooth)
    assert asyncio.run(run_roughly(acts, Chance(data))) == smooth


@settings(max_examples=30, deadline=None)
@given(CHOICES, st.lists(st.integers(0, 5), max_size=8))
def test_the_end_of_the_process_between_any_two_writes_changes_nothing(acts: list[Act], lives: list[int]) -> None:
    """`lives`: how many writes of the controllers each process lasts."""

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
