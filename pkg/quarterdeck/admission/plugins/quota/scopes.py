"""The scopes of a quota: which objects it is about.

Source: apiserver/pkg/quota/v1/generic/evaluator.go (Matches), pkg/apis/core/v1/helper
(ScopedResourceSelectorRequirementsAsSelector).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.requirements import (
    DOES_NOT_EXIST,
    IN,
    NOT_IN,
    Requirement,
    SelectorError,
    build_requirement,
)

Object = dict[str, Any]

_OPERATORS: Final = {"In": IN, "NotIn": NOT_IN, "DoesNotExist": DOES_NOT_EXIST}


def of_quota(quota: Object) -> list[Object]:
    """All as selectors."""
    spec = quota["spec"]
    named = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or []]
    return named + ((spec.get("scopeSelector") or {}).get("matchExpressions") or [])


def selects(selector: Object, names: set[str]) -> bool:
    """Whether a selector takes one of the names that an object has, or an object that has none. Raises Unreasoned where
    it has values that no label has: quotas are not refused for them, and may have been made with them."""
    if selector["operator"] == "Exists":
        return bool(names)
    try:
        requirement = requirement_of(selector)
    except SelectorError as wrong:
        text = f"error on matching scope {show(selector)}: failed to parse and convert selector: {wrong.message}"
        raise errors.Unreasoned(text) from None
    found = [{requirement.key: name} for name in names] or [{}]
    return any(map(requirement.matches, found))


def requirement_of(selector: Object) -> Requirement:
    """What a selector with another operator than Exists asks of the name that an object has. Raises SelectorError."""
    return build_requirement(selector["scopeName"], _OPERATORS[selector["operator"]], selector.get("values") or ())


def show(selector: Object) -> str:
    """As Go prints the struct."""
    return f"{{{selector['scopeName']} {selector['operator']} [{' '.join(selector.get('values') or ())}]}}"
