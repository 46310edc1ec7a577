"""What an autoscaler has where nothing is said, in either version.

Source: pkg/apis/autoscaling/{v1,v2}/defaults.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.registry.builtin.autoscaling import roundtrip
from quarterdeck.registry.builtin.autoscaling.conversion import convert
from quarterdeck.registry.builtin.autoscaling.metrics import default_metrics
from quarterdeck.registry.builtin.autoscaling.versions import V1, V2
from quarterdeck.registry.strategy import Object

_PERIOD_S: Final = 15
_PERCENT: Final = 100
_PODS: Final = 4


def default_v1(obj: Object) -> None:
    """A client of v1 sees what v2 makes of its object."""
    obj["spec"].setdefault("minReplicas", 1)
    replace(obj, convert(convert(obj, V2), V1))


def default_v2(obj: Object) -> None:
    roundtrip.drop(obj["metadata"])
    spec = obj["spec"]
    spec.setdefault("minReplicas", 1)
    if not spec.get("metrics"):
        spec["metrics"] = default_metrics()
    if spec.get("behavior") is not None:
        spec["behavior"] = full_behavior(spec["behavior"])


def full_behavior(given: Object) -> Object:
    up, down = given.get("scaleUp"), given.get("scaleDown")
    return {
        **given,
        "scaleUp": _rules(up, 0, [_policy("Pods", _PODS), _policy("Percent", _PERCENT)]),
        "scaleDown": _rules(down, None, [_policy("Percent", _PERCENT)]),
    }


def replace(obj: Object, made: Object) -> None:
    """Give an object what `made` holds, in place, its metadata too."""
    metadata = obj["metadata"]
    new = dict(made["metadata"])
    metadata.clear()
    metadata.update(new)
    obj.clear()
    obj.update(made)
    obj["metadata"] = metadata


def _policy(kind: str, value: int) -> Object:
    return {"type": kind, "value": value, "periodSeconds": _PERIOD_S}


def _rules(given: Object | None, window_s: int | None, policies: list[Object]) -> Object:
    given = given or {}
    made: dict[str, Any] = {}
    window_s = given.get("stabilizationWindowSeconds", window_s)
    if window_s is not None:
        made["stabilizationWindowSeconds"] = window_s
    made["selectPolicy"] = given.get("selectPolicy", "Max")
    made["policies"] = given.get("policies", policies)
    if "tolerance" in given:
        made["tolerance"] = given["tolerance"]
    return made
