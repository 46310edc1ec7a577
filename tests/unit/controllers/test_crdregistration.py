"""Local APIServices follow what is served; those that somebody else keeps are left alone."""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.scope import Scope
from support.control import GROUP, World, build_definition

NAME = f"v1.{GROUP}"
LABEL = "kube-aggregator.kubernetes.io/automanaged"


def scope_of(world: World) -> Scope:
    return world.builtin["apiregistration.k8s.io", "v1", "apiservices"][""]


def find(world: World, name: str = NAME) -> dict[str, Any] | None:
    entry = scope_of(world).store.cache.get("", name)
    return json_codec.load(entry.data) if entry is not None else None


def of_definitions(world: World) -> list[str]:
    return [entry.name for entry in scope_of(world).store.cache.state.all() if entry.name.endswith(GROUP)]


def build(name: str, **spec: Any) -> dict[str, Any]:
    version, _, group = name.partition(".")
    given = {"group": group, "version": version, "groupPriorityMinimum": 10, "versionPriority": 10, **spec}
    kind = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService"}
    return {**kind, "metadata": {"name": name}, "spec": given}


async def begin() -> World:
    world = await World().start()
    await world.define("widgets")
    await world.settle()
    return world


async def test_each_built_in_version_has_one_that_is_made_at_the_start() -> None:
    world = await World().start()
    await world.settle()
    core = find(world, "v1.")
    assert core is not None
    assert core["metadata"]["labels"] == {LABEL: "onstart"}
    assert core["spec"] == {"version": "v1", "groupPriorityMinimum": 18000, "versionPriority": 1}
    assert find(world, "v1.apiregistration.k8s.io") is None, "the aggregator's own group has none"
    await world.delete(scope_of(world), "", "v1.")
    await world.settle()
    assert find(world, "v1.") is None, "once is enough"
    again = await World(world.store).start()
    await again.settle()
    assert find(again, "v1.") is not None


async def test_a_served_version_has_one() -> None:
    world = await begin()
    found = find(world)
    assert found is not None
    assert found["metadata"]["labels"] == {LABEL: "true"}
    wanted = {"group": GROUP, "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 100}
    assert found["spec"] == wanted
    (condition,) = found["status"]["conditions"]
    del condition["lastTransitionTime"]
    assert condition == {
        "type": "Available",
        "status": "True",
        "reason": "Local",
        "message": "Local APIServices are always available",
    }


async def test_it_stays_until_the_last_definition_of_the_version_goes() -> None:
    world = await begin()
    await world.define("gadgets")
    await world.settle()
    await world.delete(world.definitions[""], "", f"widgets.{GROUP}")
    await world.settle()
    assert of_definitions(world) == [NAME]
    await world.delete(world.definitions[""], "", f"gadgets.{GROUP}")
    await world.settle()
    assert of_definitions(world) == []


async def test_versions_come_and_go() -> None:
    world = await begin()

    def change(obj: dict[str, Any]) -> None:
        schema = obj["spec"]["versions"][0]["schema"]
        obj["spec"]["versions"].append({"name": "v2", "served": True, "storage": False, "schema": schema})
        obj["spec"]["versions"].append({"name": "v3", "served": False, "storage": False, "schema": schema})

    await world.change(world.definitions[""], "", f"widgets.{GROUP}", change)
    await world.settle()
    assert of_definitions(world) == [NAME, f"v2.{GROUP}"]

    def hide(obj: dict[str, Any]) -> None:
        obj["spec"]["versions"][1]["served"] = False

    await world.change(world.definitions[""], "", f"widgets.{GROUP}", hide)
    await world.settle()
    assert of_definitions(world) == [NAME]


async def test_what_a_client_changes_is_put_right() -> None:
    world = await begin()
    await world.change(scope_of(world), "", NAME, lambda obj: obj["spec"].update(versionPriority=7))
    await world.settle()
    found = find(world)
    assert found is not None and found["spec"]["versionPriority"] == 100
    await world.delete(scope_of(world), "", NAME)
    await world.settle()
    assert find(world) is not None


async def test_what_somebody_else_keeps_is_left_alone() -> None:
    world = await World().start()
    await world.settle()
    await world.create(scope_of(world), build(NAME))
    await world.create(scope_of(world), build("v1.other.com"))
    await world.define("widgets")
    await world.settle()
    await world.delete(world.definitions[""], "", f"widgets.{GROUP}")
    await world.settle()
    found = find(world)
    assert found is not None and found["spec"]["versionPriority"] == 10
    assert find(world, "v1.other.com") is not None


async def test_what_became_wrong_while_the_server_was_down_is_put_right_at_the_start() -> None:
    world = await begin()
    key = f"/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.{GROUP}"
    stored = await world.store.get(key)
    assert stored is not None
    await world.store.delete(key, stored.revision)
    again = await World(world.store).start()
    await again.settle()
    assert of_definitions(again) == []


async def test_a_failure_is_tried_again() -> None:
    world = await World().start()
    await world.settle()
    world.store.fail = lambda key: key.endswith(NAME)
    await world.create(world.definitions[""], build_definition("widgets"))
    await world.settle(1)
    assert of_definitions(world) == []
    assert world.condition("widgets", "Established") is not None, "the others do not wait"
    world.store.fail = lambda _key: False
    await world.settle(20)
    assert of_definitions(world) == [NAME]


async def test_what_is_missing_is_told_until_it_is_there() -> None:
    world = await World().start()
    missing = world.controllers.registration.check()
    assert missing is not None
    assert missing.startswith("missing APIService: [v1. v1.admissionregistration.k8s.io v1.apiextensions.k8s.io ")
    await world.settle()
    assert world.controllers.registration.check() is None
    await world.delete(scope_of(world), "", "v1.apps")
    await world.settle()
    assert world.controllers.registration.check() is None, "somebody has deleted it on purpose"
