"""What controllers and the serving of definitions keep of them: little, and that little is new."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apiextensions.build import Builder
from support.control import GROUP, World

NAME = f"widgets.{GROUP}"


async def begin() -> World:
    world = await World().start()
    await world.define("widgets")
    await world.settle()
    return world


async def test_controllers_read_definitions_without_schemas_and_long_texts() -> None:
    world = await begin()

    def annotate(obj: dict[str, Any]) -> None:
        obj["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "x" * 1000, "a": "b"}

    await world.change(world.definitions[""], "", NAME, annotate)
    definition = world.controllers.naming._definitions.get(NAME)
    assert definition is not None
    assert definition["metadata"]["annotations"] == {"a": "b"}
    assert "managedFields" not in definition["metadata"]
    assert definition["spec"]["versions"] == [{"name": "v1", "served": True, "storage": True}]
    assert definition["status"]["acceptedNames"]["plural"] == "widgets"


async def test_a_definition_that_is_gone_is_not_remembered() -> None:
    world = await begin()
    definitions = world.controllers.naming._definitions
    assert definitions.get(NAME) is not None
    await world.delete(world.definitions[""], "", NAME)
    await world.settle()
    assert definitions.get(NAME) is None
    assert definitions._heads == {}


async def test_a_definition_is_built_once_on_its_way_to_being_served(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    build = Builder.build

    def count(self: Builder, definition: dict[str, Any], data: bytes, *more: Any) -> Any:
        built.append(definition["metadata"]["name"])
        return build(self, definition, data, *more)

    monkeypatch.setattr(Builder, "build", count)
    world = await begin()
    assert world.served.get(GROUP, "widgets") is not None
    assert built == [NAME]


async def test_schemas_are_read_from_the_bytes_that_the_cache_holds() -> None:
    world = await begin()
    await world.change(world.definitions[""], "", NAME, lambda obj: obj["metadata"].update(labels={"a": "b"}))
    served = world.served.get(GROUP, "widgets")
    entry = world.definitions[""].store.cache.get("", NAME)
    assert served is not None and entry is not None
    assert served.schemas.data is entry.data
    assert served.schemas.read("v1")["type"] == "object"
