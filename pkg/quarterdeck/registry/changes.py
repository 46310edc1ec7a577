"""What a write makes of what it is given: of a new object, and of what an update takes from the old one and leaves.

Source: apiserver/pkg/registry/rest/update.go (BeforeUpdate).
"""

from __future__ import annotations

from typing import Any

from quarterdeck._kernels import fieldset
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.fieldmanager.noop import is_no_op
from quarterdeck.registry.emptymembers import EmptyMembers
from quarterdeck.registry.strategy import Object, Problems, copy_object
from quarterdeck.registry.writes import Unseen, Version, WriteContext, WriteResult
from quarterdeck.storage.cacher import Entry, ResourceCache
from quarterdeck.storage.interface import RevisionConflict, Storage


def prepare_new(version: Version, obj: Object, context: WriteContext) -> Problems:
    """Make what is created the kind's own; what is wrong with it."""
    version.strategy.prepare_for_create(obj)
    return version.strategy.validate(obj, context.warnings)


def encode_new(version: Version, obj: Object, context: WriteContext) -> bytes:
    """The value to store of what is created."""
    if context.unseen.may_hold_unknown:
        _prune(version, obj, context.unseen)
    if version.strategy.is_stored_with_less(obj, is_new=True, dry_run=context.dry_run):
        context.unseen.is_stored_otherwise = True
    return version.codec.encode(obj)


async def check_storable(version: Version, obj: Object, context: WriteContext) -> None:
    """Of an object that is about to go. Raises what converting it raises: upstream compares what it deletes in the form
    that it would store, and an object that has none stays. Source: etcd3/store.go (getStateFromObject)."""
    if context.dry_run:
        return
    stored = copy_object(obj)
    stored["metadata"].pop("resourceVersion", None)
    if not isinstance(made := version.codec.convert(stored, version.codec.awaited_version), dict):
        await made


def prepare_update(version: Version, new: Object, old: Object, context: WriteContext) -> Problems:
    """Make of `new` what an update of `old` may be; what is wrong with it."""
    resource = version.resource
    # A body of another kind or version was not read as one of this. An update of the status makes it one.
    if new.get("kind") != resource.kind or new.get("apiVersion") != resource.api_version:
        context.unseen.may_hold_unknown = True
    keep_system_metadata(new["metadata"], old["metadata"])
    version.strategy.prepare_for_update(new, old)
    return version.strategy.validate_update(new, old, context.warnings)


def encode(
    version: Version, entry: Entry, new: Object, old: Object, context: WriteContext, empty_members: EmptyMembers
) -> bytes | None:
    """The value to store; None where nothing has changed, and both the new object and the stored one are stored as they
    are shown (emptymembers.py)."""
    if not context.dry_run:  # the store drops it, and what is not stored is shown as it was sent
        new["metadata"].pop("selfLink", None)
    unseen = context.unseen
    if unseen.may_hold_unknown:
        _prune(version, new, unseen)
    if version.strategy.is_stored_with_less(new, is_new=False, dry_run=context.dry_run):
        unseen.is_stored_otherwise = True
    is_shown = not unseen.is_stored_otherwise
    is_same = is_shown and _is_same(version, old, new)
    if is_same and "managedFields" in old["metadata"]:
        new["metadata"]["managedFields"] = old["metadata"]["managedFields"]
    value = version.codec.encode(new)
    may_be_stored = is_shown and (is_same or unseen.may_hold_unknown)
    if not may_be_stored or empty_members.are_in(entry.namespace, entry.name, entry.revision):
        return value
    # What is the same to the client may still have to be stored: in another version, or with later defaults. What
    # admission has added may be gone in the stored version.
    is_stored = _holds_the_same(entry.data, json_codec.splice_resource_version(value, entry.revision))
    return None if is_stored else value


def _prune(version: Version, new: Object, unseen: Unseen) -> None:
    """Drop what no reader sees, and give what each would be given. An update that adds such a thing does change
    something, and so does the next one, which stores the object without it."""
    if version.codec.reread(new):
        unseen.is_stored_otherwise = True


def _is_same(version: Version, old: Object, new: Object) -> bool:
    if is_no_op(old, new):
        return True
    stored = version.codec.as_stored(new)
    return stored is not new and is_no_op(old, stored)


async def admit_deletion(obj: Object, marked: Object | None, context: WriteContext) -> None:
    """`marked`: what becomes of it; None, it goes. Upstream asks as it drops finalizers, and again as it deletes."""
    if context.admit is not None:
        is_released = marked is None and obj["metadata"].get("finalizers") and not context.dry_run
        for _ in range(2 if is_released else 1):
            if (waiting := context.admit(obj, obj)) is not None:
                await waiting


async def admit_end(marked: Object, found: Object, revision: int, context: WriteContext) -> None:
    """Of an object that was marked just now and goes at once: admission sees it as it is stored."""
    if context.admit is not None:
        stored = {**marked, "metadata": {**marked["metadata"], "resourceVersion": str(revision)}}
        if (waiting := context.admit(stored, found)) is not None:
            await waiting


def unchanged(entry: Entry, revision: int) -> Entry:
    """Raises RevisionConflict where somebody has written it since."""
    if entry.revision != revision:
        raise RevisionConflict(entry.path, revision, entry.revision)
    return entry


async def restate(storage: Storage, key: str, entry: Entry, context: WriteContext) -> bytes | None:
    """The value to store of an object that has not changed: the same one, where the stored bytes would be others now
    (another key encrypts them), or None."""
    is_stale = storage.is_stale
    if is_stale is None or context.dry_run or not await is_stale(key):
        return None
    value, _ = json_codec.remove_resource_version(entry.data)
    return value


def updated(cache: ResourceCache, entry: Entry, value: bytes, revision: int) -> WriteResult:
    """The answer to an update of `entry` by `value`. `revision` is the entry's where nothing was stored."""
    if revision == entry.revision:
        data = json_codec.splice_resource_version(value, revision)
    else:
        data = stored_bytes(cache, entry.namespace, entry.name, value, revision)
    return WriteResult(entry.namespace, entry.name, revision, data)


def stored_bytes(cache: ResourceCache, namespace: str, name: str, value: bytes, revision: int) -> bytes:
    """A stored value with its revision: the cache's own bytes, which others are sent too, if it is that far."""
    entry = cache.get(namespace, name)
    if entry is not None and entry.revision == revision:
        return entry.data
    return json_codec.splice_resource_version(value, revision)


def _holds_the_same(stored: bytes, new: bytes) -> bool:
    """Whether two encoded objects differ in nothing but the order of their members."""
    return stored == new or fieldset.equal(json_codec.load(stored), json_codec.load(new))


def keep_system_metadata(new: dict[str, Any], old: dict[str, Any]) -> None:
    """What an update cannot change is taken from the old object (upstream: rest.BeforeUpdate)."""
    for name in ("generation", "creationTimestamp"):
        if name in old:
            new[name] = old[name]
        else:
            new.pop(name, None)
    if not new.get("selfLink"):
        new.pop("selfLink", None)
    if not new.get("uid"):
        if "uid" in old:
            new["uid"] = old["uid"]
        else:  # another hand has stored it without one
            new.pop("uid", None)
    if "deletionTimestamp" in old:
        new["deletionTimestamp"] = old["deletionTimestamp"]
    if "deletionGracePeriodSeconds" in old and "deletionGracePeriodSeconds" not in new:
        new["deletionGracePeriodSeconds"] = old["deletionGracePeriodSeconds"]
