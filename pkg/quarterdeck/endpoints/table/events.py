"""The table of events, of either group. Source: kubernetes/pkg/printers/internalversion/printers.go (printEvent)."""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import gotext
from quarterdeck.endpoints.table import columns
from quarterdeck.endpoints.table.cells import Column, name, since, text
from quarterdeck.endpoints.table.columns import Object


class _Event:
    """An event of either group, read in the words of the core one (upstream prints one internal type)."""

    __slots__ = ("obj",)

    def __init__(self, obj: Object) -> None:
        self.obj = obj

    def get(self, core: str, other: str) -> Any:
        value = self.obj.get(core)
        return self.obj.get(other) if value is None else value

    def first_seen(self, now_s: float) -> str:
        first = self.get("firstTimestamp", "deprecatedFirstTimestamp")
        return since(first or self.obj.get("eventTime"), now_s)

    def last_seen(self, now_s: float) -> str:
        series = self.obj.get("series")
        if series:
            return since(series.get("lastObservedTime"), now_s)
        last = self.get("lastTimestamp", "deprecatedLastTimestamp")
        return since(last, now_s) if last else self.first_seen(now_s)

    def count(self) -> int:
        series = self.obj.get("series")
        if series:
            return series.get("count") or 0
        return self.get("count", "deprecatedCount") or 1

    def target(self) -> str:
        about = self.get("involvedObject", "regarding") or {}
        kind = gotext.lower(about.get("kind") or "")
        return f"{kind}/{about['name']}" if about.get("name") else kind

    def field_path(self) -> str:
        return (self.get("involvedObject", "regarding") or {}).get("fieldPath") or ""

    def source(self) -> str:
        source = self.get("source", "deprecatedSource") or {}
        component = source.get("component") or self.get("reportingComponent", "reportingController") or ""
        instance = source.get("host") or self.obj.get("reportingInstance") or ""
        return f"{component}, {instance}" if instance else component

    def message(self) -> str:
        return gotext.strip(self.get("message", "note") or "")


EVENT: Final = (
    Column(
        "Last Seen",
        lambda obj, now_s: _Event(obj).last_seen(now_s),
        "The time at which the most recent occurrence of this event was recorded.",
    ),
    Column("Type", text("type"), "Type of this event (Normal, Warning), new types could be added in the future"),
    Column(
        "Reason",
        text("reason"),
        "This should be a short, machine understandable string that gives the reason for the transition into the"
        " object's current status.",
    ),
    Column("Object", lambda obj, now_s: _Event(obj).target(), "The object that this event is about."),
    Column(
        "Subobject",
        lambda obj, now_s: _Event(obj).field_path(),
        "If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go"
        " field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is"
        ' to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers'
        " to the name of the container that triggered the event) or if no container name is specified"
        ' "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some'
        " well-defined way of referencing a part of an object.",
        priority=1,
    ),
    Column(
        "Source",
        lambda obj, now_s: _Event(obj).source(),
        "The component reporting this event. Should be a short machine understandable string.",
        priority=1,
    ),
    Column(
        "Message",
        lambda obj, now_s: _Event(obj).message(),
        "A human-readable description of the status of this operation.",
    ),
    Column(
        "First Seen",
        lambda obj, now_s: _Event(obj).first_seen(now_s),
        "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)",
        priority=1,
    ),
    Column(
        "Count",
        lambda obj, now_s: _Event(obj).count(),
        "The number of times this event has occurred.",
        priority=1,
    ),
    Column("Name", name, columns.NAME_DESCRIPTION, format="name", priority=1),
)
