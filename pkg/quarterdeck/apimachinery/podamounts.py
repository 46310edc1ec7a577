"""What pods ask for and may use: the names of resources, and the amounts of a pod as a whole.

Source: pkg/apis/core/helper/helpers.go, component-helpers/resource/helpers.go (PodRequests, PodLimits,
AggregateContainerRequests).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.apimachinery import names, sentamounts
from quarterdeck.apimachinery.quantity import Quantity

HUGE_PAGES: Final = "hugepages-"
_OF_PODS: Final = ("cpu", "memory")


def is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str) -> bool:
    """A resource that somebody else than Kubernetes counts."""
    return not is_native(name) and not name.startswith("requests.") and not names.qualified_name(f"requests.{name}")


def allows_overcommit(name: str) -> bool:
    return is_native(name) and not name.startswith(HUGE_PAGES)


def parse(amounts: Mapping[str, str] | None) -> dict[str, Quantity]:
    """By name."""
    return {name: sentamounts.parse(text) for name, text in sorted((amounts or {}).items())}


def of_pod(spec: Mapping[str, Any], kind: str) -> dict[str, Quantity]:
    """`kind`: requests or limits. What the pod says as a whole goes before what its containers say."""
    total = of_containers(spec, kind)
    for name, amount in parse((spec.get("resources") or {}).get(kind)).items():
        if _may_be_of_pod(name):
            total[name] = amount
    return total


def says_of_pod(spec: Mapping[str, Any]) -> bool:
    """Whether a pod says of itself as a whole what it asks for or may use."""
    resources = spec.get("resources") or {}
    return any(_may_be_of_pod(name) for kind in ("requests", "limits") for name in resources.get(kind) or ())


def _may_be_of_pod(name: str) -> bool:
    return name in _OF_PODS or name.startswith(HUGE_PAGES)


def with_overhead(spec: Mapping[str, Any], kind: str) -> dict[str, Quantity]:
    """`of_pod`, with what running it costs. That is no limit where there is none, or where that is 0."""
    total = of_pod(spec, kind)
    for name, amount in parse(spec.get("overhead")).items():
        if kind == "limits" and not (name in total and total[name].unscaled):
            continue
        if name in total:
            total[name] = total[name].add(amount)
        else:
            total[name] = amount
    return total


def of_containers(spec: Mapping[str, Any], kind: str = "requests") -> dict[str, Quantity]:
    """What the containers ask for at the same time at most: init containers run one after the other, those that stay
    run on."""
    total: dict[str, Quantity] = {}
    for container in spec.get("containers") or []:
        _add(total, parse((container.get("resources") or {}).get(kind)))
    staying: dict[str, Quantity] = {}
    peak: dict[str, Quantity] = {}
    for container in spec.get("initContainers") or []:
        own = parse((container.get("resources") or {}).get(kind))
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(staying, own)
            own = dict(staying)
        else:
            own = {name: amount.add(staying[name]) if name in staying else amount for name, amount in own.items()}
        _raise(peak, own)
    _raise(total, peak)
    return total


def _add(total: dict[str, Quantity], more: Mapping[str, Quantity]) -> None:
    for name, amount in more.items():
        total[name] = total[name].add(amount) if name in total else amount


def _raise(total: dict[str, Quantity], least: Mapping[str, Quantity]) -> None:
    for name, amount in least.items():
        if name not in total or amount > total[name]:
            total[name] = amount
