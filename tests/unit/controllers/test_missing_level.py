"""Flow schemas tell whether their level exists, whatever others write there."""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.flowcontrol.levels import PERIOD_S, WRITES_MAX, MissingLevelController
from support.control import World

FLOW = "flowcontrol.apiserver.k8s.io"
RULE = {
    "subjects": [{"kind": "User", "user": {"name": "jane"}}],
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True}],
}
SCHEMA = {
    "apiVersion": f"{FLOW}/v1",
    "kind": "FlowSchema",
    "metadata": {"name": "jane"},
    "spec": {"priorityLevelConfiguration": {"name": "gone"}, "rules": [RULE], "matchingPrecedence": 50},
}


class Telling:
    def __init__(self, world: World) -> None:
        self.world = world
        self.scopes = world.builtin[FLOW, "v1", "flowschemas"]
        levels = world.builtin[FLOW, "v1", "prioritylevelconfigurations"][""]
        self.teller = MissingLevelController(self.scopes["status"], levels, world.clock)
        self.teller.take_up()

    async def settle(self) -> None:
        while self.teller.controller.depth:
            await self.teller.controller.work_on_next()

    async def contradict(self) -> str:
        """What is told of the level after somebody has told otherwise."""

        def change(obj: dict[str, Any]) -> None:
            obj["status"]["conditions"][0]["status"] = "False"

        await self.world.change(self.scopes["status"], "", "jane", change)
        await self.settle()
        return self.told()

    def told(self) -> str:
        entry = self.scopes[""].store.cache.get("", "jane")
        assert entry is not None
        told: str = json_codec.load(entry.data)["status"]["conditions"][0]["status"]
        return told


async def begin() -> Telling:
    world = await World().start()
    telling = Telling(world)
    await world.create(telling.scopes[""], json_codec.load(json_codec.encode(SCHEMA)))
    await telling.settle()
    assert telling.told() == "True"
    return telling


async def test_who_tells_otherwise_again_and_again_is_answered_a_few_times_a_minute() -> None:
    telling = await begin()
    assert [await telling.contradict() for _ in range(WRITES_MAX)] == ["True"] * WRITES_MAX
    assert [await telling.contradict() for _ in range(3)] == ["False"] * 3
    telling.world.clock.advance(PERIOD_S)
    await telling.settle()
    assert telling.told() == "True"


async def test_a_schema_that_is_made_anew_has_its_own_count() -> None:
    telling = await begin()
    for _ in range(WRITES_MAX):
        await telling.contradict()
    await telling.world.delete(telling.scopes[""], "", "jane")
    await telling.world.create(telling.scopes[""], json_codec.load(json_codec.encode(SCHEMA)))
    assert await telling.contradict() == "True"
