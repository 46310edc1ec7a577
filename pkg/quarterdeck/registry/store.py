"""The generic store of one resource: create, update and delete as kube-apiserver's registry does them.

It knows keys, revisions, finalizers and preconditions; what a kind does of its own is its strategy's, what bytes look
like is its codec's. Reads go to the watch cache. Works in the version of the request.

Source: apiserver/pkg/registry/generic/registry/store.go, registry/rest/{create,update,delete}.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from quarterdeck.apimachinery import aside, clock, errors, gofmt, meta, names
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.field import invalid
from quarterdeck.registry import awaited, changes, deletion, preconditions
from quarterdeck.registry.awaited import settle
from quarterdeck.registry.emptymembers import EmptyMembers
from quarterdeck.registry.errors import interpret
from quarterdeck.registry.problems import refuse
from quarterdeck.registry.revisions import check_resource_version_on_create, parse_resource_version
from quarterdeck.registry.strategy import Object, Problems
from quarterdeck.registry.writes import Stored, Update, Version, WriteContext
from quarterdeck.storage.cacher import Attributes, Entry, ResourceCache
from quarterdeck.storage.interface import (
    Corrupt,
    KeyExists,
    KeyNotFound,
    RevisionConflict,
    Storage,
    StorageError,
    Unavailable,
)

GENERATE_NAME_TRIES_MAX: Final = 8

_KEY_ROOT: Final = "/registry"


class Store:
    """All versions of a resource share one store. `key_prefix` ends with a slash. `show_deleted` makes of an object
    what its deletion answers, where that is not the object as it was. `kind_group`: the group that refusals name the
    kind with, where it is not the one that the object claims. `after_create` is awaited before a create is answered."""

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
        self.shown_prefix = key_prefix  # what clients are told where upstream tells its own key
        self.cache = cache
        self.returns_deleted = returns_deleted
        self.show_deleted: Callable[[Object], Object] | None = None
        self.kind_group: str | None = None
        self.after_create: Callable[[str], Awaitable[None]] | None = None
        self._storage = storage
        self._attributes = attributes
        self._empty_members = EmptyMembers()

    def key(self, namespace: str, name: str) -> str:
        """Where an object is stored. Raises BadRequest for a name that would be another key."""
        if "/" in name or "%" in name or name in (".", ".."):
            problems = names.path_segment_name(name)
            raise errors.BadRequest(f"Name parameter invalid: {gofmt.quote(name)}: {';'.join(problems)}")
        return f"{self.key_prefix}{namespace}/{name}" if self.namespaced else self.key_prefix + name

    def get(self, namespace: str, name: str) -> Entry:
        """The newest durable state. Raises NotFound."""
        entry = self._find(namespace, name)
        if entry is None:
            raise errors.NotFound.of(self.group, self.resource, name)
        return entry

    def _find(self, namespace: str, name: str) -> Entry | None:
        key = self.key(namespace, name)  # refuses names that are no names
        entry = self.cache.get(namespace if self.namespaced else "", name)
        if entry is None and self.cache.damaged and self.cache.is_unreadable(key.removeprefix(self.key_prefix)):
            raise interpret(Corrupt(key, ""), self.group, self.resource, name)
        return entry

    def _is_damaged(self, key: str) -> bool:
        return key.removeprefix(self.key_prefix) in self.cache.damaged

    async def create(self, version: Version, obj: Object, context: WriteContext) -> Stored:
        """Store a new object, whose name and namespace are set (or generateName)."""
        metadata = obj["metadata"]
        if version.create_refusal:
            raise errors.Forbidden.of(self.group, self.resource, metadata.get("name", ""), version.create_refusal)
        try:
            if version.strategy.hooks is not None:
                context.reserved = version.strategy.hooks.begin_create(obj, dry_run=context.dry_run)
            given_version = metadata.pop("resourceVersion", "")
            metadata.pop("selfLink", None)
            metadata.pop("deletionTimestamp", None)
            metadata.pop("deletionGracePeriodSeconds", None)
            version.strategy.prepare_for_create(obj)
            metadata["creationTimestamp"] = clock.now()
            metadata["uid"] = meta.new_uid()
            if context.is_large:
                problems = await aside.run(version.strategy.validate, obj, context.warnings)
            else:
                problems = version.strategy.validate(obj, context.warnings)
            if problems:
                await refuse(obj, problems, self.kind_group, version.resource.kind)
            if context.admit is not None and (waiting := context.admit(obj, None)) is not None:
                await waiting
            namespace, name = metadata.get("namespace", ""), metadata["name"]
            waits = version.codec.waits
            value = (
                await awaited.run(version.codec.encode, obj, waits=waits)
                if waits or context.is_large
                else version.codec.encode(obj)
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
            if context.has_empty_members:
                self._empty_members.add(namespace, name, revision)
            if self.after_create is not None:
                await self.after_create(name)
            data = json_codec.splice_resource_version(value, revision)
            return Stored(namespace, name, revision, data, created=True)
        finally:
            if context.reserved is not None:
                context.release()

    def _pretend_to_create(self, obj: Object, value: bytes, given_version: str) -> Stored:
        metadata = obj["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        if self.cache.get(namespace, name) is not None or self._is_damaged(self.key(namespace, name)):
            raise self._already_exists(namespace, name, obj)
        if given_version:  # Nothing is stored, so that nothing takes it away.
            shown = json_codec.canonical_object(obj)
            value = json_codec.encode({**shown, "metadata": {"resourceVersion": given_version, **metadata}})
        return Stored(namespace, name, 0, value, created=True)

    def _interpret(self, error: StorageError, name: str, context: WriteContext) -> errors.APIStatus:
        """The answer to a write that failed. Nobody knows whether one of an unavailable store happened: what it
        reserved stays."""
        if isinstance(error, Unavailable):
            context.reserved = None
        return interpret(error, self.group, self.resource, name)

    def _already_exists(self, namespace: str, name: str, obj: Object) -> errors.AlreadyExists:
        error = errors.AlreadyExists.of(self.group, self.resource, name)
        if obj["metadata"].get("generateName"):
            assert error.details is not None
            error.details["retryAfterSeconds"] = 1
            error.message += ", the server was not able to generate a unique name for the object"
        entry = self.cache.get(namespace, name)
        if (
            entry is not None
            and b'"deletionTimestamp"' in entry.data
            and meta.deletion_timestamp(json_codec.load(entry.data))
        ):
            error.message = f"object is being deleted: {error.message}"
        return error

    async def update(
        self, version: Version, namespace: str, name: str, update: Update, context: WriteContext
    ) -> Stored:
        """Read, transform, check and compare-and-swap, again while others write in between.

        The transformed object's resourceVersion decides: a stale one is a Conflict, none is an unconditional update
        where the strategy allows it.
        """
        while True:
            entry = self._find(namespace, name)
            try:
                if entry is None:
                    return await self._create_by_update(version, namespace, name, update, context)
                return await self._update_once(version, entry, update, context)
            except (RevisionConflict, KeyNotFound):
                # Somebody wrote in between. The newer object decides: a resourceVersion that the client named is
                # stale now and becomes a Conflict.
                pass
            finally:
                if context.reserved is not None:
                    context.release()

    async def _create_by_update(
        self, version: Version, namespace: str, name: str, update: Update, context: WriteContext
    ) -> Stored:
        if not (update.creates or version.strategy.allow_create_on_update):
            raise errors.NotFound.of(self.group, self.resource, name)
        self._check_uid(update, namespace, name, "", context)
        made = update.transform(None)
        new = made if isinstance(made, dict) else await made
        if text := new["metadata"].get("resourceVersion"):
            parse_resource_version(text)
            if not context.dry_run:  # a dry run stores nothing, so that nothing takes it away
                del new["metadata"]["resourceVersion"]
        try:
            return await self.create(version, new, context)
        except errors.AlreadyExists as error:
            raise KeyNotFound(name) from error  # look again: it is there now

    async def _update_once(self, version: Version, entry: Entry, update: Update, context: WriteContext) -> Stored:
        # One coroutine from here to the store: each more costs as much as a check.
        name = entry.name
        if len(entry.data) > aside.LARGE_BYTES:
            context.is_large = True
        is_large = context.is_large
        waits = version.codec.waits
        if waits or is_large:
            old = await awaited.run(version.codec.decode, entry.data, waits=waits)
        else:
            old = version.codec.decode(entry.data)
        if update.precondition_uid:
            self._check_uid(update, entry.namespace, name, old["metadata"].get("uid", ""), context)
        transform = update.transform
        if update.transform_current is not None and version.codec.is_current(entry.data):
            transform = update.transform_current
        made = transform(old)
        new = made if isinstance(made, dict) else await made
        self._check_resource_version(version, new, entry.revision, name)
        new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
        if version.strategy.hooks is not None:
            context.reserved = version.strategy.hooks.begin_update(new, old, dry_run=context.dry_run)
        if is_large:
            problems = await aside.run(self._before_update, version, new, old, context)
        else:
            problems = self._before_update(version, new, old, context)
        if problems:
            await refuse(new, problems, self.kind_group, version.resource.kind)
        new["metadata"].pop("resourceVersion", None)
        old["metadata"].pop("resourceVersion", None)
        if context.admit is not None and (waiting := context.admit(new, old)) is not None:
            await waiting
        if version.strategy.is_finished(new):
            return await self._finish_deletion(version, entry, new, context)
        value = (
            await awaited.run(changes.encode, version, entry, new, old, context, self._empty_members, waits=waits)
            if waits or is_large
            else changes.encode(version, entry, new, old, context, self._empty_members)
        )
        if value is None:
            return Stored(entry.namespace, name, entry.revision, entry.data)
        revision = entry.revision
        if not context.dry_run:
            key = self.key(entry.namespace, name)
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
            if context.has_empty_members:
                self._empty_members.add(entry.namespace, name, revision)
        return Stored(entry.namespace, name, revision, json_codec.splice_resource_version(value, revision))

    def _check_uid(self, update: Update, namespace: str, name: str, uid: str, context: WriteContext) -> None:
        """An object that is not there has no uid, which is not the one that was asked for either."""
        wanted = update.precondition_uid
        if wanted and wanted != uid:
            key = self.shown_prefix + self.key(namespace, name).removeprefix(self.key_prefix)
            if context.dry_run:  # upstream looks before the storage puts its prefix in front
                key = key.removeprefix(_KEY_ROOT)
            raise preconditions.uid_mismatch_on_update(self.group, self.resource, name, key, wanted, uid)

    def _check_resource_version(self, version: Version, new: Object, revision: int, name: str) -> None:
        """Raises Conflict for a stale one, Invalid where one is needed, 500 for a malformed one (as upstream)."""
        text = new["metadata"].get("resourceVersion") or ""
        wanted = parse_resource_version(text) if text else 0
        if wanted == 0:
            if version.strategy.allow_unconditional_update:
                return
            detail = "must be specified for an update"
            problem = invalid("metadata.resourceVersion", 0, detail)
            raise errors.Invalid.of(self.group, self.resource, name, [problem])
        if wanted != revision:
            raise errors.Conflict.modified(self.group, self.resource, name)

    def _before_update(self, version: Version, new: Object, old: Object, context: WriteContext) -> Problems:
        changes.keep_system_metadata(new["metadata"], old["metadata"])
        version.strategy.prepare_for_update(new, old)
        return version.strategy.validate_update(new, old, context.warnings)

    async def _finish_deletion(self, version: Version, entry: Entry, new: Object, context: WriteContext) -> Stored:
        """The update took the last finalizer from an object under deletion: it goes. The answer keeps the old
        resourceVersion."""
        value = version.codec.encode_unconverted(new)
        data = json_codec.splice_resource_version(value, entry.revision)
        if not context.dry_run:
            await self._delete_now(entry)
        return Stored(entry.namespace, entry.name, entry.revision, data, deleted=True)

    async def delete(
        self, version: Version, namespace: str, name: str, options: deletion.Options, context: WriteContext
    ) -> Stored:
        """Remove the object, or mark it for deletion where finalizers hold it."""
        if options.ignores_read_errors and self._is_damaged(self.key(namespace, name)):
            return await self._delete_damaged(namespace, name)
        while True:
            entry = self.get(namespace, name)
            obj = await settle(partial(version.codec.decode, entry.data))
            group = self.group if self.kind_group is None else self.kind_group
            version.strategy.check_preconditions(group, version.resource, obj["metadata"], entry.revision, options)
            if context.admit is not None and (waiting := context.admit(obj, obj)) is not None:
                await waiting
            marked = version.strategy.mark(obj, options)
            try:
                if marked is None:
                    revision = entry.revision if context.dry_run else await self._delete_now(entry)
                    last = self._last_state(version, entry, obj, revision)
                    return Stored(namespace, name, revision, last, deleted=True, uid=meta.uid(obj))
                if marked == obj:
                    return Stored(namespace, name, entry.revision, entry.data)
                return await self._store_marked(version, entry, marked, context)
            except (RevisionConflict, KeyNotFound):
                continue  # another write came between: look again

    async def _delete_damaged(self, namespace: str, name: str) -> Stored:
        """Remove what cannot be read, whatever it held: finalizers, dependents, other preconditions (KEP-3926)."""
        key = self.key(namespace, name)
        try:
            revision = await self._storage.delete(key, 0)
        except RevisionConflict as conflict:
            revision = await self._storage.delete(key, conflict.current)
        return Stored(namespace, name, revision, b"", deleted=True)

    def _last_state(self, version: Version, entry: Entry, obj: Object, revision: int) -> bytes:
        """What a delete answers where it answers the object: its last state at the revision of the deletion."""
        if self.show_deleted is not None:
            return json_codec.splice_resource_version(version.codec.encode(self.show_deleted(obj)), revision)
        if not self.returns_deleted or revision == entry.revision:
            return entry.data
        value, _ = json_codec.remove_resource_version(entry.data)
        return json_codec.splice_resource_version(value, revision)

    async def _delete_now(self, entry: Entry) -> int:
        try:
            return await self._storage.delete(self.key(entry.namespace, entry.name), entry.revision)
        except (RevisionConflict, KeyNotFound):
            raise  # a retry can heal these
        except StorageError as error:
            raise interpret(error, self.group, self.resource, entry.name) from error

    async def _store_marked(self, version: Version, entry: Entry, marked: Object, context: WriteContext) -> Stored:
        marked["metadata"].pop("resourceVersion", None)
        value = await settle(partial(version.codec.encode, marked))
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
        return Stored(entry.namespace, entry.name, revision, json_codec.splice_resource_version(value, revision))
