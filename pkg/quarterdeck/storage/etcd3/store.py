"""The etcd backend's face on the event loop; see interface.Storage for the meaning of each method.

A write is one transaction that compares the key's revision. Its future resolves after the feed has told its event, at
the latest FEED_WAIT_S after etcd's answer: then only the feed is late, the write is durable. Events of this process's
own writes bring the JSON and the hint that they were written with, found by the stored bytes being the same ones.

Source: apiserver/pkg/storage/etcd3/store.go.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from typing import Final, NamedTuple, Self

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import compaction, feed, gaps, messages
from quarterdeck.storage.etcd3.client import Client, EtcdError
from quarterdeck.storage.etcd3.layout import Layout, SameKeys
from quarterdeck.storage.etcd3.leases import EVENTS, Leases
from quarterdeck.storage.etcd3.reading import Reader
from quarterdeck.storage.etcd3.settings import Settings
from quarterdeck.storage.etcd3.values import SameValues, Values

FEED_WAIT_S: float = 3.0
_PAGE: Final = 1000
_LOG: Final = logging.getLogger(__name__)

OnFatal = Callable[[BaseException], None]


class Pending(NamedTuple):
    """A write on its way: what is stored (None: a deletion), and what it was made of."""

    stored: bytes | None
    value: bytes
    hint: object


class EtcdStorage:
    def __init__(self, settings: Settings, layout: Layout, values: Values, on_fatal: OnFatal | None) -> None:
        self.settings = settings
        self._client = Client(settings)
        self._layout = layout
        self._values = values
        self._on_fatal = on_fatal
        self._sink: interface.Sink | None = None
        self._revision = 0
        self._reader = Reader(self._client, layout, values)
        self._leases = Leases(self._client, settings.event_ttl_s)
        self._known: dict[str, int] = {}  # the newest told revision of each key
        self._pending: dict[bytes, list[Pending]] = {}
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []  # a heap by revision
        self._numbers = count()
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
            storage._revision = await storage.current_revision()
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
        return self._revision

    @property
    def compacted_revision(self) -> int:
        return self._reader.compacted

    @property
    def is_stale(self) -> Callable[[str], Awaitable[bool]] | None:
        return None if self._values.is_identity else self._reader.is_stale

    async def current_revision(self) -> int:
        return await self._reader.current_revision()

    def seek(self, revision: int) -> bool:
        """The feed tells every revision as soon as etcd has it."""
        return True

    # - writing

    def create(self, key: str, value: bytes, hint: object = None) -> Awaitable[int]:
        return self._put(key, value, 0, hint)

    def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> Awaitable[int]:
        # 0 stands for no key in a comparison; no key ever has the revision -1
        return self._put(key, value, expected_revision or -1, hint)

    async def delete(self, key: str, expected_revision: int, hint: object = None) -> int:
        there = self._layout.to_etcd(key)
        request = messages.encode_delete(there, expected_revision or -1)
        return await self._write(there, Pending(None, b"", hint), key, expected_revision, request)

    async def _put(self, key: str, value: bytes, expected: int, hint: object) -> int:
        there = self._layout.to_etcd(key)
        stored = self._values.seal(key, there, value)
        lease = await self._leases.of_event() if key.startswith(EVENTS) else 0
        request = messages.encode_put(there, stored, expected, lease)
        return await self._write(there, Pending(stored, value, hint), key, expected, request)

    async def _write(self, there: bytes, pending: Pending, key: str, expected: int, request: bytes) -> int:
        self._pending.setdefault(there, []).append(pending)
        try:
            outcome = await self._client.txn(request)
            if not outcome.succeeded and not expected and pending.stored is not None:
                raise interface.KeyExists(key)
            return await self._finish(key, max(expected, 0), outcome)
        finally:
            left = self._pending[there]
            left.remove(pending)
            if not left:
                del self._pending[there]

    async def _finish(self, key: str, expected: int, outcome: messages.TxnResponse) -> int:
        if not outcome.succeeded:
            if outcome.found is None:
                raise interface.KeyNotFound(key)
            raise interface.RevisionConflict(key, expected, outcome.found.revision)
        if self._feed is None:
            self._revision = max(outcome.revision, self._revision)
        elif outcome.revision > self._revision:
            told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (outcome.revision, next(self._numbers), told))
            await asyncio.wait([told], timeout=FEED_WAIT_S)
            told.cancel()
        return outcome.revision

    async def keep(self, key: str, value: bytes, ttl_s: int) -> None:
        """Write a key that goes after `ttl_s`, whatever it is now."""
        lease = await self._leases.grant(ttl_s)
        there = self._layout.to_etcd(key)
        put = messages.encode_leased_put(there, self._values.seal(key, there, value), lease)
        await self._client.call_once(messages.PUT, put)

    # - reading

    async def get(self, key: str, revision: int = 0) -> interface.KeyValue | None:
        there = self._layout.to_etcd(key)
        found = await self._reader.ranged(messages.encode_range(there, revision=revision), revision)
        return await self._reader.item(found.records[0]) if found.records else None

    async def revision_of(self, key: str) -> int:
        found = await self._reader.ranged(messages.encode_range(self._layout.to_etcd(key), keys_only=True), 0)
        return found.records[0].revision if found.records else 0

    async def range(
        self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0
    ) -> interface.RangeResult:
        first, end = self._layout.span(prefix)
        if start_key:
            first = max(first, self._layout.to_etcd(start_key))
        return await self._reader.page(first, end, limit, revision)

    async def load_all(
        self, batch_rows: int = 1000, corrupt: Callable[[interface.Corrupt], None] | None = None
    ) -> AsyncIterator[list[interface.KeyValue]]:
        revision = self._revision
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
        self._feed = feed.Feed(self._client, self._revision, self._receive, self._refill, self._fail)
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
        self._revision = revision
        if self._sink is not None:
            self._sink(events, revision)
        while self._waiting and self._waiting[0][0] <= revision:
            told = heapq.heappop(self._waiting)[2]
            if not told.done():
                told.set_result(None)

    async def _event(self, event: messages.WatchEvent) -> interface.Event | None:
        """Of a write of this process as it was written."""
        record = event.record
        stored = None if event.is_delete else record.value
        for pending in self._pending.get(record.key, ()):
            if pending.stored == stored and (key := self._layout.from_etcd(record.key)) is not None:
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
        return sum(len(writes) for writes in self._pending.values())

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
        await self._client.close()

    def _fail(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error
            if self._on_fatal is not None:
                self._on_fatal(error)
