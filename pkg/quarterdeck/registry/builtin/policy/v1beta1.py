"""Pod disruption budgets as servers before 1.25 stored them: in policy/v1beta1, which nobody serves any more. Its
members are those of v1, but an empty selector selects nothing there.

Source: pkg/apis/policy/v1beta1/conversion.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.builtin.policy.poddisruptionbudget import ALL_OR_NONE
from quarterdeck.registry.strategy import Object

V1: Final = "policy/v1"
V1BETA1: Final = "policy/v1beta1"

_ALL: Final = {"matchExpressions": [{"key": ALL_OR_NONE, "operator": "DoesNotExist"}]}


def from_v1beta1(budget: Object) -> Object:
    """Decoded JSON, which is not changed. That the label stands in no other selector is a default of v1."""
    made = {**budget, "apiVersion": V1}
    spec = budget.get("spec") or {}
    selector = spec.get("selector")
    if selector is None:
        return made
    said = {name: value for name, value in selector.items() if value}
    if not said:
        # Made anew for each: whoever reads it may change it.
        made["spec"] = {**spec, "selector": {"matchExpressions": [{"key": ALL_OR_NONE, "operator": "Exists"}]}}
    elif said == _ALL:
        made["spec"] = {**spec, "selector": {}}
    return made
