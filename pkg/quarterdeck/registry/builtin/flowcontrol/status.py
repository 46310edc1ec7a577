"""What flow schemas and priority levels have in common.

Source: pkg/registry/flowcontrol/{flowschema,prioritylevelconfiguration}/strategy.go,
pkg/apis/flowcontrol/validation/validation.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta


class FlowStrategy(BuiltinStrategy):
    validates_metadata_again = True
    validates_changed_metadata = False

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        if not checks.same(new["spec"], old["spec"]):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


class FlowStatusStrategy(BuiltinStrategy):
    """The status alone changes."""

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        managed = new["metadata"].get("managedFields")
        new["metadata"] = dict(old["metadata"])
        if managed is not None:
            new["metadata"]["managedFields"] = managed

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], namespaced=False)
        return problems + validate_conditions(new.get("status") or {})


def validate_conditions(status: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, condition in enumerate(status.get("conditions") or []):
        at, kind = f"{field.index('status.conditions', position)}.type", condition.get("type", "")
        if kind in seen:
            problems.append(field.duplicate(at, field.named(kind)))
        seen.add(kind)
        if not kind:
            problems.append(field.required(at))
    return problems
