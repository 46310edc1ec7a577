"""A storage backend whose file holds other bytes than its users read and write.

Writes are sealed before they go to the backend, and take their plain value along: the feed gives it to the sink, so
that nothing that this process wrote is ever decrypted again. What is read from the backend (all at the start, older
revisions later) is opened in steps. Large values are sealed and opened beside the loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from quarterdeck.apimachinery import offload
from quarterdeck.storage import interface
from quarterdeck.storage.value import resources
from quarterdeck.storage.value.fetching import with_keys
from quarterdeck.storage.value.transformer import IDENTITY, DecryptedValue, Transformer, TransformError

# Of the slowest cipher (secretbox) some 0.6 ms.
LARGE_BYTES: Final = 256 * 1024
# What is opened before others have their turn: some 2 ms.
_STEP_BYTES: Final = 512 * 1024
_STEP_VALUES: Final = 200


class _Written(NamedTuple):
    """A hint: the value as it was before it was sealed, and the writer's own hint."""

    value: bytes
    hint: object


class TransformedStorage:
    """`transformers` may be replaced at any time (`set_transformers`)."""

    def __init__(self, backend: interface.Storage, transformers: resources.Transformers) -> None:
        self._backend = backend
        self._chosen = resources.TransformerLookup(transformers)

    def set_transformers(self, transformers: resources.Transformers) -> None:
        """From now on values are written by these, and read by them."""
        self._chosen = resources.TransformerLookup(transformers)

    @property
    def lags(self) -> bool:
        return self._backend.lags

    @property
    def revision(self) -> int:
        return self._backend.revision

    def current_revision(self) -> Awaitable[int]:
        return self._backend.current_revision()

    @property
    def tell_revision(self) -> Callable[[interface.Told], None] | None:
        return self._backend.tell_revision

    def seek(self, revision: int) -> bool:
        return self._backend.seek(revision)

    @property
    def compacted_revision(self) -> int:
        return self._backend.compacted_revision

    # - writing

    def create(self, key: str, value: bytes, hint: object = None) -> Awaitable[int]:
        return self._write(key, value, hint, self._backend.create)

    def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> Awaitable[int]:
        def put(key: str, value: bytes, hint: object) -> Awaitable[int]:
            return self._backend.update(key, value, expected_revision, hint)

        return self._write(key, value, hint, put)

    def delete(self, key: str, expected_revision: int, hint: object = None) -> Awaitable[int]:
        return self._backend.delete(key, expected_revision, hint)

    def _write(
        self, key: str, value: bytes, hint: object, put: Callable[[str, bytes, object], Awaitable[int]]
    ) -> Awaitable[int]:
        place, transformer = self._chosen.of(key)
        if transformer is IDENTITY:
            return put(key, value, hint)
        context = place.context(key)
        if len(value) > LARGE_BYTES:
            return self._write_large(transformer, context, key, value, hint, put)
        try:
            sealed = transformer.seal(value, context)
        except TransformError as error:
            return _refuse(key, error)
        return put(key, sealed, _Written(value, hint))

    async def _write_large(
        self,
        transformer: Transformer,
        context: bytes,
        key: str,
        value: bytes,
        hint: object,
        put: Callable[[str, bytes, object], Awaitable[int]],
    ) -> int:
        try:
            sealed = await offload.run(transformer.seal, value, context)
        except TransformError as error:
            raise interface.Untransformable(key, str(error)) from error
        return await put(key, sealed, _Written(value, hint))

    # - reading

    async def get(self, key: str, revision: int = 0) -> interface.KeyValue | None:
        item = await self._backend.get(key, revision)
        return item and item._replace(value=(await self._open(item.key, item.value)).data)

    async def is_stale(self, key: str) -> bool:
        """Whether the stored value would be written otherwise now, or cannot be read any more."""
        item = await self._backend.get(key)
        if item is None:
            return False
        try:
            return (await self._open(key, item.value)).is_stale
        except interface.Untransformable:
            return True

    async def range(
        self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0
    ) -> interface.RangeResult:
        found = await self._backend.range(prefix, start_key=start_key, limit=limit, revision=revision)
        items = await self._open_all(found.items, None)
        return interface.RangeResult(items, found.revision, found.remaining)

    async def load_all(
        self, batch_rows: int = 1000, corrupt: Callable[[interface.Corrupt], None] | None = None
    ) -> AsyncIterator[list[interface.KeyValue]]:
        async for batch in self._backend.load_all(batch_rows, corrupt):
            yield await self._open_all(batch, corrupt)

    async def events(self, prefix: str, after_revision: int, *, limit: int = 0) -> list[interface.Event]:
        events = await self._backend.events(prefix, after_revision, limit=limit)
        steps = _Steps()
        for number, event in enumerate(events):
            if event.value is not None:
                events[number] = event._replace(value=(await self._open(event.key, event.value)).data)
                await steps.rest(len(event.value))
        return events

    async def _open_all(
        self, items: list[interface.KeyValue], corrupt: Callable[[interface.Corrupt], None] | None
    ) -> list[interface.KeyValue]:
        opened = []
        steps = _Steps()
        for item in items:
            try:
                opened.append(item._replace(value=(await self._open(item.key, item.value)).data))
            except interface.Untransformable as error:
                if corrupt is None:
                    raise
                corrupt(error)
            await steps.rest(len(item.value))
        return opened

    async def _open(self, key: str, data: bytes) -> DecryptedValue:
        """Raises Untransformable."""
        place, transformer = self._chosen.of(key)
        context = place.context(key)
        is_large = len(data) > LARGE_BYTES and transformer is not IDENTITY
        return await with_keys(key, lambda: transformer.open(data, context), is_large=is_large)

    # - the feed

    def subscribe(self, sink: interface.Sink) -> None:
        def receive(events: Sequence[interface.Event], revision: int) -> None:
            sink([_plain(event) for event in events], revision)

        self._backend.subscribe(receive)

    async def compact(self, revision: int) -> None:
        await self._backend.compact(revision)

    async def close(self) -> None:
        await self._backend.close()


class _Steps:
    """Lets others have their turn after so many values or bytes."""

    __slots__ = ("bytes", "values")

    def __init__(self) -> None:
        self.bytes = self.values = 0

    async def rest(self, size: int) -> None:
        self.bytes += size
        self.values += 1
        if self.bytes >= _STEP_BYTES or self.values >= _STEP_VALUES:
            self.bytes = self.values = 0
            await asyncio.sleep(0)


def _plain(event: interface.Event) -> interface.Event:
    hint = event.hint
    if isinstance(hint, _Written):
        return event._replace(value=hint.value, hint=hint.hint)
    return event


def _refuse(key: str, error: TransformError) -> Awaitable[int]:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    refusal = interface.Untransformable(key, str(error))
    refusal.__cause__ = error
    future.set_exception(refusal)
    return future
