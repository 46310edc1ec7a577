"""The etcd backend's face on the event loop; see interface.Storage for the meaning of each method.

Writes are made in `writes`, the feed's events become those of the sink here.

Source: apiserver/pkg/storage/etcd3/store.go.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, Self

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import compaction, feed, gaps, messages
from quarterdeck.storage.etcd3.client import Client, EtcdError
from quarterdeck.storage.etcd3.layout import Layout, SameKeys
from quarterdeck.storage.etcd3.leases import Leases
from quarterdeck.storage.etcd3.newest import NewestRevision
from quarterdeck.storage.etcd3.reading import Reader
from quarterdeck.storage.etcd3.settings import Settings
from quarterdeck.storage.etcd3.times import GET, RequestTimes
from quarterdeck.storage.etcd3.values import SameValues, Values
from quarterdeck.storage.etcd3.writes import Writes

_PAGE: Final = 1000
_LOG: Final = logging.getLogger(__name__)

OnFatal = Callable[[BaseException], None]


class EtcdStorage:
    def __init__(self, settings: Settings, layout: Layout, values: Values, on_fatal: OnFatal | None) -> None:
        self.settings = settings
        self._client = Client(settings)
        self._layout = layout
        self._values = values
        self._on_fatal = on_fatal
        self._sink: interface.Sink | None = None
        self.times = RequestTimes()
        self._reader = Reader(self._client, layout, values, self.times)
        self._newest = NewestRevision(self._reader.current_revision, self._reader.begin_current_revision)
        self._leases = Leases(self._client, settings.event_ttl_s)
        self._writes = Writes(self._client, layout, values, self._leases, self.times)
        self._known: dict[str, int] = {}  # the newest told revision of each key
        self._feed: feed.Feed | None = None
        self._compactor: asyncio.Task[None] | None = None
        self._error: BaseException | None = None

    @classmethod
    async def open(
        cls,
        settings: Settings,
        *,
        layout: Layout | None = None,
        values: Values | None = None,
        on_fatal: OnFatal | None = None,
    ) -> Self:
        """Raises Unavailable where no member answers, OSError."""
        storage = cls(settings, layout or SameKeys(settings.prefix), values or SameValues(), on_fatal)
        try:
            storage._writes.revision = await storage.current_revision()
            storage._reader.note_compacted(await compaction.find_compacted(storage._client))
        except BaseException:
            await storage.close()
            raise
        if settings.compaction_interval_s:
            run = compaction.run(storage._client, settings.compaction_interval_s, storage._reader.note_compacted)
            storage._compactor = asyncio.get_running_loop().create_task(run)
        return storage

    # - how new

    @property
    def lags(self) -> bool:
        return True

    @property
    def revision(self) -> int:
        return self._writes.revision

    @property
    def compacted_revision(self) -> int:
        return self._reader.compacted

    @property
    def is_stale(self) -> Callable[[str], Awaitable[bool]] | None:
        return None if self._values.is_identity else self._reader.is_stale

    def current_revision(self) -> Awaitable[int]:
        return self._newest.get()

    @property
    def tell_revision(self) -> Callable[[interface.Told], None]:
        return self._newest.tell

    def seek(self, revision: int) -> bool:
        """The feed tells every revision as soon as etcd has it."""
        return True

    # - writing

    def create(self, key: str, value: bytes, hint: object = None) -> Awaitable[int]:
        return self._writes.put(key, value, 0, hint)

    def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> Awaitable[int]:
        # 0 stands for no key in a comparison; no key ever has the revision -1
        return self._writes.put(key, value, expected_revision or -1, hint)

    def delete(self, key: str, expected_revision: int, hint: object = None) -> Awaitable[int]:
        return self._writes.delete(key, expected_revision or -1, hint)

    async def keep(self, key: str, value: bytes, ttl_s: int) -> None:
        """Write a key that goes after `ttl_s`, whatever it is now."""
        lease = await self._leases.grant(ttl_s)
        there = self._layout.to_etcd(key)
        put = messages.encode_leased_put(there, self._values.seal(key, there, value), lease)
        await self._client.call_once(messages.PUT, put)

    # - reading

    async def get(self, key: str, revision: int = 0) -> interface.KeyValue | None:
        there = self._layout.to_etcd(key)
        found = await self._reader.timed(GET, key, messages.encode_range(there, revision=revision), revision)
        return await self._reader.item(found.records[0]) if found.records else None

    async def range(
        self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0
    ) -> interface.RangeResult:
        first, end = self._layout.span(prefix)
        if start_key:
            first = max(first, self._layout.to_etcd(start_key))
        return await self._reader.page(prefix, first, end, limit, revision)

    async def load_all(
        self, batch_rows: int = 1000, corrupt: Callable[[interface.Corrupt], None] | None = None
    ) -> AsyncIterator[list[interface.KeyValue]]:
        revision = self._writes.revision
        async for batch in self._reader.load(revision, batch_rows):
            items: list[interface.KeyValue] = []
            for record in batch:
                try:
                    item = await self._reader.item(record)
                except interface.Corrupt as error:
                    if corrupt is None:
                        raise
                    corrupt(error)
                    continue
                if item is not None:
                    items.append(item)
                    self._known[item.key] = max(item.revision, self._known.get(item.key, 0))
            if items:
                yield items

    async def events(self, prefix: str, after_revision: int, *, limit: int = 0) -> list[interface.Event]:
        return await self._reader.events(prefix, after_revision, limit)

    # - the feed

    def subscribe(self, sink: interface.Sink) -> None:
        self._sink = sink
        self._writes.is_fed = True
        self._feed = feed.Feed(self._client, self._writes.revision, self._receive, self._refill, self._fail)
        self._feed.start()

    async def _receive(self, events: list[messages.WatchEvent], revision: int) -> None:
        """It waits only for what decrypts values."""
        self._publish([built for event in events if (built := await self._event(event)) is not None], revision)

    def _publish(self, events: list[interface.Event], revision: int) -> None:
        for event in events:
            if event.value is None:
                self._known.pop(event.key, None)
            else:
                self._known[event.key] = event.revision
        self._writes.revision = revision
        if self._sink is not None:
            self._sink(events, revision)
        self._writes.resolve(revision)

    async def _event(self, event: messages.WatchEvent) -> interface.Event | None:
        """Of a write of this process as it was written."""
        record = event.record
        stored = None if event.is_delete else record.value
        pending = self._writes.own(record.key, stored)
        if pending is not None and (key := self._layout.from_etcd(record.key)) is not None:
            value = None if stored is None else pending.value
            return interface.Event(key, value, record.revision, event.is_create, pending.hint)
        return await self._reader.event(event)

    async def _refill(self) -> int:
        revision = await self.current_revision()
        living, unreadable = await self._reader.living(revision, _PAGE)
        told = {key: known for key, known in self._known.items() if key not in unreadable}
        events = gaps.bridge(told, living, revision)
        events += [interface.Event(key, None, revision, False, error) for key, error in unreadable.items()]
        self._publish(events, revision)
        return revision

    # - the rest

    @property
    def pending_count(self) -> int:
        """Writes that etcd has not answered."""
        return self._writes.pending_count

    @property
    def is_available(self) -> bool:
        """Whether writes are still acknowledged, as far as is known."""
        return self._error is None and (self._feed is None or self._feed.is_connected)

    async def check(self, timeout_s: float) -> str | None:
        """Why etcd is not well; None where it is (upstream's health check is the same read)."""
        try:
            await self._client.range(messages.encode_range(b"health"), timeout_s)
        except EtcdError as error:
            return error.text
        return None

    async def status(self) -> tuple[str, int]:
        """Its version and the bytes of its database. Raises Unavailable."""
        return messages.decode_status(await self._client.read(messages.STATUS, b""))

    async def compact(self, revision: int) -> None:
        await self._reader.compact(revision)

    async def close(self) -> None:
        if self._compactor is not None:
            self._compactor.cancel()
            await asyncio.wait([self._compactor])
        if self._feed is not None:
            await self._feed.stop()
        self._writes.close()
        self._newest.close()
        await self._client.close()

    def _fail(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error
            if self._on_fatal is not None:
                self._on_fatal(error)
