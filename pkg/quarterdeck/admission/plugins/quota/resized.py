"""What the containers of a pod count for while they are resized: the most of what they ask for, were given and have.

Source: component-helpers/resource/helpers.go (determineEffectiveRequests, determineEffectiveLimits).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.apimachinery import quantity

Object = dict[str, Any]
Amounts = Mapping[str, str]

_STATUSES: Final = ("containerStatuses", "initContainerStatuses")
_CONTAINERS: Final = ("containers", "initContainers")


def spec_of(pod: Object) -> Object:
    """The spec of a pod, with what its containers count for."""
    spec, status = pod["spec"], pod.get("status") or {}
    told = {each["name"]: each for member in _STATUSES for each in status.get(member) or ()}
    if not any(each.get("resources") is not None for each in told.values()):
        return dict(spec)
    is_infeasible = _is_infeasible(status)
    counted = {
        member: [
            _count(each, told.get(each["name"]), is_infeasible) if _runs_on(each, member) else each
            for each in spec.get(member) or ()
        ]
        for member in _CONTAINERS
    }
    return {**spec, **counted}


def _is_infeasible(status: Object) -> bool:
    """Whether the node will never do what the spec says."""
    pending = (each.get("reason") for each in status.get("conditions") or () if each.get("type") == "PodResizePending")
    return next(pending, "") == "Infeasible"


def _runs_on(container: Object, member: str) -> bool:
    return member == "containers" or container.get("restartPolicy") == "Always"


def _count(container: Object, told: Object | None, is_infeasible: bool) -> Object:
    actuated = told.get("resources") if told is not None else None
    if told is None or actuated is None:
        return container
    asked = {} if is_infeasible else container.get("resources") or {}
    requests = _most(asked.get("requests"), actuated.get("requests"), told.get("allocatedResources"))
    limits = _most(asked.get("limits"), actuated.get("limits"))
    return {**container, "resources": {"requests": requests, "limits": limits}}


def _most(*amounts: Amounts | None) -> dict[str, str]:
    """By name. Of equal ones the first."""
    most: dict[str, str] = {}
    for each in amounts:
        for name, text in (each or {}).items():
            if name not in most or quantity.compare(text, most[name]) > 0:
                most[name] = text
    return most
