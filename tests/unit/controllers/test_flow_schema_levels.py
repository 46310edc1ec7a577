"""What the status of a flow schema tells of the level that it names."""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.strategy import Object
from support.control import World
from support.optional_controllers import add, find, kept, start

GROUP: Final = "flowcontrol.apiserver.k8s.io"


async def add_schema(world: World, level: str) -> Object:
    about = {"apiVersion": f"{GROUP}/v1", "kind": "FlowSchema", "metadata": {"name": "s"}}
    return await add(world, "flowschemas", GROUP, **about, spec={"priorityLevelConfiguration": {"name": level}})


async def add_level(world: World, name: str) -> None:
    about = {"apiVersion": f"{GROUP}/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": name}}
    spec = {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}
    await add(world, "prioritylevelconfigurations", GROUP, **about, spec=spec)


def told(world: World) -> list[tuple[str, str, str]]:
    conditions = kept(world, "flowschemas", "", "s", GROUP)["status"].get("conditions") or []
    return [(each["type"], each["status"], each["reason"]) for each in conditions]


async def test_the_status_follows_the_level() -> None:
    world = await start()
    assert (await add_schema(world, "high"))["status"] == {}  # told a moment later
    await world.settle()
    assert told(world) == [("Dangling", "True", "NotFound")]
    await add_level(world, "high")
    await world.settle()
    assert told(world) == [("Dangling", "False", "Found")]
    await world.delete(world.builtin[GROUP, "v1", "prioritylevelconfigurations"][""], "", "high")
    await world.settle()
    assert told(world) == [("Dangling", "True", "NotFound")]


async def test_a_schema_that_names_another_level_is_told_anew() -> None:
    world = await start()
    await add_level(world, "high")
    await add_schema(world, "high")
    await world.settle()

    def rename(schema: Object) -> None:
        schema["spec"]["priorityLevelConfiguration"]["name"] = "low"

    await world.change(world.builtin[GROUP, "v1", "flowschemas"][""], "", "s", rename)
    assert told(world) == [("Dangling", "False", "Found")]
    await world.settle()
    assert told(world) == [("Dangling", "True", "NotFound")]


async def test_who_tells_owns_the_condition_as_one_that_was_applied() -> None:
    world = await start()
    await add_schema(world, "high")
    await world.settle()
    (entry,) = kept(world, "flowschemas", "", "s", GROUP)["metadata"]["managedFields"]
    owner = (entry["manager"], entry["operation"], entry["subresource"])
    assert owner == ("api-priority-and-fairness-config-consumer-v1", "Apply", "status")
    assert list(entry["fieldsV1"]["f:status"]["f:conditions"]) == ['k:{"type":"Dangling"}']


async def test_a_schema_that_is_gone_is_left_alone() -> None:
    world = await start()
    await add_schema(world, "high")
    await world.delete(world.builtin[GROUP, "v1", "flowschemas"][""], "", "s")
    await world.settle()
    assert find(world, "flowschemas", "", "s", GROUP) is None


async def test_a_schema_that_came_before_the_controller_is_told_too() -> None:
    world = await World().start()
    await add_schema(world, "high")
    await start(world=world)
    assert told(world) == [("Dangling", "True", "NotFound")]
