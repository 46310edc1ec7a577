"""Tables of the core kinds that are no workloads. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from quarterdeck.apimachinery import meta
from quarterdeck.endpoints.table.cells import AGE, NAME, Cell, Column, dig, integer, text
from quarterdeck.endpoints.table.columns import Object

_NONE: Final = "<none>"
_UNKNOWN: Final = "<unknown>"
_ROLE: Final = "node-role.kubernetes.io/"
_ROLE_LABEL: Final = "kubernetes.io/role"
_ENDPOINTS_MAX: Final = 3
_OF_CONTROLLERS: Final = (
    "More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller"
    "#what-is-a-replicationcontroller"
)
_OF_ADDRESSES: Final = (
    "List of addresses reachable to the node. Queried from cloud provider, if available. More info:"
    " https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as"
    " mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is"
    " merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an"
    " example. Consumers should assume that addresses can change during the lifetime of a Node. However,"
    " there are some exceptions where this may not be possible, such as Pods that inherit a Node's address"
    " in its own status or consumers of the downward API (status.hostIP)."
)


def _node_status(obj: Object) -> str:
    conditions = {each.get("type"): each.get("status") for each in dig(obj, ("status", "conditions")) or ()}
    status = ("Ready" if conditions["Ready"] == "True" else "NotReady") if "Ready" in conditions else "Unknown"
    return f"{status},SchedulingDisabled" if dig(obj, ("spec", "unschedulable")) else status


def _node_roles(obj: Object) -> str:
    labels: Mapping[str, str] = meta.metadata(obj).get("labels") or {}
    roles = {key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE)} | {labels.get(_ROLE_LABEL, "")}
    return ",".join(sorted(roles - {""})) or _NONE


def _node_address(obj: Object, kind: str) -> str:
    for address in dig(obj, ("status", "addresses")) or ():
        if address.get("type") == kind:
            return str(address.get("address", ""))
    return _NONE


def _kernel(obj: Object) -> str:
    info = dig(obj, ("status", "nodeInfo")) or {}
    version, machine = info.get("kernelVersion") or _UNKNOWN, info.get("architecture")
    return f"{version} ({machine})" if machine else version


def _in_containers(field: str, *template: str) -> Cell:
    def cell(obj: Object, now_s: float) -> str:
        return ",".join(each.get(field, "") for each in dig(obj, (*template, "spec", "containers")) or [])

    return cell


def _labels(labels: Mapping[str, str] | None) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or _NONE


def _amounts(obj: Object, *, are_limits: bool) -> str:
    status = obj.get("status") or {}
    hard, used = status.get("hard") or {}, status.get("used") or {}
    names = (name for name in sorted(hard) if name.startswith("limits.") == are_limits)
    return ", ".join(f"{name}: {used.get(name, '0')}/{hard[name]}" for name in names)


def _component(obj: Object) -> tuple[str, str, str]:
    """(status, message, error) of the condition of health."""
    for condition in obj.get("conditions") or ():
        if condition.get("type") == "Healthy":
            status = "Healthy" if condition.get("status") == "True" else "Unhealthy"
            return status, condition.get("message") or "", condition.get("error") or ""
    return "Unknown", "", ""


def _endpoints(obj: Object) -> str:
    subsets = obj.get("subsets") or []
    if not subsets:
        return _NONE
    shown: list[str] = []
    total = 0
    for subset in subsets:
        addresses = [each.get("ip", "") for each in subset.get("addresses") or []]
        for port in subset.get("ports") or [None]:
            total += len(addresses)
            shown += [_with_port(each, port) for each in addresses[: _ENDPOINTS_MAX - len(shown)]]
    joined = ",".join(shown)
    return f"{joined} + {total - _ENDPOINTS_MAX} more..." if total > _ENDPOINTS_MAX else joined


def _with_port(address: str, port: dict[str, Any] | None) -> str:
    if port is None:
        return address
    host = f"[{address}]" if ":" in address else address
    return f"{host}:{port.get('port', 0)}"


PRINTERS: Final[dict[tuple[str, str], Sequence[Column]]] = {
    ("", "Node"): (
        NAME,
        Column(
            "Status",
            lambda obj, now_s: _node_status(obj),
            "The status of the node",
        ),
        Column(
            "Roles",
            lambda obj, now_s: _node_roles(obj),
            "The roles of the node",
        ),
        AGE,
        Column(
            "Version",
            text("status", "nodeInfo", "kubeletVersion"),
            "Kubelet Version reported by the node.",
        ),
        Column(
            "Internal-IP",
            lambda obj, now_s: _node_address(obj, "InternalIP"),
            _OF_ADDRESSES,
            priority=1,
        ),
        Column(
            "External-IP",
            lambda obj, now_s: _node_address(obj, "ExternalIP"),
            _OF_ADDRESSES,
            priority=1,
        ),
        Column(
            "OS-Image",
            lambda obj, now_s: text("status", "nodeInfo", "osImage")(obj, now_s) or _UNKNOWN,
            "OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).",
            priority=1,
        ),
        Column(
            "Kernel-Version",
            lambda obj, now_s: _kernel(obj),
            "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).",
            priority=1,
        ),
        Column(
            "Container-Runtime",
            lambda obj, now_s: text("status", "nodeInfo", "containerRuntimeVersion")(obj, now_s) or _UNKNOWN,
            "ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2).",
            priority=1,
        ),
    ),
    ("", "ReplicationController"): (
        NAME,
        Column(
            "Desired",
            integer("spec", "replicas"),
            "Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and"
            f" unspecified. Defaults to 1. {_OF_CONTROLLERS}",
            type="integer",
        ),
        Column(
            "Current",
            integer("status", "replicas"),
            f"Replicas is the most recently observed number of replicas. {_OF_CONTROLLERS}",
            type="integer",
        ),
        Column(
            "Ready",
            integer("status", "readyReplicas"),
            "The number of ready replicas for this replication controller.",
            type="integer",
        ),
        AGE,
        Column(
            "Containers",
            _in_containers("name", "spec", "template"),
            "Names of each container in the template.",
            priority=1,
        ),
        Column(
            "Images",
            _in_containers("image", "spec", "template"),
            "Images referenced by each container in the template.",
            priority=1,
        ),
        Column(
            "Selector",
            lambda obj, now_s: _labels(dig(obj, ("spec", "selector"))),
            "Selector is a label query over pods that should match the Replicas count. If Selector is empty, it is"
            " defaulted to the labels present on the Pod template. Label keys and values that must match in order"
            " to be controlled by this replication controller, if empty defaulted to labels on Pod template. More"
            " info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
            priority=1,
        ),
    ),
    ("", "ResourceQuota"): (
        NAME,
        Column(
            "Request",
            lambda obj, now_s: _amounts(obj, are_limits=False),
            "Request represents a minimum amount of cpu/memory that a container may consume.",
        ),
        Column(
            "Limit",
            lambda obj, now_s: _amounts(obj, are_limits=True),
            "Limits control the maximum amount of cpu/memory that a container may use independent of contention on"
            " the node.",
        ),
        AGE,
    ),
    ("", "PodTemplate"): (
        NAME,
        Column(
            "Containers",
            _in_containers("name", "template"),
            "Names of each container in the template.",
        ),
        Column(
            "Images",
            _in_containers("image", "template"),
            "Images referenced by each container in the template.",
        ),
        Column(
            "Pod Labels",
            lambda obj, now_s: _labels(dig(obj, ("template", "metadata", "labels"))),
            "The labels for the pod template.",
        ),
    ),
    ("", "ComponentStatus"): (
        NAME,
        Column(
            "Status",
            lambda obj, now_s: _component(obj)[0],
            "Status of the component conditions",
        ),
        Column(
            "Message",
            lambda obj, now_s: _component(obj)[1],
            "Message of the component conditions",
        ),
        Column(
            "Error",
            lambda obj, now_s: _component(obj)[2],
            "Error of the component conditions",
        ),
    ),
    ("", "Endpoints"): (
        NAME,
        Column(
            "Endpoints",
            lambda obj, now_s: _endpoints(obj),
            "The set of all endpoints is the union of all subsets. Addresses are placed into subsets according to"
            " the IPs they share. A single address with multiple ports, some of which are ready and some of which"
            " are not (because they come from different containers) will result in the address being displayed in"
            " different subsets for the different ports. No address will appear in both Addresses and"
            " NotReadyAddresses in the same subset. Sets of addresses and ports that comprise a service.",
        ),
        AGE,
    ),
}
