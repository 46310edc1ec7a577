"""How autoscalers are written, in either version. What is checked of them is v2, whose fields the texts name.

Source: pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.autoscaling.conversion import convert
from quarterdeck.registry.builtin.autoscaling.defaults import full_behavior, replace
from quarterdeck.registry.builtin.autoscaling.validation import validate_spec, validate_spec_update
from quarterdeck.registry.builtin.autoscaling.versions import V2
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


class AutoscalerStrategy(BuiltinStrategy):
    def default_new(self, obj: Object) -> None:
        made = {**convert(obj, V2), "status": {"desiredReplicas": 0, "currentMetrics": None}}
        replace(obj, convert(made, obj["apiVersion"]))

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        """What an annotation of v1 leaves out of the behavior is set by whoever reads the object in v2."""
        given = convert(obj, V2)["spec"].get("behavior")
        return given is not None and given != full_behavior(given)

    def keep(self, new: Object, old: Object) -> None:
        made = {**convert(new, V2), "status": convert(old, V2).get("status", {})}
        replace(new, convert(made, new["apiVersion"]))

    def check(self, obj: Object) -> list[FieldError]:
        return validate_spec(convert(obj, V2)["spec"])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_spec_update(convert(new, V2)["spec"], convert(old, V2)["spec"])


class AutoscalerStatusStrategy(AutoscalerStrategy):
    def keep(self, new: Object, old: Object) -> None:
        made = {**convert(new, V2), "spec": convert(old, V2).get("spec", {})}
        replace(new, convert(made, new["apiVersion"]))

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status = new.get("status") or {}
        problems: list[FieldError] = []
        for name in ("currentReplicas", "desiredReplicas"):
            problems += checks.not_negative(f"status.{name}", status.get(name) or 0)
        return problems
