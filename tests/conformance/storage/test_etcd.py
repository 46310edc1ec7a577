"""What the etcd backend promises beyond the contract of every store: other writers, lost members, gaps, servers."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from quarterdeck.metrics import exposition
from quarterdeck.metrics.registry import Registry
from quarterdeck.server import etcdmetrics
from quarterdeck.server.etcdstoring import open_etcd
from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import compaction, messages
from quarterdeck.storage.etcd3.client import Client
from quarterdeck.storage.etcd3.settings import Settings
from quarterdeck.storage.etcd3.store import EtcdStorage
from support import etcd
from support.feed import Feed
from support.waiting import PATIENCE_S, until

POD = "/registry/pods/ns/foo"
_prefixes = count(1)


def settings_of(cluster: etcd.Cluster, **others: object) -> Settings:
    return Settings(cluster.urls, f"/own{next(_prefixes)}/", compaction_interval_s=0, **others)  # type: ignore[arg-type]


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[EtcdStorage]:
    store = await EtcdStorage.open(settings)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[Client]:
    client = Client(settings)
    try:
        yield client
    finally:
        await client.close()


async def reached(store: EtcdStorage) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while store.revision < await store.current_revision():
            await asyncio.sleep(0.01)


async def test_writes_of_others_are_fed_in_their_order(etcd_single: etcd.Cluster) -> None:
    settings = settings_of(etcd_single)
    async with opened(settings) as one, opened(settings) as other:
        feed = Feed(one.revision)
        one.subscribe(feed)
        first = await other.create(POD, b"1", "theirs")
        second = await one.update(POD, b"2", first, "ours")
        third = await other.delete(POD, second)
        await reached(one)
        assert feed.events == [
            interface.Event(POD, b"1", first, True, None),
            interface.Event(POD, b"2", second, False, "ours"),
            interface.Event(POD, None, third, False, None),
        ]


async def test_writes_go_on_where_a_member_is_lost(etcd_three: etcd.Cluster) -> None:
    settings = settings_of(etcd_three)
    async with opened(settings) as store:
        feed = Feed(store.revision)
        store.subscribe(feed)
        done: dict[str, int] = {}
        for member in etcd_three.members:
            member.kill()
            for number in range(20):
                key = f"{POD}-{len(done)}-{number}"
                async with asyncio.timeout(PATIENCE_S):
                    while key not in done:
                        try:
                            done[key] = await store.create(key, b"x")
                        except interface.KeyExists:  # the write whose answer was lost
                            found = await store.get(key)
                            assert found is not None
                            done[key] = found.revision
                        except interface.Unavailable:
                            await asyncio.sleep(0.05)
            member.start()
            await asyncio.to_thread(member.wait)
        await reached(store)
        assert {event.key: event.revision for event in feed.events} == done


async def test_what_was_compacted_while_the_watch_was_down_is_made_up_for(etcd_single: etcd.Cluster) -> None:
    settings = settings_of(etcd_single)
    async with opened(settings) as store, opened(settings) as other:
        fed: list[interface.Event] = []
        store.subscribe(lambda events, revision: fed.extend(events))
        made = {name: await store.create(POD + name, b"1") for name in "abcd"}
        assert store._feed is not None
        await store._feed.stop()
        fed.clear()
        await other.delete(POD + "a", made["a"])
        changed = await other.update(POD + "b", b"2", await other.update(POD + "b", b"x", made["b"]))
        again = await other.create(POD + "c", b"3") if await other.delete(POD + "c", made["c"]) else 0
        new = await other.create(POD + "e", b"4")
        await other.compact(new)
        store._feed.start()
        await reached(store)
        assert fed == [
            interface.Event(POD + "b", b"2", changed, False, None),
            interface.Event(POD + "c", None, again - 1, False, None),
            interface.Event(POD + "c", b"3", again, True, None),
            interface.Event(POD + "e", b"4", new, True, None),
            interface.Event(POD + "a", None, new, False, None),
        ]


class Unreadable:
    """Bytes as they are. No value that begins with a question mark can be read."""

    is_identity = True

    def is_stale(self, key: str, there: bytes, stored: bytes) -> bool:
        return False

    def seal(self, key: str, there: bytes, value: bytes) -> bytes:
        return value

    def open(self, key: str, there: bytes, stored: bytes) -> bytes:
        if stored.startswith(b"?"):
            raise ValueError("it begins with a question mark")
        return stored


async def test_a_gap_is_made_up_for_although_a_value_in_it_cannot_be_read(etcd_single: etcd.Cluster) -> None:
    settings = settings_of(etcd_single)
    store = await EtcdStorage.open(settings, values=Unreadable())
    async with opened(settings) as other:
        fed: list[interface.Event] = []
        store.subscribe(lambda events, revision: fed.extend(events))
        made = await store.create(POD + "a", b"1")
        assert store._feed is not None
        await store._feed.stop()
        fed.clear()
        await other.update(POD + "a", b"?", made)
        new = await other.create(POD + "b", b"2")
        await other.compact(new)
        store._feed.start()
        await reached(store)
        assert fed[:-1] == [interface.Event(POD + "b", b"2", new, True, None)]
        assert isinstance(fed[-1].hint, interface.Corrupt)
        assert fed[-1]._replace(hint=None) == interface.Event(POD + "a", None, new, False, None)
        again = await other.update(POD + "b", b"?", new)
        await reached(store)
        assert isinstance(fed[-1].hint, interface.Corrupt) and fed[-1].revision == again
        with pytest.raises(interface.Corrupt, match="begins with a question mark"):
            await store.events(POD, new)
    await store.close()


async def test_a_value_that_etcd_does_not_take_is_too_large(etcd_single: etcd.Cluster) -> None:
    async with opened(settings_of(etcd_single)) as store:
        told = (
            r"rpc error: code = ResourceExhausted desc = trying to send message larger than max \(\d{7} vs. 2097152\)"
        )
        for size, text in ((1_600_000, "request is too large"), (3_000_000, told)):
            with pytest.raises(interface.TooLarge, match=text):
                await store.create(POD, b"x" * size)
        assert await store.get(POD) is None
        assert await store.create(POD, b"x" * 1_400_000)


async def test_servers_compact_in_turns(etcd_single: etcd.Cluster) -> None:
    """As kube-apiservers count: who finds the round that it remembers does the work."""
    async with connected(settings_of(etcd_single)) as client:
        one = await compaction.take_turn(client, compaction.Round())
        if one.number > 1:  # others have counted in this etcd
            one = await compaction.take_turn(client, one)
        two = await compaction.take_turn(client, compaction.Round())
        assert two.number == one.number, "the second only remembers"
        revision = one.revision
        one = await compaction.take_turn(client, one)
        assert (one.number, one.compacted) == (two.number + 1, revision)
        two = await compaction.take_turn(client, two)
        assert (two.number, two.compacted) == (one.number, revision)
        assert await compaction.find_compacted(client) == revision
        found = await client.range(messages.encode_range(compaction.KEY))
        assert found.records[0].value == str(revision).encode()


async def test_keys_and_values_are_those_of_kube_apiserver(etcd_single: etcd.Cluster) -> None:
    settings = settings_of(etcd_single)
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "ns"}, "spec": {}}
    thing = {"apiVersion": "x.example.com/v1", "kind": "Thing", "metadata": {"name": "a", "namespace": "ns"}}
    store = await open_etcd(settings, lambda error: None)
    expected = {
        "/registry/core/services/ns/a": ("services/specs/ns/a", b"k8s\0"),
        "/registry/core/endpoints/ns/a": ("services/endpoints/ns/a", b"k8s\0"),
        "/registry/core/nodes/a": ("minions/a", b"k8s\0"),
        "/registry/networking.k8s.io/ingresses/ns/a": ("ingress/ns/a", b"k8s\0"),
        "/registry/apps/deployments/ns/a": ("deployments/ns/a", b"k8s\0"),
        "/registry/apiextensions.k8s.io/customresourcedefinitions/a": (
            "apiextensions.k8s.io/customresourcedefinitions/a",
            b'{"apiVersion"',
        ),
        "/registry/x.example.com/things/ns/a": ("x.example.com/things/ns/a", b'{"apiVersion"'),
    }
    try:
        for key in expected:
            obj = thing if "example" in key or "apiextensions" in key else service
            await store.create(key, json.dumps(obj, separators=(",", ":")).encode())
        async with connected(settings) as client:
            for key, (there, beginning) in expected.items():
                found = await client.range(messages.encode_range((settings.prefix + there).encode()))
                assert found.records[0].value.startswith(beginning), key
        loaded = {item.key async for batch in store.load_all() for item in batch}
        assert loaded == set(expected)
        found = await store.get("/registry/core/services/ns/a")
        assert found is not None
        assert json.loads(found.value)["metadata"]["name"] == "a"
    finally:
        await store.close()


async def test_events_go_after_their_time(etcd_single: etcd.Cluster) -> None:
    async with opened(settings_of(etcd_single, event_ttl_s=1)) as store:
        fed: list[interface.Event] = []
        store.subscribe(lambda events, revision: fed.extend(events))
        event = "/registry/core/events/ns/e"
        made = [await store.create(event + str(number), b"1") for number in range(3)]
        await store.create(POD, b"1")
        await store.update(event + "0", b"2", made[0])
        await until(lambda: sum(each.value is None for each in fed) >= 3)
        assert {each.key for each in fed if each.value is None} == {event + str(number) for number in range(3)}
        assert await store.get(event + "1") is None
        assert await store.get(POD) is not None


async def test_an_event_is_kept_for_ever_where_it_is_asked_for(etcd_single: etcd.Cluster) -> None:
    async with opened(settings_of(etcd_single, event_ttl_s=0)) as store:
        assert await store._leases.of_event() == 0
    async with opened(settings_of(etcd_single)) as store:
        leases = {await store._leases.of_event() for _ in range(1001)}
        assert len(leases) == 2, "one lease has a thousand events"


async def test_requests_are_told_by_what_they_do(etcd_single: etcd.Cluster) -> None:
    registry = Registry()
    key = "/registry/example.com/things/ns/a"
    async with opened(settings_of(etcd_single)) as store:
        etcdmetrics.register(registry, (store,))  # type: ignore[arg-type]
        revision = await store.create(key, b"{}")
        with pytest.raises(interface.KeyExists):  # etcd has answered
            await store.create(key, b"{}")
        revision = await store.update(key, b"[]", revision)
        await store.get(key)
        await store.range("/registry/example.com/things/", limit=1)
        await store.delete(key, revision)
        with pytest.raises(interface.TooLarge):
            await store.create(key, b"x" * 3_000_000)
    served = b"".join(exposition.format_pieces(registry)).decode()
    group, resource = 'group="example.com"', 'resource="things"'
    told = dict(re.findall(rf'etcd_requests_total{{{group},operation="(\w+)",{resource}}} (\d+)', served))
    assert told == {"create": "3", "update": "1", "get": "1", "list": "1", "delete": "1"}
    assert f'etcd_request_duration_seconds_count{{{group},operation="create",{resource}}} 3' in served
    assert re.findall(r"^etcd_request_errors_total{.*", served, re.MULTILINE) == [
        f'etcd_request_errors_total{{{group},operation="create",{resource}}} 1'
    ]
