"""Tables of autoscaling. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.endpoints.table import columns
from quarterdeck.endpoints.table.cells import AGE, NAME, NONE, Column, age, dig, integer
from quarterdeck.endpoints.table.columns import BUILTIN_SCALE, Object
from quarterdeck.registry.builtin.autoscaling.conversion import convert
from quarterdeck.registry.builtin.autoscaling.versions import V2

_METRICS_SHOWN_MAX: Final = 2
_UNKNOWN: Final = "<unknown>"
_FIELDS: Final = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def _reference(obj: Object) -> str:
    target = dig(obj, ("spec", "scaleTargetRef")) or {}
    return f"{target.get('kind', '')}/{target.get('name', '')}"


def _desired(obj: Object, now_s: float) -> int | None:
    """Of a custom resource's scale the column shows what its JSON has, which leaves 0 out."""
    return dig(obj, ("spec", "replicas")) or None


def _least(obj: Object) -> str:
    least = dig(obj, ("spec", "minReplicas"))
    return "<unset>" if least is None else str(least)


def _targets(obj: Object) -> str:
    """The current and the wanted value of each metric."""
    whole = convert(obj, V2)
    metrics = dig(whole, ("spec", "metrics")) or []
    if not metrics:
        return NONE
    states = dig(whole, ("status", "currentMetrics")) or []
    shown = [
        _metric(metric, states[position] if position < len(states) else {})
        for position, metric in enumerate(metrics[:_METRICS_SHOWN_MAX])
    ]
    more = len(metrics) - _METRICS_SHOWN_MAX
    return ", ".join(shown) + (f" + {more} more..." if more > 0 else "")


def _metric(metric: dict[str, Any], state: dict[str, Any]) -> str:
    name = _FIELDS.get(metric.get("type", ""))
    if name is None:
        return "<unknown type>"
    source, current = metric.get(name) or {}, dig(state, (name, "current"))
    target = source.get("target") or {}
    if name == "pods":
        return f"{_amount(current, 'averageValue')}/{target.get('averageValue', '0')}"
    if name in ("resource", "containerResource"):
        return f"{source.get('name', '')}: {_of_resource(target, current)}"
    if target.get("averageValue") is None:
        return f"{_amount(current, 'value')}/{target.get('value', '0')}"
    average = (current or {}).get("averageValue")
    return f"{_UNKNOWN if average is None else average}/{target['averageValue']} (avg)"


def _amount(current: dict[str, Any] | None, name: str) -> str:
    """An absent amount is printed as Go prints nil."""
    return _UNKNOWN if current is None else str(current.get(name, "<nil>"))


def _of_resource(target: dict[str, Any], current: dict[str, Any] | None) -> str:
    if target.get("averageValue") is not None:
        return f"{_amount(current, 'averageValue')}/{target['averageValue']}"
    percent, wanted = (current or {}).get("averageUtilization"), target.get("averageUtilization")
    shown = _UNKNOWN if percent is None else f"{percent}%"
    return f"{shown}/{'<auto>' if wanted is None else f'{wanted}%'}"


_AUTOSCALER: Final = (
    NAME,
    Column(
        "Reference",
        lambda obj, now_s: _reference(obj),
        "scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics should be"
        " collected, as well as to actually change the replica count.",
    ),
    Column(
        "Targets",
        lambda obj, now_s: _targets(obj),
        "metrics contains the specifications for which to use to calculate the desired replica count (the maximum"
        " replica count across all metrics will be used).  The desired replica count is calculated multiplying the"
        " ratio between the target value and the current value by the current number of pods.  Ergo, metrics used"
        " must decrease as the pod count is increased, and vice-versa.  See the individual metric source types for"
        " more information about how each type of metric must respond. If not set, the default metric will be set to"
        " 80% average CPU utilization.",
    ),
    Column(
        "MinPods",
        lambda obj, now_s: _least(obj),
        "minReplicas is the lower limit for the number of replicas to which the autoscaler can scale down.  It"
        " defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha feature gate HPAScaleToZero is enabled and"
        " at least one Object or External metric is configured.  Scaling is active as long as at least one metric"
        " value is available.",
    ),
    Column(
        "MaxPods",
        integer("spec", "maxReplicas"),
        "maxReplicas is the upper limit for the number of replicas to which the autoscaler can scale up. It cannot be"
        " less that minReplicas.",
    ),
    Column(
        "Replicas",
        integer("status", "currentReplicas"),
        "currentReplicas is current number of replicas of pods managed by this autoscaler, as last seen by the"
        " autoscaler.",
    ),
    AGE,
)

PRINTERS: Final = {
    ("autoscaling", "HorizontalPodAutoscaler"): _AUTOSCALER,
    ("autoscaling", "Scale"): (
        NAME,
        Column("Desired", _desired, "Number of desired replicas", type="integer"),
        Column("Available", integer("status", "replicas"), "Number of actual replicas", type="integer"),
        Column("Age", age, columns.CREATED_DESCRIPTION, type="date"),
    ),
    ("autoscaling", BUILTIN_SCALE): (
        NAME._replace(format=""),
        Column(
            "Desired",
            integer("spec", "replicas"),
            "replicas is the desired number of instances for the scaled object.",
            type="integer",
        ),
        Column(
            "Available",
            integer("status", "replicas"),
            "replicas is the actual number of observed instances of the scaled object.",
            type="integer",
        ),
        AGE,
    ),
}
