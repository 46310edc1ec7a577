"""The past that only the store has, and cannot read any more: lists and resumed watches tell, and do not break."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.storage.interface import Corrupt, Unavailable
from support import virtual_time
from support.memory_store import MemoryStore
from support.watch_client import Harness

KEY = "/registry/test.io/widgets/ns/a"


class BrokenStore(MemoryStore):
    """Reads fail with `failure` once it is set."""

    failure: Exception | None = None

    async def range(self, *arguments: Any, **named: Any) -> Any:
        if self.failure is not None:
            raise self.failure
        return await super().range(*arguments, **named)

    async def events(self, *arguments: Any, **named: Any) -> Any:
        if self.failure is not None:
            raise self.failure
        return await super().events(*arguments, **named)


async def restarted() -> tuple[Harness, int]:
    """A server whose store knows a revision that its cache does not; then the store breaks."""
    store = BrokenStore()
    before = await Harness.start(store)
    old = await before.put("a")
    await before.put("b")
    await before.cacher.close()
    store._sink = None
    return await Harness.start(store), old


@pytest.mark.parametrize(
    ("failure", "refusal", "event"),
    [
        (Corrupt(KEY, "checksum"), errors.StorageReadError, b'"reason":"Expired","code":410'),
        (Unavailable("stopped"), errors.ServiceUnavailable, b'"reason":"ServiceUnavailable"'),
    ],
)
def test_what_cannot_be_read_is_told(failure: Exception, refusal: type[errors.APIStatus], event: bytes) -> None:
    async def body() -> None:
        harness, old = await restarted()
        harness.store.failure = failure
        exact = harness.list_options(resource_version=str(old), resource_version_match="Exact")
        with pytest.raises(refusal):
            await harness.cache.list(exact)
        _, writer = harness.watch(resource_version=str(old))
        await harness.settle()
        assert writer.is_ended
        assert event in b"".join(writer.data)
        await harness.cacher.close()

    virtual_time.run(body())
