"""Events, which two groups serve: the core one stores them, events.k8s.io shows them under other names.

Source: pkg/registry/core/event/strategy.go, pkg/apis/core/validation/events.go, pkg/apis/events/v1/conversion.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import field, gofmt, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.codec import Versions
from quarterdeck.registry.builtin.core import eventtimes
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

CORE: Final = "v1"
EVENTS: Final = "events.k8s.io/v1"

_TEXT_LENGTH_MAX: Final = 128
_NOTE_LENGTH_MAX: Final = 1024
_NAMESPACE: Final = "involvedObject.namespace"
_DOES_NOT_MATCH: Final = "does not match event.namespace"
_UNSET: Final = "needs to be unset"

# What a core field is called in events.k8s.io/v1; the others have one name.
_RENAMED: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    **eventtimes.OLD_TIMES,
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
TIMES: Final = SentTimes(*eventtimes.OLD_TIMES.values())
# In the order in which Go writes the fields of either type.
_ORDER: Final = {
    CORE: [
        "metadata",
        "involvedObject",
        "reason",
        "message",
        "source",
        "firstTimestamp",
        "lastTimestamp",
        "count",
        "type",
        "eventTime",
        "series",
        "action",
        "related",
        "reportingComponent",
        "reportingInstance",
    ],
    EVENTS: [
        "metadata",
        "eventTime",
        "series",
        "reportingController",
        "reportingInstance",
        "action",
        "reason",
        "regarding",
        "related",
        "note",
        "type",
        "deprecatedSource",
        "deprecatedFirstTimestamp",
        "deprecatedLastTimestamp",
        "deprecatedCount",
    ],
}
# Which are written where they are zero: with omitempty of one type, without of the other.
_WRITTEN: Final = {CORE: ("reportingComponent", "reportingInstance"), EVENTS: ()}

_REFERENCE: Final = {
    "Kind": "kind",
    "Namespace": "namespace",
    "Name": "name",
    "UID": "uid",
    "APIVersion": "apiVersion",
    "ResourceVersion": "resourceVersion",
    "FieldPath": "fieldPath",
}
_SOURCE: Final = {"Component": "component", "Host": "host"}
# Fields that an update through events.k8s.io leaves alone, by their core names.
_IMMUTABLE: Final = [
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "reason",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
]


def convert(obj: Object, api_version: str) -> Object:
    """An event in the other version."""
    if obj.get("apiVersion") == api_version:
        return obj
    to_core = api_version == CORE
    known = {new if to_core else old: old if to_core else new for old, new in _RENAMED.items()}
    converted = {known.get(name, name): value for name, value in obj.items()}
    ordered: Object = {"apiVersion": api_version, "kind": "Event"}
    for name in _ORDER[api_version]:
        if name in converted:
            ordered[name] = converted[name]
        elif name in _WRITTEN[api_version]:
            ordered[name] = ""
    if not to_core:
        for name in ("reportingController", "reportingInstance"):
            if not ordered.get(name):
                ordered.pop(name, None)
    series = ordered.get("series")
    if series is not None:
        ordered["series"] = _convert_series(series, to_core=to_core)
    return ordered


def _convert_series(series: Object, *, to_core: bool) -> Object:
    """A count of zero is left out of the core one alone."""
    if to_core:
        return {name: value for name, value in series.items() if value or name != "count"}
    return {"count": 0, **series}


EVENT_VERSIONS: Final = Versions("", CORE, (EVENTS,), convert)


_SELECTED: Final = ("reason", "type", "reportingComponent")


def select_event_fields(obj: Object) -> dict[str, str]:
    """Of a core event, under the names of both versions.

    Source: pkg/registry/core/event/strategy.go (ToSelectableFields), pkg/apis/events/v1/conversion.go.
    """
    involved = obj.get("involvedObject") or {}
    fields = {f"involvedObject.{name}": str(involved.get(name, "")) for name in _REFERENCE.values()}
    fields |= {f"regarding.{name}": str(involved.get(name, "")) for name in _REFERENCE.values()}
    fields |= {name: obj.get(name, "") for name in _SELECTED}
    fields["reportingController"] = fields["reportingComponent"]
    fields["source"] = (obj.get("source") or {}).get("component", "") or fields["reportingComponent"]
    return fields


def selectable_of_events(api_version: str) -> tuple[str, ...]:
    """The field labels of either version."""
    if api_version == CORE:
        return (*(f"involvedObject.{name}" for name in _REFERENCE.values()), *_SELECTED, "source")
    others = ("reason", "type", "reportingController")
    return (*(f"regarding.{name}" for name in _REFERENCE.values()), *others)


class EventStrategy(BuiltinStrategy):
    """Events of the core group. Their metadata is held to what holds for objects of every kind."""

    has_no_dependents = True
    allow_create_on_update = True

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        return self.check(obj) or objectmeta.validate_object_meta(
            obj["metadata"], self._namespaced, "metadata", names.path_segment_name
        )

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        common = objectmeta.validate_common_fields(new["metadata"], old["metadata"], self._namespaced)
        return common + self.check(new)

    def check(self, obj: Object) -> list[FieldError]:
        return _check_always(obj, "reportingComponent")


class EventsEventStrategy(BuiltinStrategy):
    """Events of events.k8s.io, which are checked as core ones and more strictly."""

    has_no_dependents = True
    allow_create_on_update = True
    validates_changed_metadata = False  # but after what holds for all events

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        event = convert(obj, CORE)
        problems = _check_always(event, "reportingController") + self._validate_metadata(obj["metadata"])
        problems += _check_series(event)
        if not eventtimes.is_set(event, "eventTime"):
            problems.append(field.required("eventTime"))
        if (kind := event.get("type", "")) not in ("Normal", "Warning"):
            problems.append(field.invalid("type", "", f"has invalid value: {kind}"))
        problems += [
            field.invalid(name, "", _UNSET)
            for name in ("firstTimestamp", "lastTimestamp", "count", "source")
            if eventtimes.is_set(event, name)
        ]
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        event, known = convert(new, CORE), convert(old, CORE)
        problems = _check_always(event, "reportingController") + self._validate_changed_metadata(new, old)
        if event.get("series") != known.get("series"):
            problems += _check_series(event)
        for name in _IMMUTABLE:
            if _said(event, name) != _said(known, name) or TIMES.have_fraction(_RENAMED.get(name, name)):
                path = _RENAMED[name] if name == "reportingComponent" else name
                problems.append(field.invalid(path, _show(name, event.get(name)), "field is immutable"))
        return problems


def _check_always(event: Object, controller: str) -> list[FieldError]:
    """Newer events have an eventTime, and have to say more. `controller`: what the version calls who reports."""
    problems = _check_new(event, controller) if eventtimes.is_set(event, "eventTime") else _check_legacy(event)
    namespace = event["metadata"].get("namespace", "")
    return problems + [field.invalid("namespace", namespace, text) for text in names.dns1123_subdomain(namespace)]


def _check_legacy(event: Object) -> list[FieldError]:
    namespace = event["metadata"].get("namespace", "")
    involved = (event.get("involvedObject") or {}).get("namespace", "")
    # What has no namespace is reported in the default one.
    if involved == namespace or (not involved and namespace == "default"):
        return []
    return [field.invalid(_NAMESPACE, involved, _DOES_NOT_MATCH)]


def _check_new(event: Object, controller: str) -> list[FieldError]:
    problems = []
    involved = (event.get("involvedObject") or {}).get("namespace", "")
    if not involved and event["metadata"].get("namespace", "") not in ("default", "kube-system"):
        problems.append(field.invalid(_NAMESPACE, involved, _DOES_NOT_MATCH))
    component = event.get("reportingComponent", "")
    if not component:
        problems.append(field.required(controller))
    problems += [field.invalid(controller, component, text) for text in names.qualified_name(component)]
    for name in ("reportingInstance", "action", "reason"):
        value = event.get(name, "")
        if not value:
            problems.append(field.required(name))
        problems += _check_length(name, value, _TEXT_LENGTH_MAX)
    return problems + _check_length("message", event.get("message", ""), _NOTE_LENGTH_MAX)


def _check_length(name: str, value: str, length_max: int) -> list[FieldError]:
    if len(value.encode("utf-8", "surrogatepass")) <= length_max:
        return []
    return [field.invalid(name, "", f"can have at most {length_max} characters")]


def _check_series(event: Object) -> list[FieldError]:
    series = event.get("series")
    if series is None:
        return []
    problems = []
    if series.get("count", 0) < 2:
        problems.append(field.invalid("series.count", "", "should be at least 2"))
    if not eventtimes.was_observed(series):
        problems.append(field.required("series.lastObservedTime"))
    return problems


def _said(event: Object, name: str) -> object:
    """A field to compare: upstream tells an empty object that the event is related to from none."""
    value = event.get(name)
    return value if name == "related" else value or None


def _show(name: str, value: Any) -> object:
    """A field as upstream's internal type prints it."""
    if name == "source":
        return _show_struct(value or {}, _SOURCE)
    if name in ("involvedObject", "related"):
        return field.GoText("null") if value is None and name == "related" else _show_struct(value or {}, _REFERENCE)
    if name == "count":
        return value or 0
    if value is None and (name == "eventTime" or name.endswith("Timestamp")):
        return field.GoText("null")
    return value or ""


def _show_struct(value: dict[str, Any], members: dict[str, str]) -> field.GoText:
    shown = (f'"{go_name}":{gofmt.format_json(value.get(name, ""))}' for go_name, name in members.items())
    return field.GoText(f"{{{','.join(shown)}}}")
