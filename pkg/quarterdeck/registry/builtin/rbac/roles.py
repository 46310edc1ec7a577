"""Roles and cluster roles. Source: pkg/registry/rbac/{role,clusterrole}/strategy.go, pkg/apis/rbac/validation."""

from __future__ import annotations

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


def check_name(name: str, _is_prefix: bool = False) -> list[str]:
    """Whatever can stand in a path."""
    return names.path_segment_name(name)


class RoleStrategy(BuiltinStrategy):
    allow_create_on_update = True
    validates_metadata_again = True
    validates_changed_metadata = False
    validates_changed_metadata_last = True

    def __init__(self, *, namespaced: bool) -> None:
        super().__init__(namespaced=namespaced, name_check=check_name)

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        """No rules are stored as none at all, though whoever sends an empty list owns it, and admission sees it."""
        obj["rules"] = obj.get("rules") or None
        return False

    def check(self, obj: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        for position, rule in enumerate(obj.get("rules") or []):
            problems += _validate_rule(field.index("rules", position), rule, is_namespaced=self._namespaced)
        return problems


class ClusterRoleStrategy(RoleStrategy):
    def __init__(self) -> None:
        super().__init__(namespaced=False)

    def check(self, obj: Object) -> list[FieldError]:
        problems = super().check(obj)
        aggregation = obj.get("aggregationRule")
        if aggregation is None:
            return problems
        path = "aggregationRule.clusterRoleSelectors"
        selectors = aggregation.get("clusterRoleSelectors") or []
        if not selectors:
            detail = "at least one clusterRoleSelector required if aggregationRule is non-nil"
            problems.append(field.required(path, detail))
        for position, selector in enumerate(selectors):
            place = field.index(path, position)
            if wrong := checks.label_selector(place, selector):
                problems += [*wrong, field.invalid(place, None, "invalid label selector.")]
        return problems


def _validate_rule(path: str, rule: Object, *, is_namespaced: bool) -> list[FieldError]:
    problems: list[FieldError] = []
    if not rule.get("verbs"):
        problems.append(field.required(f"{path}.verbs", "verbs must contain at least one value"))
    if urls := rule.get("nonResourceURLs"):
        place = f"{path}.nonResourceURLs"
        if is_namespaced:
            problems.append(field.invalid(place, urls, "namespaced rules cannot apply to non-resource URLs"))
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            problems.append(field.invalid(place, urls, detail))
        return problems
    if not rule.get("apiGroups"):
        problems.append(field.required(f"{path}.apiGroups", "resource rules must supply at least one api group"))
    if not rule.get("resources"):
        problems.append(field.required(f"{path}.resources", "resource rules must supply at least one resource"))
    return problems
