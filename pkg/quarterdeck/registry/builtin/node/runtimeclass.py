"""Runtime classes. Source: pkg/registry/node/runtimeclass/strategy.go, pkg/apis/node/validation/validation.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.core.podvalidation import gonames, scheduling, warnings
from quarterdeck.registry.builtin.core.podvalidation.resources import validate_overhead
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

# What two tolerations of one class may not have in common; how long they last is not among it.
_TOLERATION_KEYS: Final = ("key", "operator", "value", "effect")


class RuntimeClassStrategy(BuiltinStrategy):
    allow_unconditional_update = False
    allow_create_on_update = True
    validates_metadata_again = True
    validates_changed_metadata = False  # but after the rest of it
    checks_finalizer_domains = False

    def check(self, obj: Object) -> list[FieldError]:
        handler = obj.get("handler", "")
        problems = checks.name("handler", handler, names.dns1123_label) if handler else [field.required("handler", "")]
        if (overhead := obj.get("overhead")) is not None:
            problems += validate_overhead("overhead", overhead.get("podFixed") or {})
        if (found := obj.get("scheduling")) is not None:
            problems += checks.labels("scheduling.nodeSelector", found.get("nodeSelector") or {})
            problems += _validate_tolerations("scheduling.tolerations", found.get("tolerations") or [])
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new) + self._validate_changed_metadata(new, old)
        handler = new.get("handler", "")
        if handler != old.get("handler", ""):
            problems.append(field.invalid("handler", handler, "field is immutable"))
        return problems

    def warn(self, obj: Object) -> list[str]:
        found = (obj.get("scheduling") or {}).get("nodeSelector") or {}
        texts = [warnings.NODE_LABELS[key] for key in sorted(found) if key in warnings.NODE_LABELS]
        return [f"scheduling.nodeSelector: {text}" for text in texts]


def _validate_tolerations(path: str, tolerations: list[Object]) -> list[FieldError]:
    problems = scheduling.validate_tolerations(path, tolerations)
    seen: set[tuple[str, ...]] = set()
    for position, each in enumerate(tolerations):
        key = tuple(each.get(name, "") for name in _TOLERATION_KEYS)
        if key in seen:
            problems.append(field.duplicate(field.index(path, position), gonames.show("Toleration", each)))
        seen.add(key)
    return problems
