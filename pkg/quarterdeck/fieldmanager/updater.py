"""The rules of ownership: what an update or an apply does to the sets of all managers.

Managers may own fields in versions other than the object's, and converting an object may take a webhook call. So the
rules are generators: they yield (object, version), are sent the converted object, and return their result. `drive`
runs one with a function; whoever has to await conversions runs it with a loop of the same five lines.

Source: structured-merge-diff v6, merge/update.go; apimachinery/pkg/util/managedfields/internal/versionconverter.go.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from quarterdeck._kernels import fieldcompare, fieldmerge, fieldset, fieldshape, fieldtype
from quarterdeck.apimachinery import gofmt, offload
from quarterdeck.fieldmanager import conformance
from quarterdeck.fieldmanager.exclusions import STRIPPED
from quarterdeck.fieldmanager.managed import ManagerKey, Managers, VersionedSet

if TYPE_CHECKING:
    from quarterdeck._kernels.fieldset import Set
    from quarterdeck._kernels.fieldtype import FieldType
    from quarterdeck.fieldmanager.types import TypeSchema

Object = dict[str, Any]
Convert = Callable[[Object, str], Object]
T = TypeVar("T")
_STRIPPED_NAMES: Final = [(label, label[2:]) for label in STRIPPED["f:metadata"] if label != "."]
Steps = Generator[tuple[Object, str], Object, T]


class MissingVersion(Exception):
    """A version that is not known any more: who owns fields in it owns nothing."""


class ConversionError(Exception):
    """An object cannot be had in another version; the text says why."""


class NotTyped(Exception):
    """An object does not fit the type of its version."""


class Versions:
    """The types of a kind's versions, and the way from one to another."""

    def __init__(
        self, type_schema_of: Callable[[str], TypeSchema | None], convert: Convert, *, is_builtin: bool = False
    ) -> None:
        self.type_schema_of = type_schema_of
        self.convert = convert
        self._is_builtin = is_builtin

    def type_of(self, api_version: str) -> FieldType:
        schema = self.type_schema_of(api_version)
        if schema is None:
            raise MissingVersion(api_version)
        return schema.root

    def zero_of(self, api_version: str) -> Object | None:
        schema = self.type_schema_of(api_version)
        return schema.zero if schema is not None else None

    def typed_in(self, obj: Object, have: str, want: str) -> Steps[Object]:
        """The object in another version; it has to fit its type there."""
        if have == want:
            return obj
        if self.type_schema_of(want) is None:
            if want.count("/") > 1:
                raise ConversionError(f"unexpected GroupVersion string: {want}")
            if not self._is_builtin:
                raise ConversionError(_not_convertible(obj, have, want))
            raise MissingVersion(want)
        converted = yield obj, want
        type_ = self.type_of(want)
        if not fieldtype.conforms(type_, converted, False):
            raise NotTyped(conformance.explain(type_, converted, allow_duplicates=False))
        return converted

    def explain_missing_version(self, obj: Object, want: str) -> str:
        """Why an object that does not say its version cannot be had in another."""
        if not self._is_builtin:
            return _not_convertible(obj, "/", want)
        if "kind" not in obj:
            return "Object 'Kind' is missing in 'unstructured object has no kind'"
        return "Object 'apiVersion' is missing in 'unstructured object has no version'"


def _not_convertible(obj: Object, have: str, want: str) -> str:
    if have.partition("/")[0] == want.rpartition("/")[0]:
        return f"request to convert CR to an invalid group/version: {want}"
    kind = f"{have}, Kind={obj.get('kind', '')}"
    return f"{kind} is unstructured and is not suitable for converting to {gofmt.quote(want)}"


class Update(NamedTuple):
    live: Object | None
    new: Object
    api_version: str
    excluded: Callable[[str], Set]


class Change(NamedTuple):
    added: Set
    modified: Set
    removed: Set

    @property
    def taken(self) -> Set:
        return fieldset.union(self.modified, self.added)


def drive(steps: Steps[T], convert: Convert) -> T:
    try:
        obj, api_version = next(steps)
        while True:
            try:
                converted = convert(obj, api_version)
            except (MissingVersion, ConversionError) as error:
                obj, api_version = steps.throw(error)
            else:
                obj, api_version = steps.send(converted)
    except StopIteration as stop:
        result: T = stop.value
        return result


