"""What tests of controllers that run only where they are named do: start one, make objects and look at them."""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.strategy import Object
from support.control import World


async def start(*optional: str, world: World | None = None) -> World:
    """`world` is one that was made for these controllers, and has not started."""
    world = world or World(None, *optional)
    await world.start()
    world.controllers.take_up_when_ready()
    await world.settle()
    return world


def find(world: World, resource: str, namespace: str, name: str, group: str = "") -> Object | None:
    entry = world.builtin[group, "v1", resource][""].store.cache.get(namespace, name)
    return None if entry is None else json_codec.load(entry.data)


def kept(world: World, resource: str, namespace: str, name: str, group: str = "") -> Object:
    found = find(world, resource, namespace, name, group)
    assert found is not None
    return found


async def add(world: World, resource: str, group: str = "", **obj: Any) -> Object:
    return await world.create(world.builtin[group, "v1", resource][""], obj)


async def add_namespace(world: World, name: str) -> None:
    await add(world, "namespaces", apiVersion="v1", kind="Namespace", metadata={"name": name})
    await world.settle()
