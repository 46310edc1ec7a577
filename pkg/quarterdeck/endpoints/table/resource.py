"""Tables of claims and slices of devices. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck.endpoints.table.cells import AGE, NAME, Column, dig, text
from quarterdeck.endpoints.table.columns import Object


def _state(obj: Object, now_s: float) -> object:
    """Of a claim."""
    is_deleted = bool(dig(obj, ("metadata", "deletionTimestamp")))
    states = ["deleted"] if is_deleted else []
    if dig(obj, ("status", "allocation")) is not None:
        states.append("allocated")
        if dig(obj, ("status", "reservedFor")):
            states.append("reserved")
    elif not is_deleted:
        states.append("pending")
    return ",".join(states)


_CLAIM: Final = (
    NAME,
    Column(
        "State",
        _state,
        "A summary of the current state (allocated, pending, reserved, etc.).",
    ),
    AGE,
)
_SLICE: Final = (
    NAME,
    Column(
        "Node",
        text("spec", "nodeName"),
        "NodeName identifies the node which provides the resources in this pool. A field selector can be used to"
        " list only ResourceSlice objects belonging to a certain node.\n\nThis field can be used to limit access"
        " from nodes to ResourceSlices with the same node name. It also indicates to autoscalers that adding new"
        " nodes of the same type as some old node might also make new resources available.\n\nExactly one of"
        " NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set. This field is immutable.",
    ),
    Column(
        "Driver",
        text("spec", "driver"),
        "Driver identifies the DRA driver providing the capacity information. A field selector can be used to"
        " list only ResourceSlice objects with a certain driver name.\n\nMust be a DNS subdomain and should end"
        " with a DNS domain owned by the vendor of the driver. It should use only lower case characters. This"
        " field is immutable.",
    ),
    Column(
        "Pool",
        text("spec", "pool", "name"),
        "Name is used to identify the pool. For node-local devices, this is often the node name, but this is not"
        " required.\n\nIt must not be longer than 253 characters and must consist of one or more DNS sub-domains"
        " separated by slashes. This field is immutable.",
    ),
    AGE,
)
PRINTERS: Final[dict[tuple[str, str], Sequence[Column]]] = {
    ("resource.k8s.io", "DeviceClass"): (NAME, AGE),
    ("resource.k8s.io", "ResourceClaim"): _CLAIM,
    ("resource.k8s.io", "ResourceClaimTemplate"): (NAME, AGE),
    ("resource.k8s.io", "ResourceSlice"): _SLICE,
}
