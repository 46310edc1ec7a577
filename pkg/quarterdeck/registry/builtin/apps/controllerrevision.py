"""Controller revisions: what a controller remembers of an earlier state.

Source: pkg/registry/apps/controllerrevision/strategy.go, pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

import json
from typing import Any

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


class ControllerRevisionStrategy(BuiltinStrategy):
    validates_metadata_again = True

    def __init__(self, spelling: Spelling) -> None:
        super().__init__(namespaced=True)
        self._spelling = spelling

    def default_new(self, obj: Object) -> None:
        self._spelling.remember_new(obj)

    def keep(self, new: Object, old: Object) -> None:
        self._spelling.remember(new, old, "data")

    def check(self, obj: Object) -> list[FieldError]:
        data = obj.get("data")
        problems: list[FieldError] = []
        if data is None:
            problems.append(field.required("data", "data is mandatory"))
        elif not isinstance(data, dict):
            problems.append(field.required("data", "data must be a valid JSON object"))
        return problems + checks.not_negative("revision", obj.get("revision", 0))

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new)
        if new.get("data") != old.get("data") or self._spelling.is_changed("data", old):
            shown = GoText(_in_order_of_keys(new.get("data")))
            problems.append(field.invalid("data", shown, "field is immutable"))
        return problems


def _in_order_of_keys(data: Any) -> str:
    return checks.escape(json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True))
