"""Deletes pods that nobody will end: of nodes that are gone, never scheduled and leaving, finished beyond a number.

Source: pkg/controller/podgc/gc_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from quarterdeck.apimachinery import clock, errors, meta
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, find, read
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.strategy import Object

INTERVAL_S: Final = 20.0
# How long a node is gone before its pods are taken for lost.
QUARANTINE_S: Final = 40.0
FINISHED_MAX: Final = 12500
_ALL: Final = "pods"
_FINISHED: Final = ("Succeeded", "Failed")
_OUT_OF_SERVICE: Final = "node.kubernetes.io/out-of-service"


class PodGarbageCollector:
    def __init__(self, context: ControllerContext) -> None:
        self._pods = context.scope("", "pods")
        self._status = context.scope("", "pods", "status")
        self._nodes = context.scope("", "nodes")
        self._clock = context.time()
        self._identity = context.identity_of("pod-garbage-collector")
        self._missing_since_s: dict[str, float] = {}  # by the names of nodes that pods are bound to
        self.controller = Controller("pod-garbage-collector", self.sync, clock=context.clock)

    def take_up(self) -> None:
        self.controller.add(_ALL)

    async def sync(self, key: str) -> None:
        pods = [read(entry) for entry in self._pods.store.cache.state.all()]
        try:
            await self._delete_finished(pods)
            await self._delete_terminating(pods)
            await self._delete_orphaned(pods)
            await self._delete_unscheduled(pods)
        finally:
            self.controller.add_after(key, INTERVAL_S)

    async def _delete_finished(self, pods: Iterable[Object]) -> None:
        """The oldest of those above the number, evicted ones first."""
        finished = [pod for pod in pods if _phase(pod) in _FINISHED]
        finished.sort(key=lambda pod: (not _is_evicted(pod), pod["metadata"].get("creationTimestamp") or ""))
        for pod in finished[: max(0, len(finished) - FINISHED_MAX)]:
            await self._delete(pod, None)

    async def _delete_terminating(self, pods: Iterable[Object]) -> None:
        """Pods on nodes that are not ready and marked as out of service."""
        for pod in pods:
            node = find(self._nodes, "", pod["spec"].get("nodeName") or "") if meta.deletion_timestamp(pod) else None
            if node is not None and not _is_ready(node) and _is_out_of_service(node):
                await self._delete(pod, None)

    async def _delete_orphaned(self, pods: list[Object]) -> None:
        now_s = self._clock.now_s()
        bound = {pod["spec"].get("nodeName") or "" for pod in pods} - {""}
        known = self._missing_since_s
        missing = {name for name in bound if self._nodes.store.cache.get("", name) is None}
        self._missing_since_s = {name: known.get(name, now_s) for name in missing}
        lost = {name for name, since_s in self._missing_since_s.items() if now_s - since_s >= QUARANTINE_S}
        for pod in pods:
            if pod["spec"].get("nodeName") in lost:
                await self._delete(pod, "PodGC: node no longer exists")

    async def _delete_unscheduled(self, pods: Iterable[Object]) -> None:
        for pod in pods:
            if meta.deletion_timestamp(pod) and not pod["spec"].get("nodeName"):
                await self._delete(pod, None)

    async def _delete(self, pod: Object, disruption: str | None) -> None:
        """`disruption`: why the pod did not end by itself. A pod that has not finished has failed then."""
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        options = Options(grace_period_s=0, precondition_uid=pod["metadata"]["uid"])
        with suppress(errors.NotFound, errors.Conflict):
            if _phase(pod) not in _FINISHED:
                await ownwrites.update(
                    self._identity, self._status, namespace, name, lambda live: _fail(live, disruption), MANAGER
                )
            await self._identity.delete(self._pods, namespace, name, options)


def _phase(pod: Object) -> str:
    return (pod.get("status") or {}).get("phase") or ""


def _is_evicted(pod: Object) -> bool:
    return (pod.get("status") or {}).get("reason") == "Evicted"


def _is_ready(node: Object) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def _is_out_of_service(node: Object) -> bool:
    return any(taint.get("key") == _OUT_OF_SERVICE for taint in node["spec"].get("taints") or ())


def _fail(live: Object, disruption: str | None) -> Object:
    status: dict[str, Any] = {**(live.get("status") or {}), "phase": "Failed"}
    if disruption is not None:
        others = [each for each in status.get("conditions") or () if each.get("type") != "DisruptionTarget"]
        status["conditions"] = [
            *others,
            {
                "type": "DisruptionTarget",
                "status": "True",
                "reason": "DeletionByPodGC",
                "message": disruption,
                "lastTransitionTime": clock.now(),
                "observedGeneration": live["metadata"].get("generation", 0),
            },
        ]
    return {**live, "status": status}
