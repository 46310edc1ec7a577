"""Tables of built-in types: one printer a type, as data, and the plain Name / Created At table for the rest.

A printer is a list of columns with the function that makes each cell. Columns of priority 1 are those of `-o wide`.
Source: kubernetes/pkg/printers/internalversion/printers.go; apiserver/pkg/registry/rest/table.go (the plain one).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quarterdeck.apis.resource import PrinterColumn
from quarterdeck.endpoints.table import admissionregistration, columns
from quarterdeck.endpoints.table.cells import (
    AGE,
    NAME,
    Column,
    age,
    count,
    created_at,
    dig,
    flag,
    integer,
    name,
    since,
    text,
)
from quarterdeck.endpoints.table.columns import Object
from quarterdeck.endpoints.table.workloads import DEPLOYMENT, POD, SERVICE


class BuiltinConvertor:
    """The table of one built-in type."""

    __slots__ = ("_cells", "_columns")

    def __init__(self, printer: Sequence[Column]) -> None:
        self._columns = columns.define(
            PrinterColumn(column.name, column.type, "", column.format, column.description, column.priority)
            for column in printer
        )
        self._cells = [column.cell for column in printer]

    @property
    def column_definitions(self) -> list[dict[str, object]]:
        return self._columns.column_definitions

    @property
    def definitions(self) -> bytes:
        return self._columns.definitions

    def row(self, obj: Object, now_s: float, object_json: bytes) -> bytes:
        return columns.build_row([cell(obj, now_s) for cell in self._cells], object_json)


def _service(obj: Object, now_s: float) -> object:
    """Of an APIService. Source: kube-aggregator/pkg/registry/apiservice/etcd/etcd.go."""
    service = dig(obj, ("spec", "service"))
    return f"{service.get('namespace', '')}/{service.get('name', '')}" if service else "Local"


def _available(obj: Object, now_s: float) -> object:
    for condition in dig(obj, ("status", "conditions")) or ():
        if condition.get("type") == "Available":
            status, reason = condition.get("status", ""), condition.get("reason")
            return f"{status} ({reason})" if reason and status != "True" else status
    return "Unknown"


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
        kind = (about.get("kind") or "").lower()
        return f"{kind}/{about['name']}" if about.get("name") else kind

    def field_path(self) -> str:
        return (self.get("involvedObject", "regarding") or {}).get("fieldPath") or ""

    def source(self) -> str:
        source = self.get("source", "deprecatedSource") or {}
        component = source.get("component") or self.get("reportingComponent", "reportingController") or ""
        instance = source.get("host") or self.obj.get("reportingInstance") or ""
        return f"{component}, {instance}" if instance else component

    def message(self) -> str:
        return (self.get("message", "note") or "").strip()


# --- printers ----------------------------------------------------------------------------------

_PLAIN: Final = (NAME, Column("Created At", created_at, columns.CREATED_DESCRIPTION, type="date"))

_EVENT: Final = (
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

_PRINTERS: Final[dict[tuple[str, str], Sequence[Column]]] = {
    ("", "Namespace"): (NAME, Column("Status", text("status", "phase"), "The status of the namespace"), AGE),
    ("", "ConfigMap"): (
        NAME,
        Column(
            "Data",
            count("data", "binaryData"),
            "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'."
            " Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not"
            " overlap with the keys in the BinaryData field, this is enforced during validation process.",
        ),
        AGE,
    ),
    ("", "Secret"): (
        NAME,
        Column(
            "Type",
            text("type"),
            "Used to facilitate programmatic handling of secret data. More info:"
            " https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
        ),
        Column(
            "Data",
            count("data"),
            "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The"
            " serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly"
            " non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
        ),
        AGE,
    ),
    **admissionregistration.PRINTERS,
    ("", "ServiceAccount"): (NAME, AGE),
    ("", "Pod"): POD,
    ("", "Service"): SERVICE,
    ("apps", "Deployment"): DEPLOYMENT,
    ("", "Event"): _EVENT,
    ("events.k8s.io", "Event"): _EVENT,
    ("node.k8s.io", "RuntimeClass"): (NAME, Column("Handler", text("handler"), ""), AGE),
    ("scheduling.k8s.io", "PriorityClass"): (
        NAME,
        Column(
            "Value",
            integer("value"),
            "value represents the integer value of this priority class. This is the actual priority that pods receive"
            " when they have the name of this class in their pod spec.",
            type="integer",
        ),
        Column(
            "Global-Default",
            flag("globalDefault"),
            "globalDefault specifies whether this PriorityClass should be considered as the default priority for pods"
            " that do not have any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if"
            " more than one PriorityClasses exists with their `globalDefault` field set to true, the smallest value of"
            " such global default PriorityClasses will be used as the default priority.",
            type="boolean",
        ),
        AGE,
        Column(
            "PreemptionPolicy",
            text("preemptionPolicy"),
            "preemptionPolicy is the Policy for preempting pods with lower priority. One of Never,"
            " PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.",
        ),
    ),
    ("coordination.k8s.io", "Lease"): (
        NAME,
        Column(
            "Holder",
            text("spec", "holderIdentity"),
            "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is"
            " used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.",
        ),
        AGE,
    ),
    ("apiregistration.k8s.io", "APIService"): (
        NAME,
        Column("Service", _service, "The reference to the service that hosts this API endpoint."),
        Column("Available", _available, "Whether this service is available."),
        AGE,
    ),
    ("autoscaling", "Scale"): (
        NAME,
        Column("Desired", integer("spec", "replicas"), "Number of desired replicas", type="integer"),
        Column("Available", integer("status", "replicas"), "Number of actual replicas", type="integer"),
        Column("Age", age, columns.CREATED_DESCRIPTION, type="date"),
    ),
}

_CONVERTORS: Final = {key: BuiltinConvertor(printer) for key, printer in _PRINTERS.items()}
_PLAIN_CONVERTOR: Final = BuiltinConvertor(_PLAIN)


def convertor_for(group: str, kind: str) -> BuiltinConvertor:
    """The convertor of a built-in kind (any version; Scale is the one of a scale subresource)."""
    return _CONVERTORS.get((group, kind), _PLAIN_CONVERTOR)
