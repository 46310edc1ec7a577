"""Writers of one object wait for each other, in order; what they cost is counted in transforms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.registry import turns
from quarterdeck.registry.builtin.assembly import Assembly
from quarterdeck.registry.builtin.core import resources
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.turns import Turns
from quarterdeck.registry.writes import Update, WriteContext, WriteResult
from quarterdeck.storage.cacher import Cacher
from support.control import FailingStore

Object = dict[str, Any]
WRITERS = 64


class Maps:
    """The store of config maps over a storage in memory, with one that counts its writers."""

    async def start(self) -> Maps:
        cacher = Cacher(storage := FailingStore())
        await cacher.start()
        definition = next(each for each in resources.definitions() if each.resource.name == "configmaps")
        self.scope: Scope = Assembly(storage, cacher, convertor_for).build(definition)[""]
        self.transforms = 0
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "ns"}, "data": {}}
        await self.scope.store.create(self.scope, obj, WriteContext(False, []))
        return self

    async def update(self, change: Callable[[Object], Any], *, dry_run: bool = False) -> WriteResult:
        async def transform(live: Object | None) -> Object:
            assert live is not None
            self.transforms += 1
            await asyncio.sleep(0)  # all the others read the object meanwhile
            change(data := dict(live.get("data") or {}))
            return {**live, "metadata": dict(live["metadata"]), "data": data}

        context = WriteContext(dry_run, [])
        return await self.scope.store.update(self.scope, "ns", "a", Update(transform), context)

    async def count_up(self, writer: int) -> int:
        """Its place among the writers: what it made the count."""

        def change(data: Object) -> None:
            data["count"] = str(int(data.get("count", 0)) + 1)
            data[f"writer-{writer}"] = data["count"]

        return int(json_codec.load((await self.update(change)).data)["data"][f"writer-{writer}"])

    @property
    def queues(self) -> dict[str, Any]:
        return self.scope.store._turns.queues  # type: ignore[no-any-return]


async def test_the_cost_of_many_writers_is_linear_and_they_come_in_order() -> None:
    maps = await Maps().start()
    places = await asyncio.gather(*map(maps.count_up, range(WRITERS)))
    assert places == sorted(places) == list(range(1, WRITERS + 1))
    assert maps.transforms <= 2 * WRITERS
    assert not maps.queues


async def test_who_comes_while_others_wait_waits_behind_them() -> None:
    maps = await Maps().start()
    first = [asyncio.ensure_future(maps.count_up(number)) for number in range(8)]
    while not maps.queues:
        await asyncio.sleep(0)
    transforms = maps.transforms
    late = [asyncio.ensure_future(maps.count_up(number)) for number in range(8, 16)]
    places = await asyncio.gather(*first, *late)
    assert places == sorted(places)
    assert maps.transforms - transforms <= 7 + 8  # the late ones need one each


async def test_a_write_alone_takes_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(_: Turns, key: str) -> None:
        raise AssertionError(key)

    monkeypatch.setattr(Turns, "take", refuse)
    maps = await Maps().start()
    for number in range(3):
        await maps.count_up(number)
    assert maps.transforms == 3


async def test_dry_runs_wait_for_nobody() -> None:
    maps = await Maps().start()
    turn = await maps.scope.store._turns.take(maps.scope.store.key("ns", "a"))
    await maps.update(lambda data: data.update(x="y"), dry_run=True)
    maps.scope.store._turns.end(turn)


async def test_a_deletion_waits_too_and_the_writers_behind_it_find_nothing() -> None:
    maps = await Maps().start()
    store = maps.scope.store
    turn = await store._turns.take(store.key("ns", "a"))
    deletion = asyncio.ensure_future(store.delete(maps.scope, "ns", "a", Options(), WriteContext(False, [])))
    await asyncio.sleep(0)
    update = asyncio.ensure_future(maps.count_up(0))
    await asyncio.sleep(0)
    assert not deletion.done()
    store._turns.end(turn)
    assert (await deletion).deleted
    with pytest.raises(errors.NotFound):
        await update
    assert not maps.queues


async def test_a_writer_that_is_cancelled_gives_its_place_up() -> None:
    taking = Turns()
    first = await taking.take("a")
    second, third, fourth = (asyncio.ensure_future(taking.take("a")) for _ in range(3))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    taking.end(first)
    third.cancel()  # it is its turn by now
    await asyncio.gather(third, return_exceptions=True)
    taking.end(await fourth)
    assert not taking.queues


async def test_a_writer_that_takes_long_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TURN_S", 0.001)
    taking = Turns()
    slow = await taking.take("a")  # waits for a webhook that does not answer
    quick = await taking.take("a")
    taking.end(slow)
    assert list(taking.queues["a"]) == [quick]
    taking.end(quick)
    assert not taking.queues


async def test_no_more_wait_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "WAITING_MAX", 1)
    taking = Turns()
    first = await taking.take("a")
    taking.end(await taking.take("a"))
    assert list(taking.queues["a"]) == [first]
