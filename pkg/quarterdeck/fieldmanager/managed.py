"""managedFields, decoded: which manager owns which fields, and back to the entries of an object.

A manager is known by its name, its operation, its subresource and, where it updates, its API version: an applier stays
the same manager when it moves to another version. Sets are kept as they stand in the entries (FieldsV1).

Source: apimachinery/pkg/util/managedfields/internal/managedfields.go, capmanagers.go.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarterdeck._kernels import fieldset
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.time import ZERO
from quarterdeck.fieldmanager import fields as fields_v1
from quarterdeck.fieldmanager import malformed
from quarterdeck.fieldmanager.pathelement import MalformedFields

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarterdeck._kernels.fieldset import Set

Entry = dict[str, Any]

APPLY: Final = "Apply"
UPDATE: Final = "Update"
UPDATE_MANAGERS_MAX: Final = 10
ANCIENT_MANAGER: Final = "ancient-changes"
_EPOCH: Final = "1970-01-01T00:00:00Z"
_TIME_LENGTH: Final = len(_EPOCH)


class ManagerKey(NamedTuple):
    name: str
    operation: str
    api_version: str  # "" of an applier
    subresource: str

    def identifier(self) -> str:
        """The text by which upstream tells managers apart, and sorts them."""
        parts = []
        for field, value in (
            ("manager", self.name),
            ("operation", self.operation),
            ("apiVersion", self.api_version),
            ("subresource", self.subresource),
        ):
            if value:
                parts.append(f'"{field}":{gofmt.format_json(value)}')
        return "{" + ",".join(parts) + "}"

    def describe(self) -> str:
        """As a conflict names the manager."""
        text = gofmt.quote(self.name)
        if self.subresource:
            text += f" with subresource {gofmt.quote(self.subresource)}"
        return f"{text} using {self.api_version}" if self.operation == UPDATE else text


class VersionedSet(NamedTuple):
    fields: Set
    api_version: str
    applied: bool
    time: str  # RFC 3339; "" if it never changed the object; only a client can say that it was Go's zero time


Managers = dict[ManagerKey, VersionedSet]


class DecodeError(ValueError):
    """Entries that do not say who owns what."""


def decode(entries: Iterable[Any], *, trusted: bool) -> Managers:
    """`trusted` entries come from the store: their sets are in canonical form, unless something wrote past us."""
    managers: Managers = {}
    for position, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise DecodeError("operation must be `Apply` or `Update`")
        operation = entry.get("operation")
        if operation not in (APPLY, UPDATE):
            raise DecodeError("operation must be `Apply` or `Update`")
        api_version = _text(entry, "apiVersion")
        if not api_version:
            raise DecodeError("apiVersion must not be empty")
        kind = _text(entry, "fieldsType")
        if kind != "FieldsV1":
            if not kind:
                raise DecodeError(f"missing fieldsType in managed fields entry {position}")
            raise DecodeError(f"invalid fieldsType {gofmt.quote(kind)} in managed fields entry {position}")
        applied = operation == APPLY
        owned: Any = entry.get("fieldsV1")
        if owned is None:
            owned = {}
        if not trusted or not fieldset.is_well_formed(owned):
            try:
                owned = fields_v1.normalize(owned)
            except MalformedFields as error:
                raise DecodeError(malformed.explain(entry)) from error
        key = ManagerKey(
            _text(entry, "manager"), operation, "" if applied else api_version, _text(entry, "subresource")
        )
        time = ZERO if trusted and entry.get("time", "") is None else _text(entry, "time")
        managers[key] = VersionedSet(owned, api_version, applied, time)
    return managers


def _text(entry: Entry, name: str) -> str:
    value = entry.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DecodeError(f"{name} must be a text")
    return value


def encode(managers: Managers) -> list[Entry]:
    """The entries in upstream's order: appliers first, then by time in seconds, name, version, subresource."""
    if len(managers) > 1:
        return [encode_entry(key, owned) for key, owned in sorted(managers.items(), key=_entry_order)]
    return [encode_entry(key, owned) for key, owned in managers.items()]


def encode_entry(key: ManagerKey, owned: VersionedSet) -> Entry:
    return build_entry(key.name, key.operation, owned.api_version, key.subresource, owned.fields, owned.time)


def build_entry(manager: str, operation: str, api_version: str, subresource: str, fields: Set, time: str) -> Entry:
    """An entry of managedFields; a manager, a subresource and a time that are empty are left out."""
    entry: Entry = {
        "apiVersion": api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        "manager": manager,
        "operation": operation,
    }
    if not manager:
        del entry["manager"]
    if subresource:
        entry["subresource"] = subresource
    if time:
        # A zero time is written as null, and read from there: no time at all is left out.
        entry["time"] = time if time != ZERO else None
    return entry


def _entry_order(item: tuple[ManagerKey, VersionedSet]) -> tuple[str, str, str, str, str]:
    key, owned = item
    return key.operation, _time_order(owned.time), key.name, owned.api_version, key.subresource


def _time_order(time: str) -> str:
    """A text that sorts as the time does, in seconds; no time counts as 0."""
    if len(time) == _TIME_LENGTH and time[-1] == "Z":
        return time
    if not time:
        return _EPOCH
    try:
        seconds = datetime.fromisoformat(time).astimezone(UTC)
    except ValueError:
        return _EPOCH
    return seconds.strftime("%Y-%m-%dT%H:%M:%SZ")


def cap_updates(managers: Managers) -> Managers:
    """At most ten managers that update, which upstream sees to at each update, though not at an apply: the oldest are
    merged into one for each version."""
    updaters = [key for key, owned in managers.items() if not owned.applied]
    excess = len(updaters) - UPDATE_MANAGERS_MAX
    if excess <= 0:
        return managers
    updaters.sort(key=lambda key: (_time_order(managers[key].time), key.identifier()))
    first_of_version: dict[str, ManagerKey] = {}
    for key in updaters:
        if excess <= 0:
            break
        owned = managers[key]
        bucket = ManagerKey(ANCIENT_MANAGER, UPDATE, owned.api_version, "")
        first = first_of_version.setdefault(owned.api_version, key)
        if first is key:
            continue
        if bucket not in managers:
            managers[bucket] = managers.pop(first)
        merged = fieldset.union(owned.fields, managers[bucket].fields)
        # The merged update is the more recent one. Where that is the merged ones themselves, they are forgotten.
        managers[bucket] = VersionedSet(merged, owned.api_version, False, owned.time)
        del managers[key]
        excess -= 1
    return managers
