"""Many clients of two stores on one etcd of three members, one of which is killed now and then: each answer fits one
order of all operations. Read are etcd itself and what a feed tells a cache, once it has come to etcd's revision.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

import pytest
import uvloop

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3.settings import Settings
from quarterdeck.storage.etcd3.store import EtcdStorage
from reference.linearizability import Operation, Result, check
from support import etcd, etcdbinaries
from support.operations import Recorder, work

pytestmark = pytest.mark.crash
CLIENTS = 16


class Late(Recorder):
    """One server's store and cache. All record into one history."""

    def __init__(self, settings: Settings, history: Recorder) -> None:
        super().__init__(None)
        self._settings = settings
        self._history = history
        self.operations = history.operations

    def _tick(self) -> int:
        return self._history._tick()

    async def open(self) -> None:
        self.store = await EtcdStorage.open(self._settings)
        self.store.subscribe(self.feed)
        self.cached.clear()
        async for batch in self.store.load_all():
            self.cached.update({item.key: (item.value, item.revision) for item in batch})

    async def look(self, key: str) -> Result:
        operation = Operation("get", key, b"", 0, self._tick())
        self.operations.append(operation)
        try:
            wanted = await self.store.current_revision()
        except interface.Unavailable:
            operation.returned = self._tick()
            self.operations.remove(operation)
            return Result("unknown")
        while self.store.revision < wanted:
            await asyncio.sleep(0.001)
        known = self.cached.get(key)
        operation.result = Result("absent") if known is None else Result("found", known[1], known[0])
        operation.returned = self._tick()
        return operation.result


async def nothing() -> None:
    pass


async def run_round(cluster: etcd.Cluster, servers: list[Late], number: int, count: int) -> None:
    """A member is killed in the first half of the operations and comes back before the second."""
    choose = random.Random(number)
    keys = [f"/registry/x/{number}/{each}" for each in range(12)]
    clients = [work(servers[each % 2], keys, choose, count // 2 // CLIENTS, nothing) for each in range(CLIENTS)]
    member = cluster.members[number % len(cluster.members)]
    working = asyncio.gather(*clients)
    await asyncio.sleep(choose.uniform(0.05, 0.5))
    member.kill()
    await working
    member.start()
    await asyncio.to_thread(member.wait)
    if number % 4 == 3:  # a server comes back too
        await servers[1].store.close()
        await servers[1].open()
    clients = [work(servers[each % 2], keys, choose, count // 2 // CLIENTS, nothing) for each in range(CLIENTS)]
    await asyncio.gather(*clients)


async def run(cluster: etcd.Cluster, rounds: int, count: int) -> tuple[int, int]:
    """How many operations there were, and how many without an answer."""
    done = unheard = 0
    settings = Settings(cluster.urls, compaction_interval_s=0)
    history = Recorder(None)
    servers = [Late(settings, history) for _ in range(2)]
    for server in servers:
        await server.open()
    for number in range(rounds):
        await run_round(cluster, servers, number, count)
        for server in servers:
            server.settle()
        assert check(history.operations) == []
        done += len(history.operations)
        unheard += sum(each.result.outcome == "unknown" for each in history.operations)
        history.operations.clear()
    for server in servers:
        await server.store.close()
    return done, unheard


@pytest.fixture(params=["3.5", "3.4"])
def cluster(request: pytest.FixtureRequest) -> Iterator[etcd.Cluster]:
    with etcd.cluster(3, etcdbinaries.debian(request.param)) as made:
        yield made


@pytest.mark.parametrize(
    ("rounds", "count"), [(2, 2_000), pytest.param(60, 4_400, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
)
def test_every_answer_of_two_servers_fits_one_order(cluster: etcd.Cluster, rounds: int, count: int) -> None:
    done, unheard = uvloop.run(run(cluster, rounds, count))
    print(f"{done} operations, {unheard} without an answer")
    assert done > rounds * count // 3
