"""Metrics, as either version describes them: what is wanted of each, and what it is now.

Source: pkg/apis/autoscaling/v1/conversion.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.registry.strategy import Object

_CPU_PERCENT: Final = 80
_ZERO: Final = "0"

Change = Callable[[Object], Object]


def cpu_metric(percent: int) -> Object:
    """The one metric for which v1 has a field."""
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def default_metrics() -> list[Object]:
    return [cpu_metric(_CPU_PERCENT)]


def is_cpu(metric: Object) -> bool:
    return metric.get("type") == "Resource" and (metric.get("resource") or {}).get("name") == "cpu"


def to_v2(metric: Object) -> Object:
    return _each_source(metric, _TO_V2)


def to_v1(metric: Object) -> Object:
    return _each_source(metric, _TO_V1)


def status_to_v2(metric: Object) -> Object:
    return _each_source(metric, _STATUS_TO_V2)


def status_to_v1(metric: Object) -> Object:
    return _each_source(metric, _STATUS_TO_V1)


def _each_source(metric: Object, changes: dict[str, Change]) -> Object:
    made: Object = {"type": metric.get("type", "")}
    for name, change in changes.items():
        if metric.get(name) is not None:
            made[name] = change(metric[name])
    return made


def _present(**members: Any) -> Object:
    return {name: value for name, value in members.items() if value is not None}


def _identifier(name: str, selector: Object | None) -> Object:
    return {"name": name} if selector is None else {"name": name, "selector": selector}


def _shown_selector(metric: Object) -> Object | None:
    """With its labels in order, as Go writes a map: v1 shows it in a text."""
    selector: Object | None = metric.get("selector")
    labels = selector.get("matchLabels") if selector is not None else None
    if selector is None or not labels:
        return selector
    return {**selector, "matchLabels": {key: labels[key] for key in sorted(labels)}}


def _reference(given: Object) -> Object:
    made = {"kind": given.get("kind", ""), "name": given.get("name", "")}
    return {**made, "apiVersion": given["apiVersion"]} if given.get("apiVersion") else made


def _object_to_v2(source: Object) -> Object:
    average, value = source.get("averageValue"), source.get("targetValue", _ZERO)
    if average is not None and value == _ZERO:  # which v1 writes where there is none
        value = None
    kind = "Value" if average is None else "AverageValue"
    return {
        "describedObject": _reference(source.get("target") or {}),
        "target": _present(type=kind, value=value, averageValue=average),
        "metric": _identifier(source.get("metricName", ""), source.get("selector")),
    }


def _object_to_v1(source: Object) -> Object:
    target, metric = source.get("target") or {}, source.get("metric") or {}
    return {
        "target": _reference(source.get("describedObject") or {}),
        "metricName": metric.get("name", ""),
        "targetValue": target.get("value", _ZERO),
        **_present(selector=_shown_selector(metric), averageValue=target.get("averageValue")),
    }


def _pods_to_v2(source: Object) -> Object:
    return {
        "metric": _identifier(source.get("metricName", ""), source.get("selector")),
        "target": {"type": "AverageValue", "averageValue": source.get("targetAverageValue", _ZERO)},
    }


def _pods_to_v1(source: Object) -> Object:
    target, metric = source.get("target") or {}, source.get("metric") or {}
    made = {"metricName": metric.get("name", ""), "targetAverageValue": target.get("averageValue", _ZERO)}
    return made | _present(selector=_shown_selector(metric))


def _resource_to_v2(source: Object) -> Object:
    percent = source.get("targetAverageUtilization")
    kind = "AverageValue" if percent is None else "Utilization"
    target = _present(type=kind, averageValue=source.get("targetAverageValue"), averageUtilization=percent)
    made = {"name": source.get("name", ""), "target": target}
    return {**made, "container": source["container"]} if "container" in source else made


def _resource_to_v1(source: Object) -> Object:
    target = source.get("target") or {}
    wanted = _present(
        targetAverageUtilization=target.get("averageUtilization"), targetAverageValue=target.get("averageValue")
    )
    made = {"name": source.get("name", ""), **wanted}
    return {**made, "container": source["container"]} if "container" in source else made


def _external_to_v2(source: Object) -> Object:
    value = source.get("targetValue")
    kind = "AverageValue" if value is None else "Value"
    return {
        "metric": _identifier(source.get("metricName", ""), source.get("metricSelector")),
        "target": _present(type=kind, value=value, averageValue=source.get("targetAverageValue")),
    }


def _external_to_v1(source: Object) -> Object:
    target, metric = source.get("target") or {}, source.get("metric") or {}
    return {
        "metricName": metric.get("name", ""),
        **_present(
            metricSelector=_shown_selector(metric),
            targetValue=target.get("value"),
            targetAverageValue=target.get("averageValue"),
        ),
    }


def _object_status_to_v2(status: Object) -> Object:
    return {
        "metric": _identifier(status.get("metricName", ""), status.get("selector")),
        "current": _present(value=status.get("currentValue", _ZERO), averageValue=status.get("averageValue")),
        "describedObject": _reference(status.get("target") or {}),
    }


def _object_status_to_v1(status: Object) -> Object:
    current, metric = status.get("current") or {}, status.get("metric") or {}
    return {
        "target": _reference(status.get("describedObject") or {}),
        "metricName": metric.get("name", ""),
        "currentValue": current.get("value", _ZERO),
        **_present(selector=_shown_selector(metric), averageValue=current.get("averageValue")),
    }


def _pods_status_to_v2(status: Object) -> Object:
    return {
        "metric": _identifier(status.get("metricName", ""), status.get("selector")),
        "current": {"averageValue": status.get("currentAverageValue", _ZERO)},
    }


def _pods_status_to_v1(status: Object) -> Object:
    current, metric = status.get("current") or {}, status.get("metric") or {}
    made = {"metricName": metric.get("name", ""), "currentAverageValue": current.get("averageValue", _ZERO)}
    return made | _present(selector=_shown_selector(metric))


def _resource_status_to_v2(status: Object) -> Object:
    current = _present(
        averageValue=status.get("currentAverageValue", _ZERO),
        averageUtilization=status.get("currentAverageUtilization"),
    )
    made = {"name": status.get("name", ""), "current": current}
    return {**made, "container": status["container"]} if "container" in status else made


def _resource_status_to_v1(status: Object) -> Object:
    current = status.get("current") or {}
    made = {
        "name": status.get("name", ""),
        **_present(currentAverageUtilization=current.get("averageUtilization")),
        "currentAverageValue": current.get("averageValue", _ZERO),
    }
    return {**made, "container": status["container"]} if "container" in status else made


def _external_status_to_v2(status: Object) -> Object:
    return {
        "metric": _identifier(status.get("metricName", ""), status.get("metricSelector")),
        "current": _present(value=status.get("currentValue", _ZERO), averageValue=status.get("currentAverageValue")),
    }


def _external_status_to_v1(status: Object) -> Object:
    current, metric = status.get("current") or {}, status.get("metric") or {}
    return {
        "metricName": metric.get("name", ""),
        **_present(metricSelector=_shown_selector(metric)),
        "currentValue": current.get("value", _ZERO),
        **_present(currentAverageValue=current.get("averageValue")),
    }


# In the order in which Go writes them.
_SOURCES: Final = ("object", "pods", "resource", "containerResource", "external")


def _by_source(*changes: Change) -> dict[str, Change]:
    return dict(zip(_SOURCES, changes, strict=True))


_TO_V2: Final = _by_source(_object_to_v2, _pods_to_v2, _resource_to_v2, _resource_to_v2, _external_to_v2)
_TO_V1: Final = _by_source(_object_to_v1, _pods_to_v1, _resource_to_v1, _resource_to_v1, _external_to_v1)
_STATUS_TO_V2: Final = _by_source(
    _object_status_to_v2, _pods_status_to_v2, _resource_status_to_v2, _resource_status_to_v2, _external_status_to_v2
)
_STATUS_TO_V1: Final = _by_source(
    _object_status_to_v1, _pods_status_to_v1, _resource_status_to_v1, _resource_status_to_v1, _external_status_to_v1
)
