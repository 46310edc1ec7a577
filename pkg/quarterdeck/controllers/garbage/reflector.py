"""Keeps the graph in step with a resource of another server: one list, then one watch, again and again.

A server that is away, or answers with what nobody can use, is left alone for a while, longer each time; what was seen
of it stays in the graph meanwhile.

Source: client-go/tools/cache/reflector.go.
Differs from upstream: an object that a new list does not show is not gone for that. Who depends on it is looked at, and
asks.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from functools import partial
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.controllers.backoff import Delays
from quarterdeck.controllers.garbage.circuitbreaker import ServerUnavailable
from quarterdeck.controllers.garbage.feed import Feed
from quarterdeck.controllers.garbage.graph import Steps, build_node
from quarterdeck.controllers.garbage.remote import Mirror, MirroredObject, RemoteResource
from quarterdeck.controllers.garbage.resources import Metadata

logger = logging.getLogger(__name__)

RETRY_FIRST_S: Final = 0.5
RETRY_MAX_S: Final = 60.0
# A watch lasts this long, and up to twice as long, each resource's another while.
WATCH_S: Final = 300
# A watch that ends sooner was none.
WATCH_MIN_S: Final = 1.0
# A list that has no end is given up, and so are objects without number.
PAGES_MAX: Final = 2000
OBJECTS_MAX: Final = 1_000_000
_STEP: Final = 64
_ONLY: Final = ""


class Reflector:
    """`is_listed`: all that there was has been taken in once."""

    def __init__(self, resource: RemoteResource, feed: Feed) -> None:
        self.is_listed = False
        self._resource = resource
        self._feed = feed
        self._delays = Delays(RETRY_FIRST_S, RETRY_MAX_S)
        self._revision: str | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run(), name=f"reflector {self._resource.key}")

    def stop(self) -> asyncio.Task[None] | None:
        """What remains to be awaited."""
        if self._task is not None:
            self._task.cancel()
        return self._task

    async def _run(self) -> None:
        while True:
            await self._resource.breaker.usable()
            try:
                await self._follow()
            except ServerUnavailable:
                continue
            except errors.Expired:
                self._revision = None
            except Exception as error:  # noqa: BLE001 - whatever a server sends must not end what follows it
                self._revision = None
                logger.warning("garbage: %s cannot be followed: %s", self._resource.key, error)
            await asyncio.sleep(self._delays.next_s(_ONLY))

    async def _follow(self) -> None:
        """Until something has to be waited for."""
        if self._revision is None:
            self._revision = await self._list()
            self.is_listed = True
        loop = asyncio.get_running_loop()
        while True:
            began_s = loop.time()
            await self._resource.call(self._watch)
            if loop.time() - began_s < WATCH_MIN_S:
                return
            self._delays.forget(_ONLY)

    async def _list(self) -> str:
        resource = self._resource
        mirror: Mirror = {}
        continue_token = ""
        for _ in range(PAGES_MAX):
            page = await resource.call(partial(resource.objects.list, resource.what, continue_token))
            for done, metadata in enumerate(page.items, 1):
                if done % _STEP == 0:
                    await asyncio.sleep(0)
                await self._see(metadata, mirror)
            continue_token = page.continue_token
            if not continue_token:
                await self._replace(mirror)
                return page.revision
        raise errors.Unreasoned(f"a list has more than {PAGES_MAX} pages")

    async def _replace(self, mirror: Mirror) -> None:
        before = dict(self._resource.mirror)
        self._resource.mirror.clear()
        self._resource.mirror.update(mirror)
        for done, uid in enumerate(before.keys() - mirror.keys(), 1):
            if done % _STEP == 0:
                await asyncio.sleep(0)
            await _walk(self._feed.lose(self._resource.key, uid))
        await _walk(self._feed.look_for_absent(self._is_meant_and_absent))

    def _is_meant_and_absent(self, uid: str, api_version: str, kind: str) -> bool:
        resource = self._resource
        return kind == resource.kind and api_version in resource.api_versions and uid not in resource.mirror

    async def _watch(self) -> None:
        resource = self._resource
        timeout_s = WATCH_S + zlib.crc32(resource.key.encode()) % WATCH_S
        events = resource.objects.watch(resource.what, self._revision or "", timeout_s)
        try:
            done = 0
            async for event in events:
                done += 1
                if done % _STEP == 0:
                    await asyncio.sleep(0)
                await self._take(event.type, event.metadata)
                self._revision = event.metadata.get("resourceVersion") or self._revision
        finally:
            await events.aclose()

    async def _take(self, kind: str, metadata: Metadata) -> None:
        if kind in ("ADDED", "MODIFIED"):
            await self._see(metadata, self._resource.mirror)
        elif kind == "DELETED":
            uid, namespace = metadata["uid"], metadata.get("namespace") or ""
            self._resource.mirror.pop(uid, None)
            await _walk(self._feed.on_deleted_remote(self._resource.key, namespace, metadata["name"], uid))

    async def _see(self, metadata: Metadata, mirror: Mirror) -> None:
        namespace = metadata.get("namespace") or ""
        if len(mirror) >= OBJECTS_MAX:
            raise errors.Unreasoned(f"there are more than {OBJECTS_MAX} objects")
        mirror[metadata["uid"]] = MirroredObject(namespace, metadata["name"], bool(metadata.get("deletionTimestamp")))
        await _walk(self._feed.see(build_node(self._resource.key, namespace, metadata["name"], metadata)))


async def _walk(steps: Steps) -> None:
    for _ in steps:
        await asyncio.sleep(0)
