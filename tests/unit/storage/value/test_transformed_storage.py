"""The store's bytes are sealed, everything above sees plain values."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.cacher import Cacher, recovery
from quarterdeck.storage.value import aes
from quarterdeck.storage.value.resources import KeyPrefixes, find, prefix_of
from quarterdeck.storage.value.storage import LARGE_BYTES, TransformedStorage
from quarterdeck.storage.value.transformer import IDENTITY, DecryptedValue, KeyWanted, Prefixed, PrefixTransformers
from support.memory_store import MemoryStore

KEY = "/registry/core/secrets/default/a"
CONTEXT = b"/registry/secrets/default/a"
PLAIN = b'{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"default"},"type":"Opaque"}'
OLD, NEW = bytes(16), bytes(range(16))


def secrets(*keys: bytes) -> dict[tuple[str, str], PrefixTransformers]:
    """All of them as providers of secrets, the first one for writing; the numbers of keys are their names."""
    named = [Prefixed(f"{sum(key)}:".encode(), aes.GCM(key)) for key in keys]
    return {("", "secrets"): PrefixTransformers("none", named)}


async def test_the_store_holds_sealed_bytes_and_the_feed_plain_ones() -> None:
    backend = MemoryStore()
    storage = TransformedStorage(backend, secrets(OLD))
    fed: list[interface.Event] = []

    def take(events: Sequence[interface.Event], _: int) -> None:
        fed.extend(events)

    storage.subscribe(take)
    large = b'"' + b"x" * LARGE_BYTES + b'"'
    revision = await storage.create(KEY, PLAIN, "hint")
    await storage.update(KEY, large, revision, "other")
    await storage.create("/registry/core/configmaps/default/a", PLAIN, "plain")
    assert [(event.value, event.hint) for event in fed] == [(PLAIN, "hint"), (large, "other"), (PLAIN, "plain")]
    raw = [event.value or b"" for event in backend.log]
    assert raw[0].startswith(b"0:") and raw[1].startswith(b"0:") and b"x" * 20 not in raw[1]
    assert aes.GCM(OLD).open(raw[0][2:], CONTEXT).data == PLAIN
    assert raw[2] == PLAIN
    found = await storage.range("/registry/core/secrets/")
    assert [item.value for item in found.items] == [large]
    assert [event.value for event in await storage.events("/registry/core/secrets/", 0)] == [PLAIN, large]
    item = await storage.get(KEY)
    assert item is not None and item.value == large


async def test_what_would_be_written_otherwise_is_stale() -> None:
    storage = TransformedStorage(MemoryStore(), secrets(OLD))
    storage.subscribe(lambda *_: None)
    await storage.create(KEY, PLAIN)
    assert not await storage.is_stale(KEY)
    storage.set_transformers(secrets(NEW, OLD))
    assert await storage.is_stale(KEY)
    storage.set_transformers(secrets(NEW))
    assert await storage.is_stale(KEY)
    assert not await storage.is_stale(KEY + "2")


async def test_what_cannot_be_read_at_the_start_is_read_when_its_key_is_there() -> None:
    backend = MemoryStore()
    writer = TransformedStorage(backend, secrets(OLD))
    await writer.create(KEY, PLAIN)
    backend._sink = None
    storage = TransformedStorage(backend, secrets(NEW))
    cacher = Cacher(storage)
    await cacher.start()
    cache = cacher.resource("", "secrets")
    assert cache.get("default", "a") is None and cache.is_unreadable("default/a")
    assert await recovery.retry(cacher) == 0
    seen: list[str] = []
    cache.listeners.append(lambda change: seen.append(change.entry.path))
    storage.set_transformers(secrets(NEW, OLD))
    assert await recovery.retry(cacher) == 1
    entry = cache.get("default", "a")
    assert entry is not None and b'"Opaque"' in entry.data
    assert seen == ["default/a"]
    assert cacher.damaged_count == 0
    await cacher.close()


class Remote:
    """Its key has to be fetched once."""

    def __init__(self) -> None:
        self.fetched = 0

    def seal(self, data: bytes, context: bytes) -> bytes:
        return data[::-1]

    def open(self, data: bytes, context: bytes) -> DecryptedValue:
        if not self.fetched:
            raise KeyWanted(self._fetch)
        return DecryptedValue(data[::-1], False)

    async def _fetch(self) -> None:
        await asyncio.sleep(0)
        self.fetched += 1


async def test_keys_from_elsewhere_are_waited_for() -> None:
    remote = Remote()
    storage = TransformedStorage(MemoryStore(), {("*", "*"): remote})
    storage.subscribe(lambda *_: None)
    await storage.create(KEY, PLAIN)
    assert [item.value for item in (await storage.range(KEY)).items] == [PLAIN]
    assert remote.fetched == 1


@pytest.mark.parametrize(
    ("key", "context"),
    [
        ("/registry/core/secrets/ns/a", b"/registry/secrets/ns/a"),
        ("/registry/core/services/ns/a", b"/registry/services/specs/ns/a"),
        ("/registry/core/nodes/a", b"/registry/minions/a"),
        ("/registry/apps/deployments/ns/a", b"/registry/deployments/ns/a"),
        ("/registry/networking.k8s.io/ingresses/ns/a", b"/registry/ingress/ns/a"),
        (
            "/registry/apiextensions.k8s.io/customresourcedefinitions/a.b",
            b"/registry/apiextensions.k8s.io/customresourcedefinitions/a.b",
        ),
        ("/registry/example.com/widgets/ns/a", b"/registry/example.com/widgets/ns/a"),
    ],
)
def test_values_are_bound_to_the_keys_that_upstream_has(key: str, context: bytes) -> None:
    assert KeyPrefixes(prefix_of(key)).context(key) == context


def test_the_nearest_entry_counts() -> None:
    one, group, core, every = (aes.GCM(bytes((number,)) * 16) for number in range(4))
    chosen = {("", "secrets"): one, ("apps", "*"): group, ("", "*"): core, ("*", "*"): every}
    assert find(chosen, "", "secrets") is one
    assert find(chosen, "", "configmaps") is core
    assert find(chosen, "apps", "deployments") is group
    assert find(chosen, "example.com", "widgets") is every
    assert find({("", "secrets"): one}, "example.com", "secrets") is IDENTITY
