"""Conditions in the status of a pod. Source: pkg/api/pod/util.go (UpdatePodCondition)."""

from __future__ import annotations

from quarterdeck.apimachinery import clock
from quarterdeck.registry.strategy import Object


def find(status: Object, kind: str) -> Object | None:
    return next((each for each in status.get("conditions") or [] if each.get("type") == kind), None)


def is_true(status: Object, kind: str) -> bool:
    found = find(status, kind)
    return found is not None and found.get("status") == "True"


def update(status: Object, kind: str, value: str, reason: str = "", message: str = "") -> None:
    """Set a condition; its time changes with its status."""
    made: Object = {"type": kind, "status": value, "lastProbeTime": None, "lastTransitionTime": clock.now()}
    if reason:
        made["reason"] = reason
    if message:
        made["message"] = message
    conditions = list(status.get("conditions") or [])
    for position, before in enumerate(conditions):
        if before.get("type") == kind:
            if before.get("status") == value:
                made["lastTransitionTime"] = before.get("lastTransitionTime")
            conditions[position] = made
            break
    else:
        conditions.append(made)
    status["conditions"] = conditions
