"""Random owners, dependents and deletions at two servers, one of which is away now and then, end as the slow and
obvious collector says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from property.test_garbage_property import POLICIES, collect
from quarterdeck.controllers.garbage import circuitbreaker, collector, reflector
from support.garbage import World
from support.remote_objects import FLUNDERS, RemoteStore, refer
from support.waiting import until

OBJECTS_MAX = 8
Plan = tuple[list[tuple[bool, dict[int, bool]]], list[tuple[int, str, bool]]]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """For each object whether it is elsewhere, the earlier ones that own it, and whether it blocks them; then deletions
    by object, policy and whether the other server is away meanwhile."""
    count = draw(st.integers(1, OBJECTS_MAX))
    owners = [
        draw(st.dictionaries(st.integers(0, at - 1), st.booleans(), max_size=3)) if at else {} for at in range(count)
    ]
    places = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    one = st.tuples(st.integers(0, count - 1), st.sampled_from(POLICIES), st.booleans())
    return list(zip(places, owners, strict=True)), draw(st.lists(one, max_size=4))


async def run(objects: list[tuple[bool, dict[int, bool]]], deletions: list[tuple[int, str, bool]]) -> dict[str, Any]:
    world, remote = await World().start(), RemoteStore()
    world.garbage.follow_remote(remote, (FLUNDERS,), is_whole=True)
    await until(lambda: remote.is_followed)
    made: list[dict[str, Any]] = []
    for at, (is_elsewhere, owned_by) in enumerate(objects):
        references = [refer(made[owner], blocks=blocks) for owner, blocks in owned_by.items()]
        if is_elsewhere:
            made.append(remote.create(f"o{at}", *references))
        else:
            made.append(await world.create(f"o{at}", *references))
    await rest(world, remote)
    for at, policy, is_away in deletions:
        if is_away:
            remote.is_away = True
            remote.forget_history()
        if objects[at][0]:
            remote.remove(f"o{at}", policy)
        else:
            await world.delete(f"o{at}", policy)
        if is_away:
            await asyncio.sleep(0.005)
            remote.is_away = False
        await rest(world, remote)
    found = owners_of(world, remote)
    await world.stop()
    return found


def owners_of(world: World, remote: RemoteStore) -> dict[str, Any]:
    there = {
        name: [each["name"] for each in metadata.get("ownerReferences", ())]
        for (_, name), metadata in remote.objects.items()
    }
    return {name: sorted(owners) for name, owners in (world.owners() | there).items()}


async def rest(world: World, remote: RemoteStore) -> None:
    """Nothing is under way for a few looks in a row."""

    def is_idle() -> bool:
        waiting = [each for each in world.garbage.collector.remote._breakers.values() if each._waiting]
        queues = world.garbage.collector.queues()
        return remote.is_followed and remote.is_delivered and not waiting and all(queue.is_idle for queue in queues)

    for _ in range(4):
        await until(is_idle)
        await asyncio.sleep(0.001)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plans())
def test_ends_as_the_reference_does(monkeypatch: pytest.MonkeyPatch, plan: Plan) -> None:
    for module, name in ((circuitbreaker, "REST"), (reflector, "RETRY")):
        monkeypatch.setattr(module, f"{name}_FIRST_S", 0.001)
        monkeypatch.setattr(module, f"{name}_MAX_S", 0.002)
    monkeypatch.setattr(circuitbreaker, "_SWEEP_S", 0.001)
    monkeypatch.setattr(collector, "SETTLING_LOOK_S", 0.001)
    objects, deletions = plan
    expected = {at: set(owned_by) for at, (_, owned_by) in enumerate(objects)}
    for at, policy, _ in deletions:
        collect(expected, at, policy)
    assert asyncio.run(run(objects, deletions)) == {
        f"o{at}": sorted(f"o{owner}" for owner in owned_by) for at, owned_by in expected.items()
    }
