"""The watch cache of several stores: each resource is read, followed and counted in its own."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.storage.cacher import Cacher, Change
from support.memory_store import MemoryStore

MAPS, SECRETS = "/registry/core/configmaps/", "/registry/core/secrets/"


def value(name: str) -> bytes:
    return b'{"metadata":{"name":"%b","namespace":"ns"}}' % name.encode()


async def begin() -> tuple[Cacher, MemoryStore, MemoryStore]:
    main, other = MemoryStore(), MemoryStore(revision=100)
    await main.create(f"{SECRETS}ns/early", value("early"))
    await other.create(f"{MAPS}ns/early", value("early"))
    cacher = Cacher(main, others={MAPS: other})
    await cacher.start()
    return cacher, main, other


async def test_each_resource_has_the_revision_of_its_store() -> None:
    cacher, main, other = await begin()
    maps, secrets = cacher.resource("", "configmaps"), cacher.resource("", "secrets")
    assert (maps.revision, secrets.revision) == (101, 2)
    assert (maps.shared.storage, secrets.shared.storage) == (other, main)
    await other.create(f"{MAPS}ns/late", value("late"))
    assert (maps.revision, secrets.revision, cacher.revision) == (102, 2, 2)
    assert [entry.name for entry in maps.state.all()] == ["early", "late"]
    assert not maps.shared.is_alone and not secrets.shared.is_alone
    await cacher.close()


async def test_all_are_listed_and_followed() -> None:
    cacher, main, other = await begin()
    assert sorted(cache.prefix for cache in cacher.caches()) == [MAPS, SECRETS]
    seen: list[str] = []

    def note(change: Change) -> None:
        assert change.entry is not None
        seen.append(change.entry.name)

    cacher.follow(note)
    await other.create(f"{MAPS}ns/one", value("one"))
    await main.create(f"{SECRETS}ns/two", value("two"))
    assert seen == ["one", "two"]
    await cacher.close()


async def test_whoever_needs_an_order_waits_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    cacher, _, other = await begin()
    monkeypatch.setattr("quarterdeck.storage.cacher.shared.WAIT_S", 0.05)
    await cacher.catch_up()

    async def ahead() -> int:
        return 102

    other.current_revision = ahead  # type: ignore[method-assign]
    with pytest.raises(errors.Timeout):
        await cacher.catch_up()
    waiting = asyncio.ensure_future(cacher.catch_up())
    await asyncio.sleep(0)
    await other.create(f"{MAPS}ns/late", value("late"))
    await waiting
    await cacher.close()


async def test_resources_of_one_store_share_its_cache() -> None:
    main, other = MemoryStore(), MemoryStore()
    cacher = Cacher(main, others={MAPS: other, "/registry/apps/deployments/": other})
    await cacher.start()
    assert cacher.resource("", "configmaps").shared is cacher.resource("apps", "deployments").shared
    assert cacher.resource("", "secrets").shared is cacher.shared
    await cacher.close()
