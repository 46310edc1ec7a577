"""What a pod asks for as a whole: filled in from its containers, and the quality of service that follows.

Source: pkg/apis/core/v1/defaults.go (SetDefaults_Pod), component-helpers/resource/helpers.go, pkg/apis/core/helper/qos.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quarterdeck.apimachinery import podamounts, quantity
from quarterdeck.apimachinery.quantity import Quantity
from quarterdeck.registry.strategy import Object

_COUNTED: Final = ("cpu", "memory")


def default_amounts(spec: Object) -> None:
    """Of the containers, then of the pod where it says something."""
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        if found := container.get("resources"):
            _default_requests(found)
    whole = spec.get("resources")
    if whole is not None:
        _default_huge_pages(spec, whole)
        _default_whole_requests(spec, whole)


def _default_requests(found: Object) -> None:
    """What a container may use at most is what it asks for, where it asks for nothing."""
    for name, amount in (found.get("limits") or {}).items():
        found.setdefault("requests", {}).setdefault(name, amount)


def is_of_pods(name: str) -> bool:
    return name in _COUNTED or name.startswith(podamounts.HUGE_PAGES)


def _default_huge_pages(spec: Object, whole: Object) -> None:
    if not whole.get("limits") and not whole.get("requests"):
        return
    limits = dict(whole.get("limits") or {})
    for name, amount in podamounts.of_containers(spec, "limits").items():
        if name.startswith(podamounts.HUGE_PAGES) and name not in (whole.get("requests") or {}):
            limits.setdefault(name, str(amount))
    if limits:
        whole["limits"] = limits


def _default_whole_requests(spec: Object, whole: Object) -> None:
    limits = whole.get("limits")
    if not limits:
        return
    requests = dict(whole.get("requests") or {})
    for name, amount in podamounts.of_containers(spec).items():
        if is_of_pods(name) and podamounts.allows_overcommit(name):
            requests.setdefault(name, str(amount))
    for name, limit in limits.items():
        if is_of_pods(name):
            requests.setdefault(name, limit)
    if requests:
        whole["requests"] = requests


def quality_of_service(spec: Object) -> str:
    """BestEffort asks for nothing, Guaranteed may use no more than it asks for."""
    whole = spec.get("resources")
    holders = [whole] if whole is not None else []
    if whole is None:
        containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
        if not any(container.get("resources") for container in containers):
            return "BestEffort"
        holders = [container.get("resources") or {} for container in containers]
    requests: dict[str, Quantity] = {}
    limits: dict[str, Quantity] = {}
    is_guaranteed = True
    for holder in holders:
        _count(requests, holder.get("requests") or {})
        counted = _count(limits, holder.get("limits") or {})
        if counted < len(_COUNTED) and (whole is None or holder.get("limits")):
            is_guaranteed = False
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if is_guaranteed and requests == limits else "Burstable"


def _count(total: dict[str, Quantity], amounts: Mapping[str, str]) -> int:
    """How many of what counts is more than nothing."""
    found = 0
    for name in _COUNTED:
        amount = quantity.parse(amounts[name]) if name in amounts else None
        if amount is not None and amount.unscaled > 0:
            total[name] = total[name].add(amount) if name in total else amount
            found += 1
    return found
