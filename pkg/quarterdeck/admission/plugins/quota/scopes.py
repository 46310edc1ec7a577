"""The scopes of a quota: which objects it is about.

Source: apiserver/pkg/quota/v1/generic/evaluator.go (Matches), pkg/apis/core/v1/helper
(ScopedResourceSelectorRequirementsAsSelector).
"""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]


def of_quota(quota: Object) -> list[Object]:
    """All as selectors."""
    spec = quota["spec"]
    named = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or []]
    return named + ((spec.get("scopeSelector") or {}).get("matchExpressions") or [])


def selects(selector: Object, names: set[str]) -> bool:
    """Whether a selector takes one of the names that an object has, or an object that has none."""
    operator, values = selector.get("operator", ""), selector.get("values") or []
    if operator == "Exists":
        return bool(names)
    if operator == "DoesNotExist":
        return not names
    if operator == "In":
        return any(name in values for name in names)
    return not names or any(name not in values for name in names)
