"""Field management of one kind: what each write does to metadata.managedFields, and server-side apply.

One manager serves all versions and subresources of its kind. It works on decoded objects in the version of the
request; objects of other versions come from `convert`, which the server hands in, because managers may own fields in
versions other than the request's. It stores nothing and knows no clock: the time of a write is an argument.

The entries that it sets may share nodes with those of the live object, so entries are replaced, never changed in place.

Source: apimachinery/pkg/util/managedfields/internal (fieldmanager.go, structuredmerge.go, managedfieldsupdater.go,
stripmeta.go, skipnonapplied.go, versioncheck.go); structured-merge-diff v6, merge/update.go.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import mypyc_attr

from quarterdeck._kernels import fieldowner, fieldset, fieldtype
from quarterdeck.apimachinery import errors, meta
from quarterdeck.fieldmanager import apply as apply_rules
from quarterdeck.fieldmanager import conformance, identity, last_applied, managed, scale, updater
from quarterdeck.fieldmanager.conflicts import Conflicts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quarterdeck._kernels.fieldset import Set
    from quarterdeck.fieldmanager.types import TypeSchema

Object = dict[str, Any]

BEFORE_FIRST_APPLY: Final = "before-first-apply"

# Nobody owns these: they name the object, or the server keeps them.
STRIPPED: Final[Set] = {
    "f:apiVersion": {},
    "f:kind": {},
    "f:metadata": {
        ".": {},
        "f:clusterName": {},
        "f:creationTimestamp": {},
        "f:generation": {},
        "f:managedFields": {},
        "f:name": {},
        "f:namespace": {},
        "f:resourceVersion": {},
        "f:selfLink": {},
        "f:uid": {},
    },
}
_NO_RESETS: Final[Mapping[str, Set]] = {}
_NOTHING: Final[Set] = {}


@mypyc_attr(allow_interpreted_subclasses=True)  # tests count what is decided
class FieldManager:
    """`reset_fields` says for each subresource ("" is the object itself) and version what such a write cannot set.

    A write of the object itself knows this of its own version alone: it takes a status that it cannot set, as it seems,
    from those who own it in another version. A write of a subresource knows it of all versions.
    """

    def __init__(
        self,
        type_schema_of: Callable[[str], TypeSchema | None],
        convert: updater.Convert,
        *,
        kind: str = "",
        reset_fields: Mapping[str, Mapping[str, Set]] | None = None,
        is_builtin: bool = False,
        scale_paths: Mapping[str, tuple[str, ...] | None] | None = None,
        refuses_changes: bool = False,
    ) -> None:
        """`is_builtin`: an empty managedFields list clears it (the decoder of custom resources reads it as absent),
        and a version that is gone takes its owners along (for a custom resource it ends all tracking).
        `scale_paths`: see `scale_fields`. `refuses_changes`: an apply that changes the object, or is the first, is an
        error, as it is for the Scale of a custom resource, which upstream cannot convert."""
        self._versions = updater.Versions(type_schema_of, convert, is_builtin=is_builtin)
        self._kind = kind
        self._reset_fields = reset_fields or {}
        self._is_builtin = is_builtin
        self._scale_paths = scale_paths or {}
        self._refuses_changes = refuses_changes
        self._excluded: dict[tuple[str, str], Set] = {}

    def update(
        self,
        live: Object | None,
        new: Object,
        *,
        manager: str,
        subresource: str = "",
        api_version: str,
        now: str,
    ) -> None:
        """Set the managedFields of `new`, which a create (`live` is None), update or patch is about to store.

        What cannot be tracked is not: an object that does not fit its type, or whose other versions cannot be had,
        loses its managedFields, and the write goes on.
        """
        metadata = new.get("metadata")
        if live is None and isinstance(metadata, dict) and "managedFields" not in metadata:
            self._own_new(new, metadata, managed.ManagerKey(manager, managed.UPDATE, api_version, subresource), now)
            return
        if live is not None and isinstance(metadata, dict):
            entries = self._update_in_kernel(live, new, manager, subresource, api_version, now)
            if entries is not None:
                if entries:
                    metadata["managedFields"] = entries
                else:
                    metadata.pop("managedFields", None)
                return
        steps = self.update_steps(live, new, manager, subresource, api_version, now=now)
        updater.drive(steps, self._versions.convert)

    def _update_in_kernel(
        self, live: Object, new: Object, manager: str, subresource: str, api_version: str, now: str
    ) -> list[managed.Entry] | None:
        """The entries of `new` in the case that nearly all writes are; None: `update_steps` has to look."""
        entries = (live.get("metadata") or {}).get("managedFields")
        schema = self._versions.type_schema_of(api_version)
        if not entries or schema is None:
            return None
        sent = new["metadata"].get("managedFields")
        if sent is not None and sent is not entries and not subresource and sent != entries:
            return None  # the writer says who owns what
        exclude = self._exclusion(subresource, api_version)
        return fieldowner.update(schema.root, live, new, exclude, entries, manager, subresource, api_version, now)

    def update_steps(
        self, live: Object | None, new: Object, manager: str, subresource: str, api_version: str, *, now: str
    ) -> updater.Steps[None]:
        """`update` for a caller that has to await conversions (see updater.py)."""
        metadata = new.get("metadata")
        if not isinstance(metadata, dict):
            return
        managers = self._decode_live_or_new(live, metadata, subresource)
        if live is not None and not managers:
            # Tracking was switched off for this object; the next apply switches it on again.
            metadata.pop("managedFields", None)
            return
        key = managed.ManagerKey(manager, managed.UPDATE, api_version, subresource)
        change = updater.Update(live, new, api_version, self._excluded_by(subresource, api_version))
        try:
            managers = yield from updater.update(self._versions, change, managers, key, now)
        except (updater.ConversionError, updater.MissingVersion, updater.NotTyped):
            metadata.pop("managedFields", None)
            return
        if managers:
            metadata["managedFields"] = managed.encode(managed.cap_updates(managers))
        else:
            metadata.pop("managedFields", None)

    def apply(
        self,
        live: Object | None,
        applied: Object,
        *,
        manager: str,
        force: bool,
        subresource: str = "",
        api_version: str,
        now: str,
    ) -> Object:
        """The object that results from applying `applied` to `live` (None: it does not exist), with managedFields.

        Neither is changed; the result may share with both. What is returned is to be pruned and defaulted by the
        caller. Raises BadRequest, ApplyConflict, and Unreasoned where the object does not fit its type.
        """
        made = self._apply_in_kernel(live, applied, manager, subresource, api_version, force=force, now=now)
        if made is not None:
            return made
        steps = self.apply_steps(live, applied, manager, subresource, api_version, force=force, now=now)
        return updater.drive(steps, self._versions.convert)

    def _apply_in_kernel(
        self,
        live: Object | None,
        applied: Object,
        manager: str,
        subresource: str,
        api_version: str,
        *,
        force: bool,
        now: str,
    ) -> Object | None:
        """What `apply_steps` gives where there is nothing to refuse, to convert or to remove; else None."""
        schema = self._versions.type_schema_of(api_version)
        if live is None or schema is None or manager == last_applied.KUBECTL or self._refuses_changes:
            return None
        entries = meta.metadata(live).get("managedFields")
        if not entries:
            return None
        self._check_kind(applied, api_version)
        exclude = self._exclusion(subresource, api_version)
        resets = self._reset_fields.get(subresource, _NO_RESETS).get(api_version, _NOTHING)
        result = fieldowner.apply(
            schema.root,
            live,
            applied,
            exclude,
            resets,
            STRIPPED,
            entries,
            manager,
            subresource,
            api_version,
            force,
            now,
        )
        if result is None:
            return None
        obj, owners = result
        metadata = dict(obj.get("metadata") or {})
        metadata.pop("managedFields", None)
        if owners:
            metadata["managedFields"] = owners
        return {**obj, "metadata": metadata}

    def apply_steps(
        self,
        live: Object | None,
        applied: Object,
        manager: str,
        subresource: str,
        api_version: str,
        *,
        force: bool,
        now: str,
    ) -> updater.Steps[Object]:
        """`apply` for a caller that has to await conversions (see updater.py)."""
        live_metadata = (live or {}).get("metadata") or {}
        try:
            managers = managed.decode(live_metadata.get("managedFields") or [], trusted=True)
        except ValueError as error:
            raise errors.Unreasoned(f"failed to decode managed fields: {error}") from error
        self._check_kind(applied, api_version)
        try:
            if not managers and live is not None:
                managers = yield from self._track_live(live, subresource, api_version, now)
            request = self._check_types(live, applied, api_version, subresource, manager, force)
            result = yield from self._apply_or_migrate(request, managers, manager)
        except Conflicts as conflicts:
            raise conflicts.to_status() from conflicts
        except (updater.ConversionError, updater.MissingVersion, updater.NotTyped) as error:
            raise errors.Unreasoned(str(error)) from error
        return self._finish(request, result, manager, now)

    def scale_fields(self, entries: list[managed.Entry], api_version: str) -> scale.ScaleFields:
        """The owners of an object's replicas, for a write of its scale through `api_version`.

        `scale_paths` of all versions: the names on the way to the replicas; None for a version without a scale.
        """
        return scale.ScaleFields(entries, api_version, self._scale_paths)

    def _check_kind(self, applied: Object, api_version: str) -> None:
        sent_version, sent_kind = identity.text_of(applied, "apiVersion"), identity.text_of(applied, "kind")
        if sent_version != api_version or sent_kind != (self._kind or sent_kind) or not sent_kind:
            raise errors.BadRequest(f"invalid object type: {identity.format_gvk(sent_version, sent_kind)}")
        entries = meta.metadata(applied).get("managedFields")
        # A list of anything else than entries counts as none, and is overwritten.
        if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
            raise errors.BadRequest("metadata.managedFields must be nil")

    def _track_live(
        self, live: Object, subresource: str, api_version: str, now: str
    ) -> updater.Steps[managed.Managers]:
        """The fields of an object that nobody tracked so far get an owner."""
        if self._refuses_changes:
            empty = identity.identify({"apiVersion": api_version, "kind": self._kind})
            raise errors.Unreasoned(
                f"failed to create manager for existing fields: failed to convert live object ({empty}) to proper "
                f"version: {_not_a_version(api_version)}"
            )
        key = managed.ManagerKey(BEFORE_FIRST_APPLY, managed.UPDATE, api_version, subresource)
        change = updater.Update(None, live, api_version, self._excluded_by(subresource, api_version))
        try:
            return (yield from updater.update(self._versions, change, {}, key, now))
        except updater.NotTyped as error:
            text = self._explain("new", live, api_version, allow_duplicates=True)
            raise errors.Unreasoned(f"failed to create manager for existing fields: {text}") from error

    def _check_types(
        self, live: Object | None, applied: Object, api_version: str, subresource: str, manager: str, force: bool
    ) -> apply_rules.ApplyRequest:
        type_ = self._versions.type_of(api_version)
        if not fieldtype.conforms(type_, applied, False):
            raise errors.Unreasoned(self._explain("patch", applied, api_version, allow_duplicates=False))
        if live is None:
            live = {"apiVersion": api_version, "kind": self._kind, **(self._versions.zero_of(api_version) or {})}
        elif not fieldtype.conforms(type_, live, True):
            raise errors.Unreasoned(self._explain("live", live, api_version, allow_duplicates=True))
        return apply_rules.ApplyRequest(
            live=live,
            config=applied,
            api_version=api_version,
            excluded=self._excluded_by(subresource, api_version),
            resets=self._reset_fields.get(subresource, _NO_RESETS).get(api_version, _NOTHING),
            key=managed.ManagerKey(manager, managed.APPLY, "", subresource),
            force=force,
        )

    def _explain(self, role: str, obj: Object, api_version: str, *, allow_duplicates: bool) -> str:
        reason = conformance.explain(self._versions.type_of(api_version), obj, allow_duplicates=allow_duplicates)
        return f"failed to create typed {role} object ({identity.identify(obj)}): {reason}"

    def _apply_or_migrate(
        self, request: apply_rules.ApplyRequest, managers: managed.Managers, manager: str
    ) -> updater.Steps[apply_rules.Applied]:
        try:
            return (yield from apply_rules.apply(self._versions, request, managers))
        except Conflicts as conflicts:
            if manager != last_applied.KUBECTL:
                raise
            type_ = self._versions.type_of(request.api_version)
            allowed = last_applied.allowed_fields(type_, request.live, request.api_version)
            left = conflicts.without(allowed)
            if left.sets:
                raise left from conflicts
        return (yield from apply_rules.apply(self._versions, request._replace(force=True), managers))

    def _finish(self, request: apply_rules.ApplyRequest, result: apply_rules.Applied, manager: str, now: str) -> Object:
        obj, managers = result
        if obj is not None and self._refuses_changes:
            reason = _not_a_version(request.api_version)
            text = f"failed to convert new object ({identity.identify(request.config)}) to proper version: {reason}"
            raise errors.Unreasoned(text)
        own = managers.get(request.key)
        if own is not None:
            fields = fieldset.difference(own.fields, STRIPPED)
            # An apply that changed nothing leaves no time.
            managers[request.key] = own._replace(fields=fields, time=now if obj is not None else own.time)
            if not fields:
                del managers[request.key]
        out = dict(request.live if obj is None else obj)
        if manager == last_applied.KUBECTL:
            out = last_applied.refresh(out, request.config)
        metadata = dict(out.get("metadata") or {})
        metadata.pop("managedFields", None)
        if managers:
            metadata["managedFields"] = managed.encode(managed.cap_updates(managers))
        out["metadata"] = metadata
        return out

    def _own_new(self, new: Object, metadata: Object, key: managed.ManagerKey, now: str) -> None:
        """`update` of what is created and brings no managedFields: its maker owns all of it."""
        schema = self._versions.type_schema_of(key.api_version)
        if schema is None:
            return
        exclude = self._exclusion(key.subresource, key.api_version)
        if schema.zero is None:
            fields = fieldtype.added(schema.root, new, exclude)
        else:
            sets = fieldtype.compare(schema.root, schema.zero, new, exclude, True)
            fields = None if sets is None else fieldset.union(sets[1], sets[0])
        if fields:
            owned = managed.VersionedSet(fields, key.api_version, False, now)
            metadata["managedFields"] = [managed.encode_entry(key, owned)]

    def _exclusion(self, subresource: str, api_version: str) -> Set:
        """What nobody comes to own by a write of `subresource`."""
        found = self._excluded.get((subresource, api_version))
        if found is None:
            resets = self._reset_fields.get(subresource, _NO_RESETS).get(api_version, _NOTHING)
            found = _exclude_also(STRIPPED, resets)
            self._excluded[subresource, api_version] = found
        return found

    def _excluded_by(self, subresource: str, written: str) -> Callable[[str], Set]:
        """What nobody comes to own, in any version, by a write of `subresource` in the version `written`."""
        return partial(self._exclusion_in, subresource, written)

    def _exclusion_in(self, subresource: str, written: str, api_version: str) -> Set:
        if api_version != written and not subresource:
            return STRIPPED
        return self._exclusion(subresource, api_version)

    def _decode_live_or_new(self, live: Object | None, metadata: Object, subresource: str) -> managed.Managers:
        """Who owned what before: as the request says, where it may say so, else as the live object says."""
        live_entries = (live or {}).get("metadata", {}).get("managedFields") or []
        sent = metadata.get("managedFields")
        if not subresource and sent is not None and sent != live_entries:
            if _is_reset(sent, empty_resets=self._is_builtin):
                return {}
            try:
                managers = managed.decode(sent, trusted=False)
            except ValueError:
                managers = {}
            if managers:
                return managers
        try:
            return managed.decode(live_entries, trusted=True)
        except ValueError:
            return {}


def _is_reset(entries: list[Object], *, empty_resets: bool) -> bool:
    if not entries:
        return empty_resets
    return len(entries) == 1 and not any(entries[0].values())


def _exclude_also(excluded: Set, resets: Set) -> Set:
    """Both, where a reset field takes everything below it along."""
    return fieldset.union(fieldset.recursive_difference(excluded, resets), resets) if resets else excluded


def _not_a_version(api_version: str) -> str:
    return f"request to convert CR to an invalid group/version: {api_version}"
