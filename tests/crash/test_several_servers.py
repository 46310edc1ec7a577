"""Servers and members of etcd are killed while many write and watch: no watcher misses an event, hears it twice or out
of order, wherever it goes on; nothing that was acknowledged is missing in the store.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from contextlib import ExitStack

import pytest

from quarterdeck.server.etcdstoring import open_alone
from quarterdeck.storage.etcd3.settings import Settings
from support import etcd, etcdbinaries
from support.server import Server
from support.several import call, flags_of, leads
from support.waiting import wait_for
from support.watch_fleet import NAMESPACE, PATH, PREFIX, Watcher, Writer, ask, spread
from support.watch_history import Write, check, expected_events

pytestmark = [pytest.mark.crash, pytest.mark.timeout(1800)]
_QUIET_S = 60.0


class Fleet:
    """`alive`: the servers that can be asked."""

    def __init__(self, cluster: etcd.Cluster, servers: list[Server]) -> None:
        self.cluster = cluster
        self.servers = servers
        self.alive = list(servers)
        self.kills = 0
        self.slowest_s = 0.0  # from the kill of a leader to the next one

    def pick_port(self) -> int:
        return random.choice(self.alive).plain_port

    async def kill_in_turns(self, until_s: float, period_s: float) -> None:
        number = 0
        while time.monotonic() < until_s:
            await asyncio.sleep(1.0)  # all are at work
            begin_s = time.monotonic()
            server = self.servers[number % len(self.servers)]
            member = self.cluster.members[number % len(self.cluster.members)]
            was_leading = leads(server)
            self.alive.remove(server)
            if number % 3 == 1:  # as in a rolling restart
                assert await asyncio.to_thread(server.terminate) == 0
            else:
                server.kill()
            self.kills += 1
            await asyncio.sleep(0.5)
            member.kill()
            await asyncio.sleep(0.5)
            member.start()
            await asyncio.to_thread(member.wait)
            if was_leading:
                while not any(leads(each) for each in self.alive):
                    await asyncio.sleep(0.05)
                self.slowest_s = max(self.slowest_s, time.monotonic() - begin_s)
            await asyncio.to_thread(server.start)
            await asyncio.to_thread(server.wait_until_ready)
            self.alive.append(server)
            number += 1
            await asyncio.sleep(max(0.0, begin_s + period_s - time.monotonic()))


async def run(fleet: Fleet, watchers_count: int, writers_count: int, seconds: float, period_s: float) -> None:
    status, listed = await ask(fleet.pick_port(), "GET", PATH)
    assert status == 200, listed
    revision = int(listed["metadata"]["resourceVersion"])
    watchers = spread(fleet.pick_port, watchers_count, revision)
    writers = [Writer(fleet.pick_port, number, pause_s=0.1) for number in range(writers_count)]
    watching = [asyncio.create_task(each.run()) for each in watchers]
    writing = [asyncio.create_task(each.run()) for each in writers]
    await fleet.kill_in_turns(time.monotonic() + seconds, period_s)
    for task in writing:
        task.cancel()
    await asyncio.wait(writing)
    writes = await written(fleet.cluster, revision)
    await have_heard(watchers, writes)
    for task in watching:
        task.cancel()
    await asyncio.wait(watching)
    judge(watchers, writers, writes)
    assert sum(each.opened for each in watchers) > watchers_count
    acknowledged = sum(len(each.acknowledged) for each in writers)
    told = sum(len(each.history.told) for each in watchers)
    print(
        f"{fleet.kills} servers and members killed or stopped, {acknowledged} writes acknowledged of {len(writes)}, "
        f"{sum(each.unanswered for each in writers)} failed, {told} events told to {len(watchers)} watchers, "
        f"{sum(each.opened for each in watchers)} watches opened, slowest takeover {fleet.slowest_s:.1f} s"
    )


async def written(cluster: etcd.Cluster, after_revision: int) -> list[Write]:
    storage, _ = await open_alone(Settings(cluster.urls, compaction_interval_s=0))
    try:
        events = await storage.events(PREFIX, after_revision)
    finally:
        await storage.close()
    return [Write(each.revision, f"{NAMESPACE}/{each.key.removeprefix(PREFIX)}", _load(each.value)) for each in events]


def _load(value: bytes | None) -> dict[str, object] | None:
    return None if value is None else json.loads(value)


async def have_heard(watchers: list[Watcher], writes: list[Write]) -> None:
    """Everything that each has to be told; one whose selection has no more waits for nothing."""
    wanted = {}
    for watcher in watchers:
        color = watcher.color
        if color not in wanted:
            expected = expected_events(writes, watcher.history.matches, watcher.history.after)
            wanted[color] = expected[-1].revision if expected else 0
    end = time.monotonic() + _QUIET_S
    while any(watcher.revision < wanted[watcher.color] for watcher in watchers):
        assert time.monotonic() < end, "events do not come"
        await asyncio.sleep(0.1)


def judge(watchers: list[Watcher], writers: list[Writer], writes: list[Write]) -> None:
    there = {each.revision for each in writes}
    lost = [revision for writer in writers for revision in writer.acknowledged if revision not in there]
    assert not lost, "acknowledged writes are not in the store"
    for watcher in watchers:
        watcher.history.is_quiet = True
        problems = check(watcher.history, writes)
        assert not problems, problems[:5]
    assert not any(watcher.expired for watcher in watchers)


@pytest.mark.parametrize(
    ("servers_count", "watchers", "writers", "seconds", "period_s"),
    [(2, 24, 4, 3.0, 3.0), pytest.param(3, 300, 8, 300.0, 5.0, marks=pytest.mark.slow)],
)
def test_no_watcher_misses_anything(
    servers_count: int, watchers: int, writers: int, seconds: float, period_s: float
) -> None:
    with ExitStack() as stack:
        cluster = stack.enter_context(etcd.cluster(3, etcdbinaries.debian("3.5")))
        flags = ("--etcd-compaction-interval=0",)
        servers = [
            stack.enter_context(Server(None, *flags_of(cluster, number, *flags))) for number in range(servers_count)
        ]
        for server in servers:
            server.wait_until_ready()
        assert call(servers[0], "POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})[0] == 201
        wait_for(lambda: any(leads(each) for each in servers))
        asyncio.run(run(Fleet(cluster, servers), watchers, writers, seconds, period_s))
