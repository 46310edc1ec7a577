"""Reading etcd: keys at a revision, all that lives, the history."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import compaction, feed, messages
from quarterdeck.storage.etcd3.calls import CallError, Owner
from quarterdeck.storage.etcd3.client import Client, CompactedThere, FutureThere
from quarterdeck.storage.etcd3.layout import Layout
from quarterdeck.storage.etcd3.times import LIST, RequestTimes
from quarterdeck.storage.etcd3.values import Values
from quarterdeck.storage.value.fetching import with_keys

if TYPE_CHECKING:
    from quarterdeck._kernels.grpccall import Call

# Any key would do: the answer's head is what is asked for.
_QUESTION: Final = messages.encode_range(compaction.KEY, keys_only=True)
_LOG: Final = logging.getLogger(__name__)


class Reader:
    """`compacted`: the newest revision that is known to be forgotten."""

    def __init__(self, client: Client, layout: Layout, values: Values, times: RequestTimes) -> None:
        self.compacted = 1
        self._times = times
        self._client = client
        self._layout = layout
        self._values = values

    async def current_revision(self) -> int:
        return (await self._client.range(_QUESTION)).revision

    def begin_current_revision(self, owner: Owner) -> Call | None:
        """The same by a call; what comes is for messages.decode_revision."""
        return self._client.begin(messages.RANGE, _QUESTION, owner)

    def note_compacted(self, revision: int) -> None:
        self.compacted = max(revision, self.compacted)

    async def compact(self, revision: int) -> None:
        """Raises Compacted, FutureRevision, Unavailable."""
        try:
            await self._client.call_once(messages.COMPACT, messages.encode_compact(revision))
        except CompactedThere as error:
            self.note_compacted(await compaction.find_compacted(self._client))
            raise interface.Compacted(revision, self.compacted) from error
        except FutureThere as error:
            raise interface.FutureRevision(revision, await self.current_revision()) from error
        self.note_compacted(revision)

    async def load(self, revision: int, rows: int) -> AsyncIterator[list[messages.Record]]:
        first, end = self._layout.span("")
        while True:
            found = await self.ranged(messages.encode_range(first, end, limit=rows, revision=revision), revision)
            yield found.records
            if found.total <= len(found.records):
                return
            first = found.records[-1].key + b"\0"

    async def living(self, revision: int, rows: int) -> tuple[list[interface.KeyValue], dict[str, interface.Corrupt]]:
        """All that lives at a revision, and by key why some of it cannot be read. Raises Compacted, Unavailable."""
        found: list[interface.KeyValue] = []
        unreadable: dict[str, interface.Corrupt] = {}
        async for batch in self.load(revision, rows):
            for record in batch:
                try:
                    item = await self.item(record)
                except interface.Corrupt as error:
                    _LOG.error("%s", error)
                    unreadable[error.key] = error
                    continue
                if item is not None:
                    found.append(item)
        return found, unreadable

    async def ranged(self, request: bytes, revision: int) -> messages.RangeResponse:
        try:
            return await self._client.range(request)
        except CompactedThere as error:
            self.note_compacted(await compaction.find_compacted(self._client))
            raise interface.Compacted(revision, self.compacted) from error
        except FutureThere as error:
            raise interface.FutureRevision(revision, await self.current_revision()) from error

    async def timed(self, operation: str, key: str, request: bytes, revision: int) -> messages.RangeResponse:
        """`key` (or what keys begin with) tells of which resource."""
        with self._times.timing(operation, key):
            return await self.ranged(request, revision)

    async def page(self, prefix: str, first: bytes, end: bytes, limit: int, revision: int) -> interface.RangeResult:
        """The keys from `first` to `end`, all below `prefix`. Those that are nobody's may make it shorter, but not
        empty before the end."""
        while True:
            request = messages.encode_range(first, end, limit=limit, revision=revision)
            found = await self.timed(LIST, prefix, request, revision)
            items = [item for record in found.records if (item := await self.item(record)) is not None]
            remaining = found.total - len(found.records)
            revision = revision or found.revision
            if items or not remaining:
                return interface.RangeResult(items, revision, remaining)
            first = found.records[-1].key + b"\0"

    async def item(self, record: messages.Record) -> interface.KeyValue | None:
        """None for a key that is nobody's. Raises Corrupt."""
        key = self._layout.from_etcd(record.key)
        if key is None:
            return None
        value = await self.open(key, record)
        return interface.KeyValue(key, value, record.revision, record.create_revision)

    async def open(self, key: str, record: messages.Record) -> bytes:
        """The value. It waits only for what decrypts it. Raises Corrupt."""
        try:
            return await with_keys(key, lambda: self._values.open(key, record.key, record.value))
        except ValueError as error:
            raise interface.Corrupt(key, str(error)) from error

    async def is_stale(self, key: str) -> bool:
        """Whether the stored value would be other bytes now, or cannot be read any more."""
        there = self._layout.to_etcd(key)
        found = await self.ranged(messages.encode_range(there), 0)
        if not found.records:
            return False
        stored = found.records[0].value
        try:
            return await with_keys(key, lambda: self._values.is_stale(key, there, stored))
        except interface.Untransformable:
            return True

    async def event(self, event: messages.WatchEvent) -> interface.Event | None:
        """None for a key that is nobody's."""
        record = event.record
        key = self._layout.from_etcd(record.key)
        if key is None:
            return None
        if event.is_delete:
            return interface.Event(key, None, record.revision, False, None)
        try:
            value = await self.open(key, record)
        except interface.Corrupt as error:  # what others write must not stop the feed of everything else
            _LOG.error("what was written cannot be read: %s", error)
            return interface.Event(key, None, record.revision, False, error)
        return interface.Event(key, value, record.revision, event.is_create, None)

    async def events(self, prefix: str, after_revision: int, limit: int) -> list[interface.Event]:
        """Raises Compacted, Corrupt, Unavailable."""
        events: list[interface.Event] = []
        async for batch in self.history(after_revision):
            for event in batch:
                built = await self.event(event)
                if built is None or not built.key.startswith(prefix):
                    continue
                if isinstance(built.hint, interface.Corrupt):
                    raise built.hint
                events.append(built)
                if limit and len(events) == limit:
                    return events
        return events

    async def history(self, after_revision: int) -> AsyncIterator[list[messages.WatchEvent]]:
        """The writes after a revision, up to that of now. It is read as a watch is fed: each revision comes with an
        event. Raises Compacted, Unavailable."""
        now = await self.current_revision()
        if after_revision < self.compacted:
            raise interface.Compacted(after_revision, self.compacted)
        if after_revision >= now:
            return
        try:
            async for answer in feed.open_watch(self._client, after_revision + 1):
                if answer.events:
                    yield answer.events
                    if not answer.fragment and answer.events[-1].record.revision >= now:
                        return
        except feed.Compacted as error:
            self.note_compacted(error.revision)
            raise interface.Compacted(after_revision, self.compacted) from error
        except (CallError, ConnectionError) as error:
            raise interface.Unavailable("the history of etcd cannot be read") from error
