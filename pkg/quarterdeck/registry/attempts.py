"""Writes that begin with an object which may not be the newest: they are tried until they began with the newest one.

The watch cache's object is a guess where others write to the store too (storage/interface.py has the contract). What
comes of a guess counts when it was written, since writes compare revisions, or when the store says that the object is
the newest. Where the cache is never behind, only a write of somebody else in between has all done again.

Source: apiserver/pkg/storage/etcd3/store.go (GuaranteedUpdate, conditionalDelete: origStateIsCurrent).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from quarterdeck.apimachinery import errors
from quarterdeck.registry.errors import interpret
from quarterdeck.registry.turns import Turn, Turns
from quarterdeck.registry.writes import WriteContext, WriteResult
from quarterdeck.storage.cacher import Entry, ResourceCache
from quarterdeck.storage.interface import KeyNotFound, RevisionConflict, Storage, StorageError

Attempt = Callable[[Entry | None], Awaitable[WriteResult]]


class Objects(Protocol):
    """Those of the resource, by namespace and name: where they are stored, and what the cache has of them. Given with
    each call: who has attempts is not to be held by them."""

    def key(self, namespace: str, name: str) -> str: ...
    def find(self, namespace: str, name: str) -> Entry | None: ...


class Attempts:
    """Of one resource. `turns` are those of its writers."""

    def __init__(self, group: str, resource: str, storage: Storage, cache: ResourceCache, turns: Turns) -> None:
        self._group = group
        self._resource = resource
        self._storage = storage
        self._lags = storage.lags
        self._cache = cache
        self._turns = turns

    async def newest(self, objects: Objects, namespace: str, name: str, revision: int = 0) -> Entry | None:
        """What the store holds now: of the cache, once that is as new as the store was, else of the store. `revision`
        is the store's, where that has been asked for."""
        key = objects.key(namespace, name)
        try:
            if not revision:
                revision = await self._storage.current_revision()
            shared = self._cache.shared
            if revision <= shared.revision or await shared.has_come_soon(revision):
                return objects.find(namespace, name)
            item = await self._storage.get(key)
        except StorageError as error:
            raise interpret(error, self._group, self._resource, name) from error
        if item is None:
            return None
        known = objects.find(namespace, name)
        return known if known is not None and known.revision == item.revision else self._cache.build_entry(*item, None)

    async def not_older(self, objects: Objects, namespace: str, name: str, revision: int) -> Entry | None:
        """A state that is not older than a revision. Raises Timeout."""
        if not self._lags or self._storage.seek(revision):
            await self._cache.wait_for(revision)
            return objects.find(namespace, name)
        try:
            is_there = revision <= await self._storage.current_revision()
        except StorageError as error:
            raise interpret(error, self._group, self._resource, name) from error
        if not is_there:
            await self._cache.wait_for(revision)
        return await self.newest(objects, namespace, name)

    async def repeat(
        self, objects: Objects, namespace: str, name: str, context: WriteContext, attempt: Attempt
    ) -> WriteResult:
        """Call `attempt` with the object as it is known (None: there is none), again as long as it began with one that
        was not the newest."""
        turn: Turn | None = None
        is_beaten = False
        is_sure = not self._lags  # nothing newer can be asked for
        entry = objects.find(namespace, name)
        try:
            while True:
                if turn is None and (is_beaten or self._turns.queues) and not context.dry_run:
                    turn = await self._turns.follow(objects.key(namespace, name), is_beaten=is_beaten)
                    if not self._lags:
                        entry = objects.find(namespace, name)
                stored: WriteResult | None = None
                refusal: errors.APIStatus | None = None
                try:
                    stored = await attempt(entry)
                except (RevisionConflict, KeyNotFound):
                    is_beaten = True
                except errors.APIStatus as error:
                    if is_sure:
                        raise
                    refusal = error
                # Nothing waits in an `except` (docs/adr/0005).
                if stored is None and refusal is None:
                    # Somebody wrote in between. The newer object decides: a resourceVersion that the client named is
                    # stale now and becomes a Conflict.
                    entry = await self.newest(objects, namespace, name) if self._lags else objects.find(namespace, name)
                    is_sure = True
                    continue
                if stored is not None and (is_sure or _has_written(stored, entry, context)):
                    return stored
                newest = await self.newest(objects, namespace, name)
                if _is_same(newest, entry):
                    if stored is not None:
                        return stored  # there was nothing to change, and there is not
                    assert refusal is not None
                    raise refusal
                entry, is_sure = newest, True
        finally:
            if turn is not None:
                self._turns.end(turn)


def _has_written(stored: WriteResult, entry: Entry | None, context: WriteContext) -> bool:
    """An update that took the last finalizer is answered at the old revision, and the object was deleted at that."""
    return entry is None or stored.revision != entry.revision or (stored.deleted and not context.dry_run)


def _is_same(one: Entry | None, other: Entry | None) -> bool:
    """Whether both are the same write of an object."""
    if one is None or other is None:
        return one is other
    return one.revision == other.revision
