"""Tables of pods, services and deployments. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import labels, meta
from quarterdeck.endpoints.table.cells import AGE, NAME, Column, dig, integer, since, text
from quarterdeck.endpoints.table.columns import Object

_NONE: Final = "<none>"


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
        self.reason: str = self._status.get("reason") or self._status.get("phase", "")
        if any(_is(each, "PodScheduled") and each.get("reason") == "SchedulingGated" for each in self._conditions()):
            self.reason = "SchedulingGated"
        if not self._read_init() or any(_is(each, "Initialized") and _true(each) for each in self._conditions()):
            self._read_containers()
        self._read_deletion()

    @property
    def total(self) -> int:
        return len(self._spec.get("containers") or []) + len(self._sidecars)

    def _conditions(self) -> list[dict[str, Any]]:
        return self._status.get("conditions") or []

    def _count_restarts(self, container: dict[str, Any]) -> None:
        self.restarts += container.get("restartCount", 0)
        finished = dig(container, ("lastState", "terminated", "finishedAt"))
        self.restarted_at = max(self.restarted_at, finished or "")  # RFC 3339 in UTC sorts as text

    def _read_init(self) -> bool:
        """Whether an init container is not done yet; then only those count."""
        of_sidecars = (0, "")
        for position, container in enumerate(self._status.get("initContainerStatuses") or []):
            self._count_restarts(container)
            is_sidecar = container.get("name") in self._sidecars
            if is_sidecar:
                finished = dig(container, ("lastState", "terminated", "finishedAt")) or ""
                of_sidecars = (of_sidecars[0] + container.get("restartCount", 0), max(of_sidecars[1], finished))
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
        self.restarts, self.restarted_at = of_sidecars
        return False

    def _read_containers(self) -> None:
        has_running = False
        for container in reversed(self._status.get("containerStatuses") or []):
            self._count_restarts(container)
            state = container.get("state") or {}
            waiting, terminated = state.get("waiting") or {}, state.get("terminated")
            if waiting.get("reason"):
                self.reason = waiting["reason"]
            elif terminated is not None:
                self.reason = _end_of(terminated)
            elif container.get("ready") and "running" in state:
                has_running = True
                self.ready += 1
        if self.reason == "Completed" and has_running:
            is_ready = any(_is(each, "Ready") and _true(each) for each in self._conditions())
            self.reason = "Running" if is_ready else "NotReady"

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
        true = {each.get("type") for each in self._conditions() if _true(each)}
        return f"{sum(gate['conditionType'] in true for gate in gates)}/{len(gates)}" if gates else _NONE


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


def _external_ip(obj: Object) -> str:
    spec = obj.get("spec") or {}
    if spec.get("type") == "ExternalName":
        return str(spec.get("externalName", ""))
    external = spec.get("externalIPs") or []
    if spec.get("type") == "LoadBalancer":
        ingress = dig(obj, ("status", "loadBalancer", "ingress")) or []
        balancers = sorted({each.get("ip") or each.get("hostname") or "" for each in ingress} - {""})
        return ",".join([*balancers, *external]) or "<pending>"
    return ",".join(external) or _NONE


def _ports(obj: Object) -> str:
    ports = dig(obj, ("spec", "ports")) or []
    return ",".join(_port(port) for port in ports) or _NONE


def _port(port: dict[str, Any]) -> str:
    number = f"{port['port']}:{port['nodePort']}" if port.get("nodePort") else f"{port['port']}"
    return f"{number}/{port.get('protocol', 'TCP')}"


def _cluster_ip(obj: Object) -> str:
    return dig(obj, ("spec", "clusterIP")) or _NONE


def _service_selector(obj: Object) -> str:
    selector = dig(obj, ("spec", "selector")) or {}
    return ",".join(f"{key}={selector[key]}" for key in sorted(selector)) or _NONE


def _in_containers(field: str) -> Any:
    def cell(obj: Object, now_s: float) -> str:
        containers = dig(obj, ("spec", "template", "spec", "containers")) or []
        return ",".join(each.get(field, "") for each in containers)

    return cell


def _ready_of(obj: Object) -> str:
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
    Column("IP", lambda obj, now_s: _pod_ip(obj), "Address of the pod.", priority=1),
    Column("Node", lambda obj, now_s: text("spec", "nodeName")(obj, now_s) or _NONE, "Node of the pod.", priority=1),
    Column(
        "Nominated Node",
        lambda obj, now_s: text("status", "nominatedNodeName")(obj, now_s) or _NONE,
        "Node that the pod waits for.",
        priority=1,
    ),
    Column("Readiness Gates", lambda obj, now_s: _Pod(obj).gates(), "Gates that are open.", priority=1),
)

SERVICE: Final = (
    NAME,
    Column("Type", text("spec", "type"), "How the service is exposed."),
    Column("Cluster-IP", lambda obj, now_s: _cluster_ip(obj), "Address inside the cluster."),
    Column("External-IP", lambda obj, now_s: _external_ip(obj), "Addresses outside the cluster."),
    Column("Port(s)", lambda obj, now_s: _ports(obj), "Ports, with their node ports and protocols."),
    AGE,
    Column("Selector", lambda obj, now_s: _service_selector(obj), "Labels of the pods behind it.", priority=1),
)

DEPLOYMENT: Final = (
    NAME,
    Column("Ready", lambda obj, now_s: _ready_of(obj), "Number of the pod with ready state"),
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
    Column("Containers", _in_containers("name"), "Names of each container in the template.", priority=1),
    Column("Images", _in_containers("image"), "Images referenced by each container in the template.", priority=1),
    Column(
        "Selector",
        lambda obj, now_s: str(labels.from_label_selector(dig(obj, ("spec", "selector")))),
        "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by"
        " this deployment. It must match the pod template's labels.",
        priority=1,
    ),
)
