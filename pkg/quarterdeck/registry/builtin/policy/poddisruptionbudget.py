"""Pod disruption budgets: how many pods have to stay when others are evicted.

Source: pkg/registry/policy/poddisruptionbudget/strategy.go, pkg/apis/policy/validation/validation.go,
pkg/apis/policy/v1/conversion.go.
"""

from __future__ import annotations

import json
from typing import Any, Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, rolling
from quarterdeck.registry.builtin.conditions import validate_conditions
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

_POLICIES: Final = ("AlwaysAllow", "IfHealthyBudget")
_COUNTS: Final = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
# In v1beta1 an empty selector selected nothing: a requirement of this label told apart what was meant.
ALL_OR_NONE: Final = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"


def default_budget(obj: Object) -> None:
    """The label stands in no selector but the one that selects nothing."""
    selector = obj["spec"].get("selector") or {}
    wanted = selector.get("matchExpressions") or []
    left = [each for each in wanted if each.get("key") != ALL_OR_NONE]
    if len(left) == len(wanted) or _selects_nothing(selector, wanted):
        return
    if left:
        selector["matchExpressions"] = left
    else:
        del selector["matchExpressions"]


def _selects_nothing(selector: Object, wanted: list[Object]) -> bool:
    if selector.get("matchLabels") or len(wanted) != 1:
        return False
    return wanted[0].get("operator") == "Exists" and not wanted[0].get("values")


class BudgetStrategy(BuiltinStrategy):
    allow_unconditional_update = False
    validates_changed_metadata = False

    def __init__(self) -> None:
        super().__init__(namespaced=True, name_check=names.path_segment_name)

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        """Upstream's strategy says nothing of metadata, which is held to what holds for objects of every kind then."""
        return self.check(obj) or objectmeta.validate_object_meta(
            obj["metadata"], True, "metadata", names.path_segment_name
        )

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = dict.fromkeys(_COUNTS, 0)

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        if new["spec"] != old.get("spec"):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(obj["spec"])


class BudgetStatusStrategy(BudgetStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status = new["status"]
        problems = validate_conditions(status.get("conditions") or [], "status.conditions")
        for name in _COUNTS:
            problems += checks.not_negative(f"status.{name}", status.get(name, 0))
        return problems


def _validate_spec(spec: Object) -> list[FieldError]:
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    problems: list[FieldError] = []
    if least is not None and most is not None:
        detail = "minAvailable and maxUnavailable cannot be both set"
        problems.append(field.invalid("spec", _shown(spec), detail))
    for name in ("minAvailable", "maxUnavailable"):
        if (value := spec.get(name)) is not None:
            problems += rolling.count_or_percent(f"spec.{name}", value)
            problems += rolling.not_more_than_all(f"spec.{name}", value)
    problems += checks.label_selector("spec.selector", spec.get("selector"))
    if (policy := spec.get("unhealthyPodEvictionPolicy")) is not None:
        problems += checks.one_of("spec.unhealthyPodEvictionPolicy", policy, _POLICIES)
    return problems


def _shown(spec: Object) -> GoText:
    """As Go prints the type that upstream works with inside."""
    selector, least, most = (spec.get(name) for name in ("selector", "minAvailable", "maxUnavailable"))
    shown_selector = "null" if selector is None else str(checks.show_selector(selector))
    return GoText(
        f'{{"MinAvailable":{_json(least)},"Selector":{shown_selector},'
        f'"MaxUnavailable":{_json(most)},'
        f'"UnhealthyPodEvictionPolicy":{_json(spec.get("unhealthyPodEvictionPolicy"))}}}'
    )


def _json(value: Any) -> str:
    return checks.escape(json.dumps(value, ensure_ascii=False))
