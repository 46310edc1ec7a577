"""Tables of pods and deployments. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import labels, meta
from quarterdeck.endpoints.table.cells import AGE, NAME, Column, dig, integer, since, text
from quarterdeck.endpoints.table.columns import Object

_NONE: Final = "<none>"


_ENDS: Final = {"Succeeded": "The pod has completed successfully.", "Failed": "The pod failed."}


class _Pod:
    """What the containers' states say of the pod as a whole."""

    def __init__(self, obj: Object) -> None:
        self._obj = obj
        self._spec: dict[str, Any] = obj.get("spec") or {}
        self._status: dict[str, Any] = obj.get("status") or {}
        self._sidecars = {
            each["name"] for each in self._spec.get("initContainers") or [] if each.get("restartPolicy") == "Always"
        }
        self.ready = 0
        self.restarts = 0
        self.restarted_at = ""
        self._of_sidecars = (0, "")  # restarts, and when the last one was
        self.reason: str = self._status.get("reason") or self._status.get("phase", "")
        if any(_is(each, "PodScheduled") and each.get("reason") == "SchedulingGated" for each in self._conditions()):
            self.reason = "SchedulingGated"
        is_initializing = self._read_init()
        if not is_initializing or "Initialized" in self._true_types():
            self.restarts, self.restarted_at = self._of_sidecars
            self._read_containers()
        self._read_deletion()

    @property
    def total(self) -> int:
        return len(self._spec.get("containers") or []) + len(self._sidecars)

    def _conditions(self) -> list[dict[str, Any]]:
        return self._status.get("conditions") or []

    def _true_types(self) -> set[str]:
        """The types whose first condition is true; any more of a type do not count."""
        firsts: dict[str, bool] = {}
        for each in self._conditions():
            firsts.setdefault(each.get("type", ""), _true(each))
        return {kind for kind, is_true in firsts.items() if is_true}

    def _count_restarts(self, container: dict[str, Any]) -> None:
        self.restarts += container.get("restartCount", 0)
        finished = dig(container, ("lastState", "terminated", "finishedAt"))
        self.restarted_at = max(self.restarted_at, finished or "")  # RFC 3339 in UTC sorts as text

    def _read_init(self) -> bool:
        """Whether an init container is not done yet; then only those count, and else of them the sidecars."""
        for position, container in enumerate(self._status.get("initContainerStatuses") or []):
            self._count_restarts(container)
            is_sidecar = container.get("name") in self._sidecars
            if is_sidecar:
                finished = dig(container, ("lastState", "terminated", "finishedAt")) or ""
                restarts, restarted_at = self._of_sidecars
                self._of_sidecars = (restarts + container.get("restartCount", 0), max(restarted_at, finished))
            state = container.get("state") or {}
            terminated, waiting = state.get("terminated"), state.get("waiting") or {}
            if terminated is not None and not terminated.get("exitCode"):
                continue
            if is_sidecar and container.get("started"):
                self.ready += bool(container.get("ready"))
                continue
            if terminated is not None:
                self.reason = f"Init:{_end_of(terminated)}"
            elif waiting.get("reason") and waiting["reason"] != "PodInitializing":
                self.reason = f"Init:{waiting['reason']}"
            else:
                self.reason = f"Init:{position}/{len(self._spec.get('initContainers') or [])}"
            return True
        return False

    def _read_containers(self) -> None:
        has_running, failure = False, ""
        for container in reversed(self._status.get("containerStatuses") or []):
            self._count_restarts(container)
            state = container.get("state") or {}
            waiting, terminated = state.get("waiting") or {}, state.get("terminated")
            if waiting.get("reason"):
                self.reason = waiting["reason"]
            elif terminated is not None:
                self.reason = _end_of(terminated)
                failure = self.reason if terminated.get("exitCode") else failure
            elif container.get("ready") and "running" in state:
                has_running = True
                self.ready += 1
        if self.reason == "Completed":
            is_ready = any(_is(each, "Ready") and _true(each) for each in self._conditions())
            if has_running and is_ready:
                self.reason = "Running"
            elif failure or has_running:
                self.reason = failure or "NotReady"

    def _read_deletion(self) -> None:
        if not meta.deletion_timestamp(self._obj):
            return
        if self._status.get("reason") == "NodeLost":
            self.reason = "Unknown"
        elif self._status.get("phase") not in ("Succeeded", "Failed"):
            self.reason = "Terminating"

    def restarts_text(self, now_s: float) -> str:
        if self.restarts and self.restarted_at:
            return f"{self.restarts} ({since(self.restarted_at, now_s)} ago)"
        return str(self.restarts)

    def gates(self) -> str:
        gates = self._spec.get("readinessGates") or []
        true = self._true_types()
        return f"{sum(gate['conditionType'] in true for gate in gates)}/{len(gates)}" if gates else _NONE


