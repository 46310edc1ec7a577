"""The columns of all built-in kinds: those of the core group, and what the groups' modules give.

Source: kubernetes/pkg/printers/internalversion/printers.go; apiserver/pkg/registry/rest/table.go (the plain ones).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck.endpoints.table import (
    admissionregistration,
    apps,
    autoscaling,
    batch,
    certificates,
    columns,
    core,
    flowcontrol,
    networking,
    policy,
    rbac,
    resource,
    storage,
    volumes,
)
from quarterdeck.endpoints.table.cells import (
    AGE,
    NAME,
    Column,
    count,
    created_at,
    dig,
    flag,
    integer,
    text,
)
from quarterdeck.endpoints.table.columns import Object
from quarterdeck.endpoints.table.events import EVENT
from quarterdeck.endpoints.table.services import SERVICE
from quarterdeck.endpoints.table.workloads import POD, conditions_of_pod


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


PLAIN: Final = (NAME, Column("Created At", created_at, columns.CREATED_DESCRIPTION, type="date"))

PRINTERS: Final[dict[tuple[str, str], Sequence[Column]]] = {
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
    **flowcontrol.PRINTERS,
    **resource.PRINTERS,
    **storage.PRINTERS,
    **autoscaling.PRINTERS,
    **batch.PRINTERS,
    **certificates.PRINTERS,
    **core.PRINTERS,
    **networking.PRINTERS,
    **volumes.PRINTERS,
    **rbac.PRINTERS,
    ("", "ServiceAccount"): (NAME, AGE),
    ("", "Pod"): POD,
    ("", "Service"): SERVICE,
    **apps.PRINTERS,
    **policy.PRINTERS,
    ("", "Event"): EVENT,
    ("events.k8s.io", "Event"): EVENT,
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
}

ROW_CONDITIONS: Final[dict[tuple[str, str], columns.RowConditions]] = {("", "Pod"): conditions_of_pod}
# Those whose convertor does not ask whether columns are wanted.
REPEATING: Final = frozenset({("apiregistration.k8s.io", "APIService")})
ROW_ORDERS: Final[dict[tuple[str, str], columns.RowOrder]] = {
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): flowcontrol.precedence
}
