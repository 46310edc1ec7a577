"""etcd's watch as the feed of one cache: every write once, in order, whatever becomes of connections.

It watches all keys of etcd, also those that are nobody's here. Every revision then comes with an event, so that the
feed is known to have come to a revision without progress notifications, which etcd before 3.4.25 and 3.5.8 may send too
early.

A stream that breaks is opened again behind the last revision, at the next member. Where that has been compacted
meanwhile, what lives is read, and compared with what was told: the differences are the events of the gap.

Source: etcd server/etcdserver/api/v3rpc/watch.go; apiserver/pkg/storage/etcd3/watcher.go.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.calls import CallError
from quarterdeck.storage.etcd3.client import Client

ALL: Final = b"\0"
_PAUSE_S: Final = 0.1
_PAUSE_S_MAX: Final = 2.0
_LOG: Final = logging.getLogger(__name__)

Receive = Callable[[list[messages.WatchEvent], int], Awaitable[None]]


class Compacted(Exception):
    def __init__(self, revision: int) -> None:
        super().__init__(f"compacted up to {revision}")
        self.revision = revision


async def open_watch(
    client: Client, start_revision: int, key: bytes = ALL, end: bytes = ALL
) -> AsyncIterator[messages.WatchResponse]:
    """The answers of one stream. Raises Compacted, CallError and ConnectionError."""
    call = await client.watch()
    try:
        call.write(messages.encode_watch(key, end, start_revision))
        while True:
            message = await call.read()
            if message is None:
                raise ConnectionError("the stream has ended")
            answer = messages.decode_watch(message)
            if answer.canceled:
                if answer.compact_revision:
                    raise Compacted(answer.compact_revision)
                raise ConnectionError(answer.reason or "the watch was canceled")
            yield answer
    finally:
        call.cancel()


class Feed:
    """`receive` gets the events of whole revisions, and the last revision of them. `refill` is awaited after a gap and
    answers the revision up to which it told all. `is_connected` is for health."""

    def __init__(
        self,
        client: Client,
        revision: int,
        receive: Receive,
        refill: Callable[[], Awaitable[int]],
        failed: Callable[[BaseException], None],
    ) -> None:
        self.revision = revision
        self.is_connected = False
        self._client = client
        self._receive = receive
        self._refill = refill
        self._failed = failed
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        pause_s = _PAUSE_S
        while True:
            before = self.revision
            try:
                await self._follow()
            except asyncio.CancelledError:
                raise
            except Compacted as gap:
                _LOG.warning("the watch of etcd fell behind its compaction (%d): reading what lives", gap.revision)
                try:
                    self.revision = await self._refill()
                except interface.StorageError as error:
                    _LOG.warning("etcd cannot be read: %s", error)
            except (CallError, ConnectionError) as error:
                _LOG.warning("the watch of etcd ended at revision %d: %s", self.revision, error)
                self._client.turn_away()
            except BaseException as error:  # noqa: BLE001 - a cache that is told of no more writes must not serve
                self._failed(error)
                return
            self.is_connected = False
            pause_s = _PAUSE_S if self.revision > before else min(pause_s * 2, _PAUSE_S_MAX)
            await asyncio.sleep(pause_s)

    async def _follow(self) -> None:
        held: list[messages.WatchEvent] = []
        async for answer in open_watch(self._client, self.revision + 1):
            self.is_connected = True
            held += answer.events
            if answer.fragment or not held:
                continue
            events, held = held, []
            self.revision = events[-1].record.revision
            await self._receive(events, self.revision)
