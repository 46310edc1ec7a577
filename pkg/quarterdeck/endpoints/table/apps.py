"""Tables of daemon sets, replica sets, stateful sets and controller revisions.

Source: kubernetes/pkg/printers/internalversion/printers.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from quarterdeck.apimachinery import gotext, labels, meta, requirements
from quarterdeck.endpoints.table.cells import AGE, NAME, Column, dig, integer
from quarterdeck.endpoints.table.columns import Object
from quarterdeck.endpoints.table.workloads import DEPLOYMENT, in_containers, ready_of

_NONE: Final = "<none>"


def _controller_of(obj: Object, now_s: float) -> object:
    for owner in meta.metadata(obj).get("ownerReferences") or ():
        if owner.get("controller"):
            group = owner.get("apiVersion", "").rpartition("/")[0]
            kind = f"{owner.get('kind', '')}.{group}" if group else owner.get("kind", "")
            return f"{gotext.lower(kind)}/{owner.get('name', '')}"
    return _NONE


def _node_selector_of(obj: Object, now_s: float) -> object:
    found = dig(obj, ("spec", "template", "spec", "nodeSelector")) or {}
    return ",".join(f"{key}={found[key]}" for key in sorted(found)) or _NONE


def _selector_of(obj: Object, now_s: float) -> object:
    try:
        return str(labels.from_label_selector(dig(obj, ("spec", "selector")))) or _NONE
    except requirements.SelectorError:
        return "<error>"


PRINTERS: Final[Mapping[tuple[str, str], Sequence[Column]]] = {
    ("apps", "Deployment"): DEPLOYMENT,
    ("apps", "ControllerRevision"): (
        NAME,
        Column("Controller", _controller_of, "Controller of the object"),
        Column(
            "Revision",
            integer("revision"),
            "Revision indicates the revision of the state represented by Data.",
        ),
        AGE,
    ),
    ("apps", "DaemonSet"): (
        NAME,
        Column(
            "Desired",
            integer("status", "desiredNumberScheduled"),
            "The total number of nodes that should be running the daemon pod (including nodes correctly running"
            " the daemon pod). More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
            type="integer",
        ),
        Column(
            "Current",
            integer("status", "currentNumberScheduled"),
            "The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod."
            " More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
            type="integer",
        ),
        Column(
            "Ready",
            integer("status", "numberReady"),
            "numberReady is the number of nodes that should be running the daemon pod and have one or more of"
            " the daemon pod running with a Ready Condition.",
            type="integer",
        ),
        Column(
            "Up-to-date",
            integer("status", "updatedNumberScheduled"),
            "The total number of nodes that are running updated daemon pod",
            type="integer",
        ),
        Column(
            "Available",
            integer("status", "numberAvailable"),
            "The number of nodes that should be running the daemon pod and have one or more of the daemon pod"
            " running and available (ready for at least spec.minReadySeconds)",
            type="integer",
        ),
        Column(
            "Node Selector",
            _node_selector_of,
            "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must"
            " match a node's labels for the pod to be scheduled on that node. More info:"
            " https://kubernetes.io/docs/concepts/configuration/assign-pod-node/",
        ),
        AGE,
        Column("Containers", in_containers("name"), "Names of each container in the template.", priority=1),
        Column("Images", in_containers("image"), "Images referenced by each container in the template.", priority=1),
        Column(
            "Selector",
            _selector_of,
            "A label query over pods that are managed by the daemon set. Must match in order to be controlled."
            " It must match the pod template's labels. More info:"
            " https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
            priority=1,
        ),
    ),
    ("apps", "ReplicaSet"): (
        NAME,
        Column(
            "Desired",
            integer("spec", "replicas"),
            "Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and"
            " unspecified. Defaults to 1. More info:"
            " https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
            type="integer",
        ),
        Column(
            "Current",
            integer("status", "replicas"),
            "Replicas is the most recently observed number of non-terminating pods. More info:"
            " https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
            type="integer",
        ),
        Column(
            "Ready",
            integer("status", "readyReplicas"),
            "The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.",
            type="integer",
        ),
        AGE,
        Column("Containers", in_containers("name"), "Names of each container in the template.", priority=1),
        Column("Images", in_containers("image"), "Images referenced by each container in the template.", priority=1),
        Column(
            "Selector",
            _selector_of,
            "Selector is a label query over pods that should match the replica count. Label keys and values"
            " that must match in order to be controlled by this replica set. It must match the pod template's"
            " labels. More info:"
            " https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
            priority=1,
        ),
    ),
    ("apps", "StatefulSet"): (
        NAME,
        Column("Ready", ready_of, "Number of the pod with ready state"),
        AGE,
        Column("Containers", in_containers("name"), "Names of each container in the template.", priority=1),
        Column("Images", in_containers("image"), "Images referenced by each container in the template.", priority=1),
    ),
}
