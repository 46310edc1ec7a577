"""The ConfigMap that tells since when old tokens' uses are noted is there, and tells a day."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.legacytokentracking import CREATION_INTERVAL_S, NAME, is_day
from quarterdeck.registry.scope import Scope
from support.control import World

DAY_S = 24 * 3600.0


async def start(world: World) -> World:
    await world.start()
    world.controllers.take_up_when_ready()
    await world.settle()
    return world


def config_maps(world: World) -> Scope:
    return world.builtin["", "v1", "configmaps"][""]


def find(world: World) -> dict[str, Any] | None:
    entry = config_maps(world).store.cache.get("kube-system", NAME)
    return json_codec.load(entry.data) if entry is not None else None


async def test_it_is_not_made_before_the_server_is_ready() -> None:
    world = await World().start()
    await world.settle(1)
    assert find(world) is None


async def test_it_tells_the_day_of_the_first_start() -> None:
    world = await start(World())
    found = find(world)
    assert found is not None
    assert found["data"] == {"since": "2027-01-15"}
    assert "labels" not in found["metadata"]
    (owner,) = found["metadata"]["managedFields"]
    assert (owner["manager"], owner["operation"]) == ("kube-apiserver", "Update")
    assert owner["fieldsV1"] == {"f:data": {".": {}, "f:since": {}}}
    again = World(world.store)
    again.clock.advance(5 * DAY_S)
    assert find(await start(again)) == found


async def test_it_comes_back_but_not_more_than_once_in_half_an_hour() -> None:
    world = await start(World())
    await world.delete(config_maps(world), "kube-system", NAME)
    await world.settle(CREATION_INTERVAL_S - 1)
    assert find(world) is None
    await world.settle(1)
    assert find(world) is not None


@pytest.mark.parametrize("data", [None, {"since": "yesterday", "kept": "1"}, {"other": "1"}])
async def test_what_is_no_day_is_set_right(data: dict[str, str] | None) -> None:
    world = await start(World())
    world.clock.advance(DAY_S)

    def spoil(obj: dict[str, Any]) -> None:
        obj.pop("data")
        if data is not None:
            obj["data"] = data

    await world.change(config_maps(world), "kube-system", NAME, spoil)
    await world.settle()
    found = find(world)
    assert found is not None
    assert found["data"] == {**(data or {}), "since": "2027-01-16"}


async def test_another_day_stays() -> None:
    world = await start(World())
    await world.change(config_maps(world), "kube-system", NAME, lambda obj: obj["data"].update(since="2001-02-03"))
    revision = world.store.revision
    await world.settle(1)
    found = find(world)
    assert found is not None
    assert found["data"] == {"since": "2001-02-03"}
    assert world.store.revision == revision


@pytest.mark.parametrize("text", ["2024-02-29", "0000-02-29", "9999-12-31"])
def test_a_day_is_read(text: str) -> None:
    assert is_day(text)


@pytest.mark.parametrize("text", ["", "2023-02-29", "2023-2-03", "2023-01-01 ", "2023-01-01T00:00:00Z", "２０23-01-01"])
def test_another_text_is_no_day(text: str) -> None:
    assert not is_day(text)
