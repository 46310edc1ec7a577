"""Node ports that servers agree on by one object, also while their ranges differ."""

from __future__ import annotations

import pytest

from quarterdeck.registry.builtin.core.service.portrange import RESOURCE, PortRange, Taken
from quarterdeck.storage.cacher import Cacher
from support.control import FailingStore

PORT = 31500


async def servers(*ranges: range) -> list[PortRange]:
    cacher = Cacher(FailingStore())
    await cacher.start()
    cache = cacher.resource("", RESOURCE)
    return [PortRange(cacher.storage, cache, lambda: (), ports) for ports in ranges]


@pytest.mark.parametrize(
    "other", [range(30000, 32768), range(31000, 32768), range(20000, 40000)], ids=["same", "later", "wider"]
)
async def test_a_port_is_given_once(other: range) -> None:
    one, two = await servers(range(30000, 32768), other)
    await one.claim([PORT])
    with pytest.raises(Taken, match=str(PORT)):
        await two.claim([PORT])
    await two.claim([PORT + 1])
    for each in (one, two):
        with pytest.raises(Taken):
            await each.claim([PORT + 1])
    await two.give_back([PORT])
    await one.claim([PORT])


async def test_ports_of_another_range_are_not_those_of_the_same_places() -> None:
    one, two = await servers(range(30000, 30100), range(80, 180))
    await one.claim([30000])
    await two.claim([80])
