"""Taints for all devices that a selector matches.

Source: pkg/registry/resource/devicetaintrule/strategy.go, pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import clock, field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, semantic
from quarterdeck.registry.builtin.conditions import validate_conditions
from quarterdeck.registry.builtin.resource import parts
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, keep_metadata
from quarterdeck.registry.strategy import Object

CONDITIONS_MAX: Final = 8
TIMES: Final = SentTimes("spec.taint.timeAdded")


def default_taint_rule(obj: Object) -> None:
    taint = obj["spec"]["taint"]
    if taint.get("timeAdded") is None:
        taint["timeAdded"] = clock.now()


class DeviceTaintRuleStrategy(BuiltinStrategy):
    def default_new(self, obj: Object) -> None:
        obj["status"] = {}
        obj["metadata"]["generation"] = 1

    def keep(self, new: Object, old: Object) -> None:
        """The time is that of the effect, so that it moves with it unless a client has moved it."""
        new["status"] = old.get("status", {})
        taint, before = new["spec"]["taint"], old["spec"]["taint"]
        is_same_time = taint.get("timeAdded") == before.get("timeAdded") and not TIMES.have_fraction("spec")
        if is_same_time and taint.get("effect", "") != before.get("effect", ""):
            taint["timeAdded"] = clock.now()
        semantic.count_change(new, old, "spec", "resource_v1beta2", "DeviceTaintRuleSpec", TIMES)

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(obj["spec"], None)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return _validate_spec(new["spec"], old["spec"])


class DeviceTaintRuleStatusStrategy(DeviceTaintRuleStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        keep_metadata(new, old)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        conditions = (new.get("status") or {}).get("conditions") or []
        problems = validate_conditions(conditions, "status.conditions")
        if len(conditions) > CONDITIONS_MAX:
            problems.append(field.too_many("status.conditions", len(conditions), CONDITIONS_MAX))
        return problems


def _validate_spec(spec: Object, old: Object | None) -> list[FieldError]:
    selector, taint = spec.get("deviceSelector") or {}, spec.get("taint") or {}
    problems: list[FieldError] = []
    for name, check in (("driver", checks.csi_driver_name), ("pool", parts.pool_name), ("device", parts.dns_label)):
        if (value := selector.get(name)) is not None:
            problems += check(f"spec.deviceSelector.{name}", value)
    problems += parts.label_name("spec.taint.key", taint.get("key", ""))
    problems += parts.label_value("spec.taint.value", taint.get("value", ""))
    effect = taint.get("effect", "")
    if old is None or (old.get("taint") or {}).get("effect", "") != effect:
        problems += checks.required_one_of("spec.taint.effect", effect, parts.EFFECTS)
    return problems
