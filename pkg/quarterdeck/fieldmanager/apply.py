"""The rules of server-side apply: merge, remove what is no longer applied, find conflicts.

Generators that yield the conversions they need; see updater.py.

Source: structured-merge-diff v6, merge/update.go (Apply, prune, addBackOwnedItems, addBackDanglingItems).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarterdeck._kernels import fieldapplied, fieldcompare, fieldmerge, fieldset
from quarterdeck.apimachinery import offload
from quarterdeck.fieldmanager import updater
from quarterdeck.fieldmanager.conflicts import Conflicts
from quarterdeck.fieldmanager.managed import ManagerKey, Managers, VersionedSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarterdeck._kernels.fieldset import Set

Object = dict[str, Any]

# Nothing is left of an object that is owned whole.
_NO_OBJECT: Final = "failed to convert value to unstructured for type <nil>"


class ApplyRequest(NamedTuple):
    """What one apply asks for.

    `live` and `config` are in `api_version` and fit its type; `resets` is what such a write cannot own.
    """

    live: Object
    config: Object
    api_version: str
    excluded: Callable[[str], Set]
    resets: Set
    key: ManagerKey
    force: bool


class Applied(NamedTuple):
    obj: Object | None  # None: nothing changed
    managers: Managers


def apply(versions: updater.Versions, request: ApplyRequest, managers: Managers) -> updater.Steps[Applied]:
    """Raises Conflicts unless forced."""
    type_ = versions.type_of(request.api_version)
    offload.hold(managers)
    # An applier keeps its time where what it owned is of a version that is not known any more.
    before = managers.get(request.key)
    managers = yield from updater.reconcile(versions, request.live, request.api_version, managers)
    merged = fieldmerge.merge(type_, request.live, request.config)
    last = managers.get(request.key)
    sent = fieldapplied.to_set(type_, request.config)
    fields = fieldset.recursive_difference(sent, request.resets)
    managers[request.key] = VersionedSet(fields, request.api_version, True, before.time if before is not None else "")
    pruned = yield from _prune(versions, request, merged, managers, last)
    offload.hold(sent, merged, fields, pruned)
    managers = yield from _settle_owners(versions, request, pruned, managers)
    return Applied(None if fieldset.equal(request.live, pruned) else pruned, managers)


def _settle_owners(
    versions: updater.Versions, request: ApplyRequest, new: Object, managers: Managers
) -> updater.Steps[Managers]:
    """The managers after the object has become `new`: the applier takes from others what it changed. Raises Conflicts
    unless forced."""
    change = updater.Update(request.live, new, request.api_version, request.excluded)
    changes: dict[str, updater.Change] = {request.api_version: _changes_here(versions, request, new)}
    conflicts: dict[ManagerKey, Set] = {}
    left: Managers = {}
    offload.hold(changes)
    for key, owned in managers.items():
        if key == request.key:
            left[key] = owned
            continue
        there = changes.get(owned.api_version)
        if there is None:
            try:
                there = yield from updater.compare_in(versions, request.live, new, change, owned.api_version)
            except updater.MissingVersion:
                continue
            changes[owned.api_version] = there
        contested = fieldset.intersection(there.taken, owned.fields)
        fields = owned.fields
        if contested:
            conflicts[key] = contested
            fields = fieldset.difference(fields, contested)
        fields = updater.without(fields, there.removed)
        left[key] = owned if fields is owned.fields else owned._replace(fields=fields)
    if conflicts and not request.force:
        raise Conflicts(conflicts)
    return {key: owned for key, owned in left.items() if owned.fields}


def _changes_here(versions: updater.Versions, request: ApplyRequest, new: Object) -> updater.Change:
    exclude = request.excluded(request.api_version)
    sets = fieldcompare.compare(versions.type_of(request.api_version), request.live, new, exclude, False)
    assert sets is not None
    return updater.Change(*sets)


def _prune(
    versions: updater.Versions, request: ApplyRequest, merged: Object, managers: Managers, last: VersionedSet | None
) -> updater.Steps[Object]:
    """Without the fields that this applier applied the last time, does not apply now, and nobody else owns."""
    if last is None or not last.fields:
        return merged
    version = last.api_version
    owned_by_version = _owned_by_version(managers)
    try:
        merged_there = yield from versions.typed_in(merged, request.api_version, version)
    except updater.MissingVersion:
        return merged
    except (updater.ConversionError, updater.NotTyped) as error:
        text = f"failed to prune fields: failed to convert merged object to last applied version: {error}"
        raise updater.ConversionError(text) from error
    type_ = versions.type_of(version)
    last_fields = fieldmerge.with_named_fields(type_, last.fields)
    pruned = fieldmerge.remove_items(type_, merged_there, last_fields)
    if type_.map_atomic or "apiVersion" not in pruned:
        first = min(owned_by_version, key=partial(_order_from, version))
        reason = _NO_OBJECT if type_.map_atomic else versions.explain_missing_version(pruned, first)
        raise _not_converted("pruned", first, reason)
    pruned = yield from _add_back_owned(versions, merged_there, pruned, version, owned_by_version)
    pruned_fields = fieldmerge.with_named_fields(type_, fieldapplied.to_set(type_, pruned))
    merged_fields = fieldmerge.with_named_fields(type_, fieldapplied.to_set(type_, merged_there))
    # Only what this applier owned may go; whatever else went with it comes back. No set mentions an empty list: a map
    # in which nothing else is left counts as gone, even if somebody owns it.
    gone = fieldset.intersection(fieldset.difference(merged_fields, pruned_fields), last_fields)
    left = fieldmerge.remove_items(type_, merged_there, gone)
    offload.hold(pruned, pruned_fields, merged_fields, last_fields, gone, left)
    try:
        return (yield from versions.typed_in(left, version, request.api_version))
    except (updater.ConversionError, updater.NotTyped) as error:
        raise updater.ConversionError(f"failed to prune fields: {error}") from error


def _owned_by_version(managers: Managers) -> dict[str, Set]:
    out: dict[str, Set] = {}
    for owned in managers.values():
        out[owned.api_version] = fieldset.union(out.get(owned.api_version, {}), owned.fields)
    return out


def _add_back_owned(
    versions: updater.Versions, merged: Object, pruned: Object, have: str, owned_by_version: dict[str, Set]
) -> updater.Steps[Object]:
    """`pruned` (in version `have`) with everything that any manager owns.

    The version of the pruned object comes first: a conversion may need what others own there.
    """
    at = have
    for version in sorted(owned_by_version, key=partial(_order_from, have)):
        role = "merged"
        try:
            merged_there = yield from versions.typed_in(merged, at, version)
            role = "pruned"
            pruned_there = yield from versions.typed_in(pruned, at, version)
        except updater.MissingVersion:
            continue
        except (updater.ConversionError, updater.NotTyped) as error:
            raise _not_converted(role, version, error) from error
        merged, pruned, at = merged_there, pruned_there, version
        type_ = versions.type_of(version)
        present = fieldmerge.with_named_fields(type_, fieldapplied.to_set(type_, merged))
        kept = fieldset.union(
            fieldmerge.with_named_fields(type_, fieldapplied.to_set(type_, pruned)),
            fieldmerge.with_named_fields(type_, owned_by_version[version]),
        )
        offload.hold(merged, pruned, present, kept)
        pruned = fieldmerge.remove_items(type_, merged, fieldset.difference(present, kept))
    try:
        return (yield from versions.typed_in(pruned, at, have))
    except (updater.ConversionError, updater.NotTyped) as error:
        text = f"failed add back dangling items: failed to convert pruned object to last applied version: {error}"
        raise updater.ConversionError("failed to prune fields: " + text) from error


def _order_from(first: str, version: str) -> tuple[bool, str]:
    return version != first, version


def _not_converted(role: str, version: str, reason: object) -> updater.ConversionError:
    text = f"failed add back owned items: failed to convert {role} object at version {version}: {reason}"
    return updater.ConversionError("failed to prune fields: " + text)
