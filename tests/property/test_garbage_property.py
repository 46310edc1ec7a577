"""Random owners, dependents and deletions end as the slow and obvious collector says."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from support.garbage import World, refer

POLICIES = ("Background", "Foreground", "Orphan")
OBJECTS_MAX = 8


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[dict[int, bool]], list[tuple[int, str, bool]]]:
    """For each object the earlier ones that own it, and whether it blocks them; then deletions by object, policy and
    whether the collector is down meanwhile."""
    count = draw(st.integers(1, OBJECTS_MAX))
    owners = [
        draw(st.dictionaries(st.integers(0, at - 1), st.booleans(), max_size=3)) if at else {} for at in range(count)
    ]
    one = st.tuples(st.integers(0, count - 1), st.sampled_from(POLICIES), st.booleans())
    return owners, draw(st.lists(one, max_size=4))


def collect(objects: dict[int, set[int]], at: int, policy: str) -> None:
    """The reference: objects with their owners; nothing else holds them."""
    if at not in objects:
        return
    del objects[at]
    if policy == "Orphan":
        for owners in objects.values():
            owners.discard(at)
        return
    while doomed := [one for one, owners in objects.items() if owners and not owners & objects.keys()]:
        for one in doomed:
            del objects[one]
    for owners in objects.values():
        owners.intersection_update(objects)


async def run(owners: list[dict[int, bool]], deletions: list[tuple[int, str, bool]]) -> dict[str, list[str]]:
    world = await World().start()
    made: list[dict[str, Any]] = []
    for at, owned_by in enumerate(owners):
        references = [refer(made[owner], blocks=blocks) for owner, blocks in owned_by.items()]
        made.append(await world.create(f"o{at}", *references))
    for at, policy, is_down in deletions:
        if is_down:
            await world.stop()
        await world.delete(f"o{at}", policy)
        if is_down:
            world.begin()
        await world.settle()
    graph = world.garbage.collector.graph
    found = world.owners()
    assert len(graph.nodes) == sum(bool(references) for references in found.values())
    assert len(graph.owners) == len({one for references in found.values() for one in references})
    await world.stop()
    return found


@settings(max_examples=150, deadline=None)
@given(plans())
def test_ends_as_the_reference_does(plan: tuple[list[dict[int, bool]], list[tuple[int, str, bool]]]) -> None:
    owners, deletions = plan
    expected = {at: set(owned_by) for at, owned_by in enumerate(owners)}
    for at, policy, _ in deletions:
        collect(expected, at, policy)
    found = asyncio.run(run(owners, deletions))
    assert {name: sorted(references) for name, references in found.items()} == {
        f"o{at}": sorted(f"o{owner}" for owner in owned_by) for at, owned_by in expected.items()
    }