def conditions_of_pod(obj: Object) -> list[dict[str, str]]:
    """What a row tells of a pod that has ended."""
    phase = dig(obj, ("status", "phase"))
    if phase not in _ENDS:
        return []
    return [{"type": "Completed", "status": "True", "reason": phase, "message": _ENDS[phase]}]


def _is(condition: dict[str, Any], kind: str) -> bool:
    return condition.get("type") == kind


def _true(condition: dict[str, Any]) -> bool:
    return condition.get("status") == "True"


def _end_of(terminated: dict[str, Any]) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def _pod_ip(obj: Object) -> str:
    addresses = dig(obj, ("status", "podIPs")) or [{}]
    return addresses[0].get("ip") or _NONE


def in_containers(field: str) -> Any:
    def cell(obj: Object, now_s: float) -> str:
        containers = dig(obj, ("spec", "template", "spec", "containers")) or []
        return ",".join(each.get(field, "") for each in containers)

    return cell


def ready_of(obj: Object, now_s: float) -> object:
    return f"{integer('status', 'readyReplicas')(obj, 0)}/{integer('spec', 'replicas')(obj, 0)}"


POD: Final = (
    NAME,
    Column(
        "Ready",
        lambda obj, now_s: f"{(pod := _Pod(obj)).ready}/{pod.total}",
        "The aggregate readiness state of this pod for accepting traffic.",
    ),
    Column("Status", lambda obj, now_s: _Pod(obj).reason, "The aggregate status of the containers in this pod."),
    Column(
        "Restarts",
        lambda obj, now_s: _Pod(obj).restarts_text(now_s),
        "The number of times the containers in this pod have been restarted and when the last container in this pod has"
        " restarted.",
    ),
    AGE,
    Column(
        "IP",
        lambda obj, now_s: _pod_ip(obj),
        "podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.",
        priority=1,
    ),
    Column(
        "Node",
        lambda obj, now_s: text("spec", "nodeName")(obj, now_s) or _NONE,
        "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for"
        " scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for"
        " this node becomes responsible for the lifecycle of this pod. This field should not be used to"
        " express a desire for the pod to be scheduled on a specific node."
        " https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
        priority=1,
    ),
    Column(
        "Nominated Node",
        lambda obj, now_s: text("status", "nominatedNodeName")(obj, now_s) or _NONE,
        "nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be"
        " scheduled right away as preemption victims receive their graceful termination periods. This"
        " field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to"
        " place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to"
        " give the resources on this node to a higher priority pod that is created after preemption. As a"
        " result, this field may be different than PodSpec.nodeName when the pod is scheduled.",
        priority=1,
    ),
    Column(
        "Readiness Gates",
        lambda obj, now_s: _Pod(obj).gates(),
        "If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all"
        " its containers are ready AND all conditions specified in the readiness gates have status equal"
        ' to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates',
        priority=1,
    ),
)

DEPLOYMENT: Final = (
    NAME,
    Column("Ready", ready_of, "Number of the pod with ready state"),
    Column(
        "Up-to-date",
        integer("status", "updatedReplicas"),
        "Total number of non-terminating pods targeted by this deployment that have the desired template spec.",
    ),
    Column(
        "Available",
        integer("status", "availableReplicas"),
        "Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this"
        " deployment.",
    ),
    AGE,
    Column("Containers", in_containers("name"), "Names of each container in the template.", priority=1),
    Column("Images", in_containers("image"), "Images referenced by each container in the template.", priority=1),
    Column(
        "Selector",
        lambda obj, now_s: str(labels.from_label_selector(dig(obj, ("spec", "selector")))),
        "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by"
        " this deployment. It must match the pod template's labels.",
        priority=1,
    ),
)
