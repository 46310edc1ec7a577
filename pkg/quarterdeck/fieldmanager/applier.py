"""Server-side apply of one kind: checks of what is sent, the rules of apply.py, and the managedFields that result.

The manager (manager.py) comes here with each apply that its kernel does not decide.

Source: apimachinery/pkg/util/managedfields/internal (fieldmanager.go, structuredmerge.go, skipnonapplied.go,
versioncheck.go, lastappliedupdater.go).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck._kernels import fieldset, fieldtype
from quarterdeck.apimachinery import errors, meta
from quarterdeck.fieldmanager import apply as apply_rules
from quarterdeck.fieldmanager import conformance, identity, last_applied, managed, updater
from quarterdeck.fieldmanager.conflicts import Conflicts
from quarterdeck.fieldmanager.exclusions import STRIPPED, Exclusions
from quarterdeck.schema import timestamps

Object = dict[str, Any]

BEFORE_FIRST_APPLY: Final = "before-first-apply"
_TEXTS: Final = ("manager", "operation", "apiVersion", "fieldsType", "subresource")


class Applier:
    """`refuses_changes`: an apply that changes the object, or is the first, is an error, as it is for the Scale of a
    custom resource, which upstream cannot convert."""

    def __init__(self, versions: updater.Versions, kind: str, exclusions: Exclusions, *, refuses_changes: bool) -> None:
        self._versions = versions
        self._kind = kind
        self._exclusions = exclusions
        self._refuses_changes = refuses_changes

    def apply(
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
        """What applying `applied` to `live` gives, with managedFields; conversions are asked for (see updater.py)."""
        live_metadata = (live or {}).get("metadata") or {}
        try:
            managers = managed.decode(live_metadata.get("managedFields") or [], trusted=True)
        except ValueError as error:
            raise errors.Unreasoned(f"failed to decode managed fields: {error}") from error
        if self._is_other(applied, api_version):
            sent = identity.text_of(applied, "apiVersion"), identity.text_of(applied, "kind")
            raise errors.BadRequest(f"invalid object type: {identity.format_gvk(*sent)}")
        try:
            if not managers and live is not None:
                managers = yield from self._track_live(live, subresource, api_version, now)
            if _has_entries(applied):
                raise errors.BadRequest("metadata.managedFields must be nil")
            request = self._check_types(live, applied, api_version, subresource, manager, force)
            result = yield from self._apply_or_migrate(request, managers, manager)
        except Conflicts as conflicts:
            raise conflicts.to_status() from conflicts
        except (updater.ConversionError, updater.MissingVersion, updater.NotTyped) as error:
            raise errors.Unreasoned(str(error)) from error
        return self._finish(request, result, manager, now)

    def is_refused(self, applied: Object, api_version: str) -> bool:
        """Whether it is of another kind or version, or has managedFields, whatever the live object is."""
        return self._is_other(applied, api_version) or _has_entries(applied)

    def _is_other(self, applied: Object, api_version: str) -> bool:
        sent_version, sent_kind = identity.text_of(applied, "apiVersion"), identity.text_of(applied, "kind")
        is_other = meta.split_api_version(sent_version) != meta.split_api_version(api_version)  # "/v1" is "v1"
        return is_other or sent_kind != (self._kind or sent_kind) or not sent_kind

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
        change = updater.Update(None, live, api_version, self._exclusions.in_versions(subresource, api_version))
        try:
            return (yield from updater.update(self._versions, change, {}, key, now))
        except updater.NotTyped as error:
            reason = self._explain(live, api_version, allow_duplicates=True)
            text = f"failed to convert new object ({identity.identify(live)}) to smd typed: {reason}"
            raise errors.Unreasoned(f"failed to create manager for existing fields: {text}") from error

    def _check_types(
        self, live: Object | None, applied: Object, api_version: str, subresource: str, manager: str, force: bool
    ) -> apply_rules.ApplyRequest:
        type_ = self._versions.type_of(api_version)
        if not fieldtype.conforms(type_, applied, False):
            raise self._not_typed("patch", applied, api_version, allow_duplicates=False)
        if live is None:
            live = {"apiVersion": api_version, "kind": self._kind, **(self._versions.zero_of(api_version) or {})}
        elif not fieldtype.conforms(type_, live, True):
            raise self._not_typed("live", live, api_version, allow_duplicates=True)
        return apply_rules.ApplyRequest(
            live=live,
            config=applied,
            api_version=api_version,
            excluded=self._exclusions.in_versions(subresource, api_version),
            resets=self._exclusions.resets(subresource, api_version),
            key=managed.ManagerKey(manager, managed.APPLY, "", subresource),
            force=force,
        )

    def _not_typed(self, role: str, obj: Object, api_version: str, *, allow_duplicates: bool) -> errors.Unreasoned:
        reason = self._explain(obj, api_version, allow_duplicates=allow_duplicates)
        return errors.Unreasoned(f"failed to create typed {role} object ({identity.identify(obj)}): {reason}")

    def _explain(self, obj: Object, api_version: str, *, allow_duplicates: bool) -> str:
        return conformance.explain(self._versions.type_of(api_version), obj, allow_duplicates=allow_duplicates)

    def _apply_or_migrate(
        self, request: apply_rules.ApplyRequest, managers: managed.Managers, manager: str
    ) -> updater.Steps[apply_rules.Applied]:
        try:
            return (yield from apply_rules.apply(self._versions, request, managers))
        except Conflicts as conflicts:
            if manager != last_applied.KUBECTL:
                raise
            type_ = self._versions.type_of(request.api_version)
            kind = identity.text_of(request.config, "kind")
            allowed = last_applied.allowed_fields(type_, request.live, request.api_version, kind)
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
            metadata["managedFields"] = managed.encode(managers)
        out["metadata"] = metadata
        return out


def _not_a_version(api_version: str) -> str:
    return f"request to convert CR to an invalid group/version: {api_version}"


def _has_entries(applied: Object) -> bool:
    """A list of anything but entries counts as none: what is wrong with it is told later, or it is overwritten."""
    entries = meta.metadata(applied).get("managedFields")
    return isinstance(entries, list) and all(_is_entry(entry) for entry in entries)


def _is_entry(entry: Any) -> bool:
    """Whether it reads as one of managedFields, for all that its texts may say."""
    if not isinstance(entry, dict):
        return False
    texts = [entry[name] for name in _TEXTS if entry.get(name) is not None]
    return all(isinstance(text, str) for text in texts) and timestamps.is_time(entry.get("time"))
