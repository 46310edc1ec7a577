"""Field management of one kind: what each write does to metadata.managedFields, and server-side apply.

One manager serves all versions and subresources of its kind. It works on decoded objects in the version of the
request; objects of other versions come from `convert`, which the server hands in, because managers may own fields in
versions other than the request's. It stores nothing and knows no clock: the time of a write is an argument.

The entries that it sets may share nodes with those of the live object, so entries are replaced, never changed in place.

Source: apimachinery/pkg/util/managedfields/internal (fieldmanager.go, managedfieldsupdater.go); structured-merge-diff
v6, merge/update.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import mypyc_attr

from quarterdeck._kernels import fieldowner, fieldshape
from quarterdeck.apimachinery import meta, offload
from quarterdeck.fieldmanager import claims, last_applied, managed, overlay, scale, updater
from quarterdeck.fieldmanager.applier import Applier
from quarterdeck.fieldmanager.exclusions import STRIPPED, Exclusions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quarterdeck._kernels.fieldset import Set
    from quarterdeck.fieldmanager.types import TypeSchema

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_added: Final = fieldshape.added

Object = dict[str, Any]


class TypesOfVersions:
    """`types` makes the type of each version, by group and version."""

    def __init__(self, types: Mapping[str, Callable[[], TypeSchema]]) -> None:
        self._types = types

    def __call__(self, api_version: str) -> TypeSchema | None:
        make = self._types.get(api_version)
        return make() if make is not None else None


@mypyc_attr(allow_interpreted_subclasses=True)  # tests count what is decided
class FieldManager:
    """`reset_fields` and what follows from them: see exclusions.py."""

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
        zero times in it are shown as null, and a version that is gone takes its owners along (for a custom resource it
        ends all tracking).
        `scale_paths`: see `scale_fields`. `refuses_changes`: see Applier."""
        self._versions = updater.Versions(type_schema_of, convert, is_builtin=is_builtin)
        self._exclusions = Exclusions(reset_fields, is_builtin=is_builtin)
        self._applier = Applier(self._versions, kind, self._exclusions, refuses_changes=refuses_changes)
        self._is_builtin = is_builtin
        self._scale_paths = scale_paths or {}
        self._refuses_changes = refuses_changes

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
            self._own_new(new, metadata, manager, subresource, api_version, now)
            return
        if live is not None and isinstance(metadata, dict):
            entries = self._update_in_kernel(live, new, manager, subresource, api_version, now)
            if entries is not None:
                offload.hold(metadata.get("managedFields"))
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
        exclude = self._exclusions.of(subresource, api_version)
        return fieldowner.update(schema.root, live, new, exclude, entries, manager, subresource, api_version, now)

    def update_steps(
        self, live: Object | None, new: Object, manager: str, subresource: str, api_version: str, *, now: str
    ) -> updater.Steps[None]:
        """`update` for a caller that has to await conversions (see updater.py)."""
        metadata = new.get("metadata")
        if not isinstance(metadata, dict):
            return
        managers = claims.decode(live, metadata, subresource, is_builtin=self._is_builtin)
        # What was sent does not have to fit the type of managedFields.
        offload.hold(metadata.pop("managedFields", None))
        if live is not None and not managers:
            # Tracking was switched off for this object; the next apply switches it on again.
            return
        key = managed.ManagerKey(manager, managed.UPDATE, api_version, subresource)
        change = updater.Update(live, new, api_version, self._exclusions.in_versions(subresource, api_version))
        try:
            managers = yield from updater.update(self._versions, change, managers, key, now)
        except (updater.ConversionError, updater.MissingVersion, updater.NotTyped):
            return
        if managers:
            metadata["managedFields"] = managed.encode(managed.cap_updates(managers))

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
        steps = self._applier.apply(live, applied, manager, subresource, api_version, force=force, now=now)
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
        if not entries or self._applier.is_refused(applied, api_version):
            return None
        exclude = self._exclusions.of(subresource, api_version)
        resets = self._exclusions.resets(subresource, api_version)
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

    def merge(self, live: Object, patch: Object, api_version: str) -> Object:
        """`live` with `patch` laid over it, whoever owns what. Raises ValueError."""
        return overlay.lay_over(self._versions.type_schema_of(api_version), live, patch)

    def scale_fields(self, entries: list[managed.Entry], api_version: str) -> scale.ScaleFields:
        """The owners of an object's replicas, for a write of its scale through `api_version`.

        `scale_paths` of all versions: the names on the way to the replicas; None for a version without a scale.
        """
        return scale.ScaleFields(entries, api_version, self._scale_paths)

    def has_version(self, api_version: str) -> bool:
        return self._versions.type_schema_of(api_version) is not None

    def _own_new(
        self, new: Object, metadata: Object, manager: str, subresource: str, api_version: str, now: str
    ) -> None:
        """`update` of what is created and brings no managedFields: its maker owns all of it."""
        schema = self._versions.type_schema_of(api_version)
        if schema is None:
            return
        exclude = self._exclusions.of(subresource, api_version)
        fields = _added(schema.root, new, exclude, schema.zero)
        if fields:
            entry = managed.build_entry(manager, managed.UPDATE, api_version, subresource, fields, now)
            metadata["managedFields"] = [entry]
