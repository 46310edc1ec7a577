"""What others have stored goes through what a resource's cache is told to make of it."""

from __future__ import annotations

from quarterdeck.storage.cacher import Attributes, Cacher
from support.memory_store import MemoryStore

KEY = "/registry/g.dev/things/ns/"
VALUE = b'{"apiVersion":"g.dev/v1","kind":"Thing","metadata":{"name":"%b"}}'


def mark(value: bytes) -> bytes:
    return value if b'"own"' in value else VALUE % b"marked"


async def test_entries_that_are_there_and_those_that_come_are_coerced_and_own_writes_are_not() -> None:
    store = MemoryStore()
    await store.create(KEY + "early", VALUE % b"early")
    await store.create(KEY + "own", VALUE % b"own")
    cacher = Cacher(store)
    await cacher.start()
    cache = cacher.resource("g.dev", "things")
    revision, own = cache.state.get("ns/early").revision, cache.state.get("ns/own")
    cache.coerce_by(mark)
    early = cache.state.get("ns/early")
    assert (b'"marked"' in early.data, early.revision, early.namespace) == (True, revision, "ns")
    assert b'"resourceVersion":"%d"' % revision in early.data
    assert cache.state.get("ns/own") is own
    assert cache.undecoded == 2
    await store.create(KEY + "late", VALUE % b"late")
    assert b'"marked"' in cache.state.get("ns/late").data
    await store.create(KEY + "mine", VALUE % b"mine", Attributes({}, {}))
    assert b'"mine"' in cache.state.get("ns/mine").data
    cache.coerce_by(lambda value: VALUE % b"other")
    assert b'"marked"' in cache.state.get("ns/late").data
    await cacher.close()
