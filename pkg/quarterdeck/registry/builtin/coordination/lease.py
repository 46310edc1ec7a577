"""Leases. Source: pkg/registry/coordination/lease/strategy.go, pkg/apis/coordination/validation."""

from __future__ import annotations

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


class LeaseStrategy(BuiltinStrategy):
    allow_unconditional_update = False
    allow_create_on_update = True
    checks_finalizer_domains = False

    def default_new(self, obj: Object) -> None:
        _drop_coordination(obj, {})

    def keep(self, new: Object, old: Object) -> None:
        _drop_coordination(new, old)

    def check(self, obj: Object) -> list[FieldError]:
        spec = obj.get("spec") or {}
        problems = []
        duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
        if duration is not None and duration <= 0:
            problems.append(field.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"))
        if transitions is not None and transitions < 0:
            problems.append(field.invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"))
        return problems


def _drop_coordination(new: Object, old: Object) -> None:
    """Coordinated leader election is off by default: its members are dropped where they are not stored already."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    for name in ("strategy", "preferredHolder"):
        if old_spec.get(name) is None:
            spec.pop(name, None)
