"""What pods use of a quota. Source: pkg/quota/v1/evaluator/core/pods.go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.plugins.quota import resized
from quarterdeck.admission.plugins.quota.scopes import selects
from quarterdeck.apimachinery import clock, podamounts, quantity
from quarterdeck.apimachinery.quantity import Quantity
from quarterdeck.apimachinery.time import parse_rfc3339

Object = dict[str, Any]

_ONE: Final = quantity.parse("1")
_COMPUTED: Final = ("cpu", "memory", "ephemeral-storage")
_LIMITED: Final = frozenset(
    (
        "count/pods",
        "pods",
        *_COMPUTED,
        *(f"{kind}.{name}" for kind in ("requests", "limits") for name in _COMPUTED),
    )
)
# A pod has to say these where a quota limits them.
_REQUIRED: Final = frozenset(
    ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"),
)
_DEVICE_CLASS: Final = "deviceclass.resource.kubernetes.io/"  # what a class of devices is called without more
_ENDED: Final = ("Failed", "Succeeded")
_TERMS: Final = ("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution")


class PodEvaluator:
    """A pod that has ended is only counted."""

    def handles(self, attributes: Attributes) -> bool:
        """Of other updates only those that change a scope which the pod is in."""
        if attributes.subresource or attributes.operation != UPDATE:
            wanted = ("resize", UPDATE) if attributes.subresource else ("", CREATE)
            return (attributes.subresource, attributes.operation) == wanted
        new, old = attributes.obj, attributes.old
        return new is not None and old is not None and _is_ending(new["spec"]) != _is_ending(old["spec"])

    def limited(self, names: Iterable[str]) -> list[str]:
        return sorted(name for name in names if name in _LIMITED or _is_of_containers(name))

    def matches(self, selector: Object, obj: Object) -> bool:
        spec, scope = obj["spec"], selector.get("scopeName")
        if scope == "PriorityClass":
            return selects(selector, {spec.get("priorityClassName") or ""} - {""})
        if scope == "CrossNamespacePodAffinity":
            return any(each.get("namespaces") or each.get("namespaceSelector") is not None for each in _terms(spec))
        is_ending = _is_ending(spec)
        is_best_effort = (obj.get("status") or {}).get("qosClass") == "BestEffort"
        return {
            "Terminating": is_ending,
            "NotTerminating": not is_ending,
            "BestEffort": is_best_effort,
            "NotBestEffort": not is_best_effort,
        }.get(str(scope), False)

    def missing(self, names: Iterable[str], obj: Object) -> str:
        spec = obj["spec"]
        if podamounts.says_of_pod(spec):
            return ""
        wanted = sorted(_REQUIRED.intersection(names))
        silent: dict[str, set[str]] = {}
        for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
            said = _computed(*_said(container.get("resources")))
            for name in wanted:
                if name not in said:
                    silent.setdefault(name, set()).add(container.get("name", ""))
        if not silent:
            return ""
        return "must specify " + "; ".join(f"{name} for: {','.join(sorted(silent[name]))}" for name in sorted(silent))

    def usage(self, obj: Object) -> dict[str, Quantity]:
        used = {"count/pods": _ONE}
        if (obj.get("status") or {}).get("phase") in _ENDED or _is_overdue(obj["metadata"]):
            return used
        spec = resized.spec_of(obj)
        amounts = (podamounts.with_overhead(spec, kind) for kind in ("requests", "limits"))
        return used | {"pods": _ONE} | _computed(*amounts)


def _is_ending(spec: Object) -> bool:
    seconds = spec.get("activeDeadlineSeconds")
    return seconds is not None and seconds >= 0


def _is_overdue(metadata: Object) -> bool:
    """Of a pod that should have gone by now, and did not: its node is lost, say."""
    deleted_at, grace_s = metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds")
    if not deleted_at or grace_s is None:
        return False
    deleted_at_s = parse_rfc3339(deleted_at)
    return deleted_at_s is not None and clock.wall_s() > deleted_at_s + grace_s


def _is_of_containers(name: str) -> bool:
    """Huge pages, and what somebody else counts."""
    if name.startswith((podamounts.HUGE_PAGES, f"requests.{podamounts.HUGE_PAGES}", f"requests.{_DEVICE_CLASS}")):
        return True
    return not podamounts.is_native(name) and name.startswith("requests.")


def _said(resources: Object | None) -> tuple[dict[str, Quantity], dict[str, Quantity]]:
    found = resources or {}
    return podamounts.parse(found.get("requests")), podamounts.parse(found.get("limits"))


def _computed(requests: dict[str, Quantity], limits: dict[str, Quantity]) -> dict[str, Quantity]:
    """Amounts under the names that quotas have for them."""
    used: dict[str, Quantity] = {}
    for name, amount in requests.items():
        if name in _COMPUTED or name.startswith(podamounts.HUGE_PAGES):
            used[name] = used[f"requests.{name}"] = amount
        elif podamounts.is_extended(name) or name.startswith(_DEVICE_CLASS):
            used[f"requests.{name}"] = amount
    return used | {f"limits.{name}": amount for name, amount in limits.items() if name in _COMPUTED}


def _terms(spec: Object) -> Iterator[Object]:
    """All that a pod says of the pods around it."""
    affinity = spec.get("affinity") or {}
    for member in ("podAffinity", "podAntiAffinity"):
        found = affinity.get(member) or {}
        for name in _TERMS:
            for term in found.get(name) or []:
                yield term.get("podAffinityTerm") or term
