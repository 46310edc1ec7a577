"""The generic store of one resource: create, update and delete as kube-apiserver's registry does them.

It knows keys, revisions, finalizers and preconditions; what a kind does of its own is its strategy's, what bytes look
like is its codec's. Reads go to the watch cache. Works in the version of the request.

Source: apiserver/pkg/registry/generic/registry/store.go, registry/rest/{create,update,delete}.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from quarterdeck.apimachinery import clock, errors, meta, offload
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.concurrency import WRITES_AT_ONCE
from quarterdeck.registry import awaited, changes, damaged, deletion, keynames, missing, preconditions
from quarterdeck.registry.attempts import Attempts
from quarterdeck.registry.emptymembers import EmptyMembers
from quarterdeck.registry.errors import already_exists, interpret
from quarterdeck.registry.hotobjects import HotObjects
from quarterdeck.registry.problems import refuse
from quarterdeck.registry.releasing import released
from quarterdeck.registry.revisions import check_resource_version_on_create, parse_resource_version
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.turns import Turns
from quarterdeck.registry.writes import Update, Version, WriteContext, WriteResult
from quarterdeck.storage.cacher import Attributes, Entry, ResourceCache
from quarterdeck.storage.interface import KeyExists, KeyNotFound, RevisionConflict, Storage, StorageError, Unavailable

AfterWrite = Callable[[str, str, Entry | None, Object | None], Awaitable[None]]
Write = Coroutine[Any, Any, WriteResult]
GENERATE_NAME_TRIES_MAX: Final = 8


class Store:
    """All versions of a resource share one store. `key_prefix` ends with a slash. `show_deleted` makes of an object
    what its deletion answers, where that is not the object as it was. `kind_group`: the group that refusals name the
    kind with, where it is not that of the object. `after_create` and `after_write` (namespace, name, what was there,
    what is: None where there is nothing) come before answers. `hot` keeps what is updated as it is decoded."""

    def __init__(
        self,
        group: str,
        resource: str,
        *,
        namespaced: bool,
        key_prefix: str,
        storage: Storage,
        cache: ResourceCache,
        attributes: Callable[[Object], Attributes],
        returns_deleted: bool = False,
    ) -> None:
        self.group = group
        self.resource = resource
        self.namespaced = namespaced
        self.key_prefix = key_prefix
        self.shown_prefix = key_prefix  # shown to clients in place of upstream's own key
        self.cache = cache
        self.returns_deleted = returns_deleted
        self.show_deleted: Callable[[Object], Object] | None = None
        self.kind_group: str | None = None
        self.after_create: Callable[[str], Awaitable[None]] | None = None
        self.after_write: AfterWrite | None = None
        self.lags = storage.lags
        self.deletions_at_once = 1 if storage.lags else WRITES_AT_ONCE  # etcd would order them anew
        self._storage = storage
        self._attributes = attributes
        self.empty_members = EmptyMembers()  # shared by the stores of all versions
        self.hot: HotObjects | None = None
        self._reader = object()  # a changed definition has another store
        self._turns = Turns()
        self._attempts = Attempts(group, resource, storage, cache, self._turns)

    def key(self, namespace: str, name: str) -> str:
        """Where an object is stored. Raises as `path`."""
        return self.key_prefix + self.path(namespace, name)

    def path(self, namespace: str, name: str) -> str:
        """The key behind the prefix. Raises BadRequest for a name that would be another key, or no needed namespace."""
        if self.namespaced and not namespace:
            raise errors.BadRequest("Namespace parameter required.")
        if "/" in name or "%" in name or name in (".", ".."):
            keynames.check_name(name)
        return f"{namespace}/{name}" if self.namespaced else name

    def get(self, namespace: str, name: str) -> Entry:
        """The newest durable state. Raises NotFound."""
        if (entry := self.find(namespace, name)) is None:
            raise errors.NotFound.of(self.group, self.resource, name)
        return entry

    def find(self, namespace: str, name: str) -> Entry | None:
        """None: there is none. Raises as `path`, and InternalError for what cannot be read."""
        path = self.path(namespace, name)  # refuses names that are no names
        entry = self.cache.state.get(path)
        if entry is None:
            missing.explain(self, namespace, name, path)
        return entry

    async def get_fresh(self, namespace: str, name: str, revision: int | None, told: int = 0) -> Entry:
        """A state that is not older than a revision; None: than the store is, which may have `told` how far that is.
        Raises NotFound, Timeout."""
        if revision is None:
            entry = await self._attempts.newest(self, namespace, name, told)
        else:
            entry = await self._attempts.not_older(self, namespace, name, revision)
        if entry is None:
            raise errors.NotFound.of(self.group, self.resource, name)
        return entry

    def create(self, version: Version, obj: Object, context: WriteContext) -> Write:
        """Store a new object, whose name and namespace are set (or generateName)."""
        return _released(self._create(version, obj, context), version, context)

    async def _create(self, version: Version, obj: Object, context: WriteContext) -> WriteResult:
        metadata = obj["metadata"]
        hooks = version.strategy.hooks
        if hooks is not None and (waiting := context.reserve(hooks.begin_create(obj, dry_run=context.dry_run))):
            await waiting
        given_version = metadata.pop("resourceVersion", "")
        metadata["creationTimestamp"] = clock.now()
        metadata["uid"] = meta.new_uid()
        if context.is_large:
            problems = await offload.run(changes.prepare_new, version, obj, context)
        else:
            problems = changes.prepare_new(version, obj, context)
        if problems:
            await refuse(obj, problems, self.kind_group, version.resource.kind)
        if context.admit is not None and (waiting := context.admit(obj, None)) is not None:
            await waiting
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        waits = version.codec.waits
        value = (
            await awaited.run(changes.encode_new, version, obj, context, waits=waits)
            if waits or context.is_large
            else changes.encode_new(version, obj, context)
        )
        if context.dry_run:
            return self._pretend_to_create(obj, value, given_version)
        check_resource_version_on_create(given_version)
        try:
            hint = None if waits else self._attributes(obj)
            revision = await self._storage.create(self.key(namespace, name), value, hint)
        except KeyExists as error:
            raise self._already_exists(namespace, name, obj) from error
        except asyncio.CancelledError:
            context.reserved = None  # the write may happen all the same
            raise
        except StorageError as error:
            raise self._interpret(error, name, context) from error
        if context.unseen.is_stored_otherwise:
            self.empty_members.add(namespace, name, revision)
        if self.after_create is not None:
            await self.after_create(name)
        if self.after_write is not None:
            context.keep()
            await self.after_write(namespace, name, None, obj)
        data = changes.stored_bytes(self.cache, namespace, name, value, revision)
        return WriteResult(namespace, name, revision, data, created=True)

    def put_new(self, obj: Object, value: bytes) -> Awaitable[int]:
        """Write a complete object of the server's own, past admission and checks. Raises StorageError."""
        metadata = obj["metadata"]
        key = self.key(metadata.get("namespace", ""), metadata["name"])
        return self._storage.create(key, value, self._attributes(obj))

    def _pretend_to_create(self, obj: Object, value: bytes, given_version: str) -> WriteResult:
        metadata = obj["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        if self.cache.get(namespace, name) is not None or self.path(namespace, name) in self.cache.damaged:
            raise self._already_exists(namespace, name, obj)
        if given_version:  # Nothing is stored, so no later step drops it.
            shown = json_codec.canonical_object(obj)
            value = json_codec.encode({**shown, "metadata": {"resourceVersion": given_version, **metadata}})
        return WriteResult(namespace, name, 0, value, created=True)

    def _interpret(self, error: StorageError, name: str, context: WriteContext) -> errors.APIStatus:
        """The answer to a write that failed. Nobody knows whether one of an unavailable store happened: what it
        reserved stays."""
        if isinstance(error, Unavailable):
            context.reserved = None
        return interpret(error, self.group, self.resource, name)

    def _already_exists(self, namespace: str, name: str, obj: Object) -> errors.AlreadyExists:
        return already_exists(self.group, self.resource, name, obj, self.cache.get(namespace, name))

    def update(self, version: Version, namespace: str, name: str, update: Update, context: WriteContext) -> Write:
        """Read, transform, check and compare-and-swap, again while others write in between.

        The transformed object's resourceVersion decides: a stale one is a Conflict, none is an unconditional update
        where the strategy allows it.
        """

        def attempt(entry: Entry | None) -> Awaitable[WriteResult]:
            context.unseen.clear()
            if entry is None:
                return self._create_by_update(version, namespace, name, update, context)
            return _released(self._update_once(version, entry, update, context), version, context)

        return self._attempts.repeat(self, namespace, name, context, attempt)

    async def _create_by_update(
        self, version: Version, namespace: str, name: str, update: Update, context: WriteContext
    ) -> WriteResult:
        if not (update.creates or version.strategy.allow_create_on_update):
            raise errors.NotFound.of(self.group, self.resource, name)
        self._check_uid(update, namespace, name, "", context)
        made = update.transform(None)
        new = made if isinstance(made, dict) else await made
        preconditions.hold_namespace(new, namespace, is_namespaced=version.resource.namespaced)
        if text := new["metadata"].get("resourceVersion"):
            parse_resource_version(text)
        for member in ("resourceVersion", "selfLink") if not context.dry_run else ():  # of what is not stored they stay
            new["metadata"].pop(member, None)
        try:
            return await self.create(version, new, context)
        except errors.AlreadyExists as error:
            if new["metadata"].get("name") != name:  # Differs from upstream: what a plugin has renamed is at its name
                raise
            raise KeyNotFound(name) from error  # somebody created it meanwhile: look again

    async def _update_once(self, version: Version, entry: Entry, update: Update, context: WriteContext) -> WriteResult:
        # One coroutine from here to the store: each more costs as much as a check.
        name = entry.name
        context.is_large = is_large = context.is_large or len(entry.data) > offload.LARGE_BYTES
        codec, waits, key = version.codec, version.codec.waits, self.key(entry.namespace, name)
        hot = None if is_large or context.dry_run or not codec.reads_what_it_writes else self.hot
        if waits or is_large:
            old = await awaited.run(codec.decode, entry.data, waits=waits)
        else:
            old = codec.decode(entry.data, None if hot is None else hot.take(key, entry.revision, self._reader))
        if update.precondition_uid:
            self._check_uid(update, entry.namespace, name, old["metadata"].get("uid", ""), context)
        transform = update.transform
        if update.transform_current is not None and codec.is_current(entry.data):
            transform = update.transform_current
        new = made if isinstance(made := transform(old), dict) else await made
        is_optional = version.strategy.allow_unconditional_update
        preconditions.check_update(self.group, self.resource, name, new, entry.revision, is_optional=is_optional)
        preconditions.hold_namespace(new, entry.namespace, is_namespaced=version.resource.namespaced)
        new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
        hooks, kind = version.strategy.hooks, new.get("kind")  # as it is told in a refusal
        if hooks is not None and (waiting := context.reserve(hooks.begin_update(new, old, dry_run=context.dry_run))):
            await waiting
        if is_large:
            problems = await offload.run(changes.prepare_update, version, new, old, context)
        else:
            problems = changes.prepare_update(version, new, old, context)
        if problems:
            await refuse({**new, "kind": kind}, problems, self.kind_group, version.resource.kind)
        if context.admit is not None and (waiting := context.admit(new, old)) is not None:
            await waiting
        new["metadata"].pop("resourceVersion", None)
        old["metadata"].pop("resourceVersion", None)
        if version.strategy.is_finished(new):
            return await self._finish_deletion(version, entry, new, context)
        value = (
            await awaited.run(changes.encode, version, entry, new, old, context, self.empty_members, waits=waits)
            if waits or is_large
            else changes.encode(version, entry, new, old, context, self.empty_members)
        )
        hot = None if value is None else hot  # members of what is stored again may stand in another order
        if value is None and (value := await changes.restate(self._storage, key, entry, context)) is None:
            return WriteResult(entry.namespace, name, entry.revision, entry.data)
        revision = entry.revision
        if not context.dry_run:
            try:
                hint = None if waits else self._attributes(new)
                revision = await self._storage.update(key, value, entry.revision, hint)
            except (RevisionConflict, KeyNotFound):
                raise  # a retry can heal these
            except asyncio.CancelledError:
                context.reserved = None  # the write may happen all the same
                raise
            except StorageError as error:
                raise self._interpret(error, name, context) from error
            if self.after_write is not None or context.unseen.is_stored_otherwise:
                await self._note_update(entry, new, revision, context)
            if hot is not None:
                hot.keep(key, revision, self._reader, new, len(value))
        return changes.updated(self.cache, entry, value, revision)

    async def _note_update(self, entry: Entry, new: Object, revision: int, context: WriteContext) -> None:
        if context.unseen.is_stored_otherwise:
            self.empty_members.add(entry.namespace, entry.name, revision)
        if self.after_write is not None:
            context.keep()
            await self.after_write(entry.namespace, entry.name, entry, new)

    def _check_uid(self, update: Update, namespace: str, name: str, uid: str, context: WriteContext) -> None:
        """An object that is not there has no uid, which is not the one that was asked for either."""
        wanted = update.precondition_uid
        if wanted and wanted != uid:
            key = preconditions.shown_key(self, namespace, name, dry_run=context.dry_run)
            raise preconditions.mismatch_on_update(self.group, self.resource, name, key, wanted, uid)

    async def _finish_deletion(self, version: Version, entry: Entry, new: Object, context: WriteContext) -> WriteResult:
        """The update took the last finalizer of an object under deletion: it goes. Answered at the old revision."""
        if version.codec.awaited_version:
            await changes.check_storable(version, new, context)
        value = version.codec.encode_unconverted(new)
        data = json_codec.splice_resource_version(value, entry.revision)
        if not context.dry_run:
            await self._delete_now(entry)
        return WriteResult(entry.namespace, entry.name, entry.revision, data, deleted=True)

    async def delete(
        self, version: Version, namespace: str, name: str, options: deletion.Options, context: WriteContext
    ) -> WriteResult:
        """Remove the object, or mark it for deletion where finalizers hold it."""
        if options.ignores_read_errors and self.path(namespace, name) in self.cache.damaged:
            revision = await damaged.delete(self._storage, self.key(namespace, name))
            return WriteResult(namespace, name, revision, b"", deleted=True)

        def attempt(entry: Entry | None) -> Awaitable[WriteResult]:
            if entry is None:
                raise errors.NotFound.of(self.group, self.resource, name)
            return self._delete_once(version, entry, options, context)

        return await self._attempts.repeat(self, namespace, name, context, attempt)

    async def _delete_once(
        self, version: Version, entry: Entry, options: deletion.Options, context: WriteContext
    ) -> WriteResult:
        obj = await awaited.run_by_size(entry.data, version.codec.decode, entry.data, waits=version.codec.waits)
        group = self.group if self.kind_group is None else self.kind_group
        version.strategy.check_preconditions(group, version.resource, obj["metadata"], entry.revision, options)
        marked = version.strategy.mark(obj, options)
        if marked is None and version.codec.awaited_version:
            await changes.check_storable(version, obj, context)
        if marked is not obj:
            await changes.admit_deletion(obj, marked, context)
        if marked is None:
            preconditions.check_removal(self, obj["metadata"], entry.revision, options, dry_run=context.dry_run)
            revision = entry.revision if context.dry_run else await self._delete_now(entry)
            last = self._last_state(version, entry, obj, revision)
            return WriteResult(entry.namespace, entry.name, revision, last, deleted=True, uid=meta.uid(obj))
        if marked == obj:
            return WriteResult(entry.namespace, entry.name, entry.revision, entry.data)
        stored = await self._store_marked(version, entry, marked, context)
        # A namespace gets no grace, and stays. Watchers see a pod without time to end leave before it is gone.
        ends = "deletionGracePeriodSeconds" in marked["metadata"] and version.strategy.is_finished(marked)
        if context.dry_run or not ends:
            stored.deleted = ends
            return stored
        await changes.admit_end(marked, obj, stored.revision, context)
        return await self._delete_marked(version, entry, stored.revision, marked)

    async def _delete_marked(self, version: Version, old: Entry, revision: int, marked: Object) -> WriteResult:
        entry = changes.unchanged(self.get(old.namespace, old.name), revision)
        gone = await self._delete_now(entry)
        last = self._last_state(version, entry, marked, gone)
        return WriteResult(entry.namespace, entry.name, gone, last, deleted=True, uid=meta.uid(marked))

    def _last_state(self, version: Version, entry: Entry, obj: Object, revision: int) -> bytes:
        """What a delete answers where it answers the object: its last state at the revision of the deletion."""
        if revision == entry.revision and obj["metadata"].get("finalizers"):
            return deletion.NOTHING
        if self.show_deleted is not None:
            return json_codec.splice_resource_version(version.codec.encode(self.show_deleted(obj)), revision)
        if not self.returns_deleted or revision == entry.revision:
            return entry.data if self.returns_deleted else b""
        value, _ = json_codec.remove_resource_version(entry.data)
        return json_codec.splice_resource_version(value, revision)

    async def _delete_now(self, entry: Entry) -> int:
        try:
            revision = await self._storage.delete(self.key(entry.namespace, entry.name), entry.revision)
        except (RevisionConflict, KeyNotFound):
            raise  # a retry can heal these
        except StorageError as error:
            raise interpret(error, self.group, self.resource, entry.name) from error
        if self.after_write is not None:
            await self.after_write(entry.namespace, entry.name, entry, None)
        return revision

    async def _store_marked(self, version: Version, entry: Entry, marked: Object, context: WriteContext) -> WriteResult:
        marked["metadata"].pop("resourceVersion", None)
        value = await awaited.run_by_size(entry.data, version.codec.encode, marked, waits=version.codec.waits)
        revision = entry.revision
        if not context.dry_run:
            key = self.key(entry.namespace, entry.name)
            hint = None if version.codec.waits else self._attributes(marked)
            try:
                revision = await self._storage.update(key, value, entry.revision, hint)
            except (RevisionConflict, KeyNotFound):
                raise  # a retry can heal these
            except StorageError as error:
                raise interpret(error, self.group, self.resource, entry.name) from error
        return changes.updated(self.cache, entry, value, revision)


def _released(write: Write, version: Version, context: WriteContext) -> Write:
    """Only hooks reserve anything; the others' writes are not to pay for that."""
    return write if version.strategy.hooks is None else released(write, context)
