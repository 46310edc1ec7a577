"""Controller revisions: what a controller remembers of an earlier state.

Source: pkg/registry/apps/controllerrevision/strategy.go, pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.spelledstrategy import SpelledStrategy
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.registry.strategy import Object


class ControllerRevisionStrategy(SpelledStrategy):
    validates_metadata_again = True

    def __init__(self, spelling: Spelling) -> None:
        super().__init__(spelling, namespaced=True)

    def default_new(self, obj: Object) -> None:
        self._spelling.remember_new(obj)

    def keep(self, new: Object, old: Object) -> None:
        self._spelling.remember(new, old, "data")

    def check(self, obj: Object) -> list[FieldError]:
        data = obj.get("data")
        problems = _validate_revision(obj)
        if data is None:
            problems.append(field.required("data", "data is mandatory"))
        elif not isinstance(data, dict):
            problems.append(field.required("data", "data must be a valid JSON object"))
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = _validate_revision(new)
        if new.get("data") != old.get("data") or self._spelling.is_changed("data", old):
            problems.append(field.invalid("data", GoText(self._spelling.shown("data")), checks.IMMUTABLE))
        return problems


def _validate_revision(obj: Object) -> list[FieldError]:
    return checks.not_negative("revision", obj.get("revision", 0))
