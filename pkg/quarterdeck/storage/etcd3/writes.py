"""Writes to etcd: one transaction each, that compares the key's revision.

A write resolves after the feed has told its event, at the latest FEED_WAIT_S after etcd's answer: then only the feed is
late, the write is durable. Events of this process's own writes bring the JSON and the hint that they were written with,
found by the stored bytes being the same ones.

Source: apiserver/pkg/storage/etcd3/store.go.
"""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.client import Client
from quarterdeck.storage.etcd3.layout import Layout
from quarterdeck.storage.etcd3.leases import EVENTS, Leases
from quarterdeck.storage.etcd3.times import CREATE, DELETE, UPDATE, RequestTimes
from quarterdeck.storage.etcd3.values import Values

FEED_WAIT_S: float = 3.0


class Pending:
    """A write on its way: what is stored (None: a deletion), and what it was made of."""

    __slots__ = ("hint", "stored", "value")

    def __init__(self, stored: bytes | None, value: bytes, hint: object) -> None:
        self.stored = stored
        self.value = value
        self.hint = hint


class Writes:
    """`revision`: what the feed has told, or, as long as there is none (`is_fed`), what was written last."""

    def __init__(self, client: Client, layout: Layout, values: Values, leases: Leases, times: RequestTimes) -> None:
        self.revision = 0
        self.is_fed = False
        self._client = client
        self._layout = layout
        self._values = values
        self._leases = leases
        self._times = times
        self._pending: dict[bytes, list[Pending]] = {}
        self._untold: list[tuple[int, int, float, asyncio.Future[None]]] = []  # a heap by revision
        self._numbers = count()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def pending_count(self) -> int:
        """Writes that etcd has not answered."""
        return sum(len(writes) for writes in self._pending.values())

    async def put(self, key: str, value: bytes, expected: int, hint: object) -> int:
        """`expected` 0: there is no such key."""
        there = self._layout.to_etcd(key)
        stored = self._values.seal(key, there, value)
        lease = await self._leases.of_event() if key.startswith(EVENTS) else 0
        request = messages.encode_put(there, stored, expected, lease)
        return await self._write(there, Pending(stored, value, hint), key, expected, request)

    async def delete(self, key: str, expected: int, hint: object) -> int:
        there = self._layout.to_etcd(key)
        request = messages.encode_delete(there, expected)
        return await self._write(there, Pending(None, b"", hint), key, expected, request)

    async def _write(self, there: bytes, pending: Pending, key: str, expected: int, request: bytes) -> int:
        self._pending.setdefault(there, []).append(pending)
        try:
            outcome = await self._ask(pending, key, expected, request)
            if not outcome.succeeded:
                raise _refusal(key, expected, pending, outcome.found)
            if not self.is_fed:
                self.revision = max(outcome.revision, self.revision)
            elif outcome.revision > self.revision:
                await self._wait_for(outcome.revision)
            return outcome.revision
        finally:
            left = self._pending[there]
            left.remove(pending)
            if not left:
                del self._pending[there]

    async def _ask(self, pending: Pending, key: str, expected: int, request: bytes) -> messages.TxnResponse:
        operation = DELETE if pending.stored is None else UPDATE if expected else CREATE
        with self._times.timing(operation, key):
            return await self._client.txn(request)

    def own(self, there: bytes, stored: bytes | None) -> Pending | None:
        """The write of this process that an event tells of."""
        for pending in self._pending.get(there, ()):
            if pending.stored == stored:
                return pending
        return None

    def resolve(self, revision: int) -> None:
        """The feed has told everything up to a revision."""
        untold = self._untold
        while untold and untold[0][0] <= revision:
            _resolve(heapq.heappop(untold)[3])

    def _wait_for(self, revision: int) -> asyncio.Future[None]:
        """Done once the feed has told a revision, or is late."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        heapq.heappush(self._untold, (revision, next(self._numbers), loop.time() + FEED_WAIT_S, future))
        if self._timer is None:
            self._timer = loop.call_later(FEED_WAIT_S, self._give_up)
        return future

    def _give_up(self) -> None:
        """One timer for all who wait."""
        self._timer = None
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        for _, _, until_s, future in self._untold:
            if until_s <= now_s:
                _resolve(future)
        self._untold = [waiting for waiting in self._untold if not waiting[3].done()]
        heapq.heapify(self._untold)
        if self._untold:
            self._timer = loop.call_at(min(until_s for _, _, until_s, _ in self._untold), self._give_up)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _refusal(
    key: str, expected: int, pending: Pending, found: messages.Record | None
) -> interface.KeyExists | interface.KeyNotFound | interface.RevisionConflict:
    if not expected and pending.stored is not None:
        return interface.KeyExists(key)
    if found is None:
        return interface.KeyNotFound(key)
    return interface.RevisionConflict(key, max(expected, 0), found.revision)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
