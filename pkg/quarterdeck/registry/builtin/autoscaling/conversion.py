"""Autoscalers in their two versions: v2 is stored, v1 keeps in annotations what it has no fields for.

Source: pkg/apis/autoscaling/v1/conversion.go.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final

from quarterdeck.registry.builtin.autoscaling import metrics, roundtrip
from quarterdeck.registry.builtin.autoscaling.versions import V1, V2
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.strategy import Object

_KIND: Final = "HorizontalPodAutoscaler"
_OF_BOTH: Final = ("observedGeneration", "lastScaleTime")
_SHOWN_MAX: Final = 4  # what is stored and what becomes of it, for a retry too
# (spec and status in v1, the object that they show) of the objects that were converted last in this task: v1 tells less
# than is known of them, and who writes in v1 changes a part of what is known.
_shown: ContextVar[tuple[tuple[Object, Object, Object], ...]] = ContextVar("autoscalers in v1", default=())


def convert(obj: Object, api_version: str) -> Object:
    """The object in the other version; the same one where it is in that version."""
    if obj.get("apiVersion") == api_version:
        return obj
    if api_version == V1:
        made = _to_v1(obj)
        _shown.set((*_shown.get()[1 - _SHOWN_MAX :], (made["spec"], made["status"], obj)))
        return made
    made, spec, status = _to_v2(obj), obj.get("spec"), obj.get("status")
    for shown_spec, shown_status, whole in _shown.get():
        if spec is shown_spec and status is shown_status:  # nobody has written it down: it is what was converted
            made = _named(V2, made["metadata"], whole.get("spec") or {}, whole.get("status") or {})
    return made


def convert_written(obj: Object, api_version: str) -> Object:
    """The same by what the object itself says, and nothing else: so are two of them compared in a version."""
    if obj.get("apiVersion") == api_version:
        return obj
    return _to_v2(obj) if api_version == V2 else _to_v1(obj)


def convert_onto(obj: Object, known: Object, api_version: str) -> Object:
    """What admission made of `known`, in that version. What v1 does not say stays; that upstream's conversion counts
    metrics twice then, those that are known and those of the annotation, is a mistake that clients see."""
    made = obj
    if obj.get("apiVersion") == V1:
        made = _to_v2(obj, convert_written(known, V2))
    return convert_written(made, api_version)


def _to_v2(obj: Object, known: Object | None = None) -> Object:
    """`known`: what it is written over."""
    metadata, spec, status = dict(obj.get("metadata") or {}), obj.get("spec") or {}, obj.get("status") or {}
    before = known or {}
    made_spec = _spec_to_v2(metadata, spec, before.get("spec") or {})
    made = _named(V2, metadata, made_spec, _status_to_v2(metadata, status, before.get("status") or {}))
    roundtrip.drop(metadata)
    return made


def _named(api_version: str, metadata: Object, spec: Object, status: Object) -> Object:
    return {"apiVersion": api_version, "kind": _KIND, "metadata": metadata, "spec": spec, "status": status}


def _same(spec: Object) -> Object:
    made: dict[str, Any] = {"scaleTargetRef": spec.get("scaleTargetRef") or {}}
    if spec.get("minReplicas") is not None:
        made["minReplicas"] = spec["minReplicas"]
    return {**made, "maxReplicas": spec.get("maxReplicas", 0)}


def _spec_to_v2(metadata: Object, spec: Object, known: Object) -> Object:
    made = _same(spec)
    wanted: list[Object] = known.get("metrics") or []
    if (percent := spec.get("targetCPUUtilizationPercentage")) is not None:
        wanted = [metrics.cpu_metric(percent)]
    others = roundtrip.read_list(metadata, roundtrip.METRICS, "autoscaling", "MetricSpec")
    if others is not None:
        # There is room for all that are known, and the first one is put there.
        rest = [*wanted[:1], *({"type": ""} for _ in wanted[1:])]
        wanted = [*(metrics.to_v2(each) for each in others), *rest]
    made["metrics"] = wanted or metrics.default_metrics()
    if (behavior := roundtrip.read_behavior(metadata) or known.get("behavior")) is not None:
        made["behavior"] = behavior
    return made


def _status_to_v2(metadata: Object, status: Object, known: Object) -> Object:
    made: dict[str, Any] = {name: status[name] for name in _OF_BOTH if name in status}
    if status.get("currentReplicas"):
        made["currentReplicas"] = status["currentReplicas"]
    made["desiredReplicas"] = status.get("desiredReplicas", 0)
    current: list[Object] | None = known.get("currentMetrics")
    if (percent := status.get("currentCPUUtilizationPercentage")) is not None:
        resource = {"name": "cpu", "current": {"averageUtilization": percent}}
        current = [{"type": "Resource", "resource": resource}]
    found = roundtrip.read_list(metadata, roundtrip.CURRENT_METRICS, "autoscaling", "MetricStatus")
    if found is not None:
        current = [metrics.status_to_v2(each) for each in found] or None
    made["currentMetrics"] = current
    conditions = roundtrip.read_list(metadata, roundtrip.CONDITIONS, "autoscaling", "HorizontalPodAutoscalerCondition")
    if conditions is None:
        conditions = known.get("conditions")
    return {**made, "conditions": conditions} if conditions else made


def _to_v1(obj: Object) -> Object:
    metadata, spec, status = dict(obj.get("metadata") or {}), obj.get("spec") or {}, obj.get("status") or {}
    roundtrip.drop(metadata)
    wanted, current = spec.get("metrics") or [], status.get("currentMetrics") or []
    others = [metrics.to_v1(each) for each in wanted if not metrics.is_cpu(each) or _percent(each) is None]
    if others:
        roundtrip.write(metadata, roundtrip.METRICS, others)
    if current:
        # Of the processor's too: v1 has a field for its percentage alone.
        roundtrip.write(metadata, roundtrip.CURRENT_METRICS, [metrics.status_to_v1(each) for each in current])
    if status.get("conditions"):
        roundtrip.write(metadata, roundtrip.CONDITIONS, status["conditions"])
    if spec.get("behavior") is not None:
        shown = gonames.to_go("HorizontalPodAutoscalerBehavior", spec["behavior"], "autoscaling_v2")
        roundtrip.write(metadata, roundtrip.BEHAVIOR, shown)
    return _named(V1, metadata, _spec_to_v1(spec, wanted), _status_to_v1(status, current))


def _percent(metric: Object) -> int | None:
    percent: int | None = (metric["resource"].get("target") or {}).get("averageUtilization")
    return percent


def _spec_to_v1(spec: Object, wanted: list[Object]) -> Object:
    made = _same(spec)
    percents = (_percent(each) for each in wanted if metrics.is_cpu(each))
    if (percent := next((each for each in percents if each is not None), None)) is not None:
        made["targetCPUUtilizationPercentage"] = percent
    return made


def _status_to_v1(status: Object, current: list[Object]) -> Object:
    made: dict[str, Any] = {name: status[name] for name in _OF_BOTH if name in status}
    made["currentReplicas"] = status.get("currentReplicas", 0)
    made["desiredReplicas"] = status.get("desiredReplicas", 0)
    for each in current:
        if metrics.is_cpu(each):
            percent = (each["resource"].get("current") or {}).get("averageUtilization")
            if percent is not None:
                made["currentCPUUtilizationPercentage"] = percent
    return made