def update(versions: Versions, change: Update, managers: Managers, key: ManagerKey, now: str) -> Steps[Managers]:
    """Who changed a field owns it, alone; who removed one takes it from everybody."""
    type_ = versions.type_of(change.api_version)
    exclude = change.excluded(change.api_version)
    live = change.live if change.live is not None else versions.zero_of(change.api_version)
    if live is None:
        fields = fieldshape.added(type_, change.new, exclude)
        if fields is None:
            raise NotTyped(change.api_version)
        own = Change(fields, {}, {})
        live = {"apiVersion": change.api_version, "kind": change.new.get("kind", "")}
    else:
        sets = fieldcompare.compare(type_, live, change.new, exclude, True)
        if sets is None:
            raise NotTyped(change.api_version)
        own = Change(*sets)
    taken = own.taken
    offload.hold(own, managers)
    if managers:
        managers = yield from reconcile(versions, live, change.api_version, managers)
        if exclude.get("f:metadata"):  # else such a write cannot set any of it
            managers = _disown(managers, _changed_by_server(live, change.new))
        # What the writer itself owns and takes again stays as it is.
        previous = managers.pop(key, None)
        managers = yield from _give_up(versions, live, change, fieldset.union(taken, own.removed), managers)
        if previous is not None:
            fields = without(without(previous.fields, own.removed), STRIPPED)
            if fields:
                managers[key] = _with_fields(previous, fields)
    if taken:
        previous = managers.get(key)
        fields = taken if previous is None else including(previous.fields, taken)
        managers[key] = VersionedSet(fields, change.api_version, False, now)
    return managers


def _disown(managers: Managers, fields: Set) -> Managers:
    left: Managers = {}
    for key, owned in managers.items():
        kept = without(owned.fields, fields)
        if kept:
            left[key] = _with_fields(owned, kept)
    return left


def _changed_by_server(live: Object, new: Object) -> Set:
    """The fields of metadata that nobody comes to own, which differ: who owns them, as only a client can say, loses
    them. managedFields are among them, without which the new object of an update is looked at.

    Source: managedfields/internal/stripmeta.go, fieldmanager.go (Update)."""
    before, after = live.get("metadata") or {}, new.get("metadata") or {}
    changed: Set = {label: {} for label, name in _STRIPPED_NAMES if before.get(name) != after.get(name)}
    return {"f:metadata": changed} if changed else {}


def without(fields: Set, small: Set) -> Set:
    """`fields` without the members of a small set: itself, if it has none of them."""
    return fieldset.difference(fields, small) if fieldset.intersection(small, fields) else fields


def including(fields: Set, small: Set) -> Set:
    """`fields` with the members of a small set: itself, if it has all of them."""
    return fieldset.union(fields, small) if fieldset.not_in_any(small, [fields]) else fields


def _with_fields(owned: VersionedSet, fields: Set) -> VersionedSet:
    if fields is owned.fields:
        return owned
    return VersionedSet(fields, owned.api_version, owned.applied, owned.time)


def _give_up(versions: Versions, live: Object, change: Update, lost_here: Set, managers: Managers) -> Steps[Managers]:
    """Without what was taken from, or with, the managers. Who owns nothing any more is forgotten."""
    lost = {change.api_version: lost_here}
    left: Managers = {}
    for key, owned in managers.items():
        api_version = owned.api_version
        if api_version not in lost:
            try:
                other = yield from compare_in(versions, live, change.new, change, api_version)
            except MissingVersion:
                continue
            lost[api_version] = fieldset.union(other.taken, other.removed)
        fields = without(owned.fields, lost[api_version])
        if fields:
            left[key] = _with_fields(owned, fields)
    return left


def compare_in(versions: Versions, live: Object, new: Object, change: Update, api_version: str) -> Steps[Change]:
    """What changed, seen in another version."""
    try:
        old_there = yield from versions.typed_in(live, change.api_version, api_version)
    except (ConversionError, NotTyped) as error:
        raise ConversionError(f"failed to convert old object: {error}") from error
    try:
        new_there = yield from versions.typed_in(new, change.api_version, api_version)
    except (ConversionError, NotTyped) as error:
        raise ConversionError(f"failed to convert new object: {error}") from error
    sets = fieldcompare.compare(
        versions.type_of(api_version), old_there, new_there, change.excluded(api_version), False
    )
    if sets is None:
        raise NotTyped(api_version)
    offload.hold(old_there, new_there, sets)
    return Change(*sets)


def reconcile(versions: Versions, live: Object, api_version: str, managers: Managers) -> Steps[Managers]:
    """Whoever owned parts of what has become atomic since owns it whole."""
    reconciled: Managers = {}
    for key, owned in managers.items():
        if owned.api_version != api_version:
            try:
                yield from versions.typed_in(live, api_version, owned.api_version)
            except MissingVersion:
                continue
        became_atomic = fieldmerge.atomic_paths(versions.type_of(owned.api_version), owned.fields)
        if became_atomic:
            fields = fieldset.union(fieldset.recursive_difference(owned.fields, became_atomic), became_atomic)
            owned = VersionedSet(fields, owned.api_version, owned.applied, owned.time)
        reconciled[key] = owned
    return reconciled
