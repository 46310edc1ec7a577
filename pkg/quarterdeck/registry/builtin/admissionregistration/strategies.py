"""How objects of admissionregistration.k8s.io are made and changed.

Source: pkg/registry/admissionregistration/*/strategy.go.
"""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.admissionregistration.status import validate_status
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

# What is wrong with an object; the second is the old one of an update.
Check = Callable[[Object, Object | None], list[FieldError]]

_METADATA_KEPT = ("labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp", "generation")


class ConfigurationStrategy(BuiltinStrategy):
    """A change of `counted` (the spec, the webhooks) makes a new generation."""

    allow_unconditional_update = False
    has_generation = True

    def __init__(self, validate: Check, counted: str = "spec", *, has_status: bool = False) -> None:
        super().__init__(namespaced=False)
        self._check = validate
        self._counted = counted
        self._has_status = has_status

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        if self._has_status:
            obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        if self._has_status:
            new["status"] = old.get("status", {})
        if new.get(self._counted) != old.get(self._counted):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        return objectmeta.validate_object_meta(obj["metadata"], namespaced=False) + self._check(obj, None)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], False)
        problems += objectmeta.validate_object_meta(new["metadata"], namespaced=False)
        return problems + self._check(new, old)


class PolicyStatusStrategy(BuiltinStrategy):
    """The status alone changes."""

    allow_unconditional_update = False
    has_generation = True

    def __init__(self) -> None:
        super().__init__(namespaced=False)

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        metadata, before = new["metadata"], old["metadata"]
        for name in _METADATA_KEPT:
            if name in before:
                metadata[name] = before[name]
            else:
                metadata.pop(name, None)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], False)
        return problems + validate_status(new.get("status") or {})
