"""Priority classes. Source: pkg/registry/scheduling/priorityclass/strategy.go, pkg/apis/scheduling/{validation,v1}."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

USER_PRIORITY_MAX: Final = 1_000_000_000
SYSTEM_PREFIX: Final = "system-"
# What a server has from its start, and no class of a user may be called.
PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")
SYSTEM_CLASSES: Final = (
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
)


def default_priority_class(obj: Object) -> None:
    obj.setdefault("preemptionPolicy", "PreemptLowerPriority")


class PriorityClassStrategy(BuiltinStrategy):
    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1

    def check(self, obj: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        name, value = obj["metadata"].get("name", ""), obj.get("value", 0)
        if name.startswith(SYSTEM_PREFIX):
            if fault := _fault_of_system_class(name, value, is_default=obj.get("globalDefault", False)):
                detail = f"priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use only. error: "
                problems.append(field.forbidden("metadata.name", detail + fault))
        elif value > USER_PRIORITY_MAX:
            detail = f"maximum allowed value of a user defined priority is {USER_PRIORITY_MAX}"
            problems.append(field.forbidden("value", detail))
        if (policy := obj.get("preemptionPolicy")) is not None:
            problems += checks.required_one_of("preemptionPolicy", policy, PREEMPTION_POLICIES)
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        if new.get("value", 0) != old.get("value", 0):
            problems.append(field.forbidden("value", "may not be changed in an update."))
        policy = new.get("preemptionPolicy")
        if policy != old.get("preemptionPolicy"):
            problems.append(field.invalid("preemptionPolicy", field.named(policy), "field is immutable"))
        return problems


def _fault_of_system_class(name: str, value: int, *, is_default: bool) -> str:
    known = {name: value for name, value, _ in SYSTEM_CLASSES}
    if name not in known:
        return f"{name} is not a known system priority class"
    if value != known[name]:
        return f"value of {name} PriorityClass must be {known[name]}"
    return f"globalDefault of {name} PriorityClass must be false" if is_default else ""
