"""The authorizer: everybody may do what roles that are bound to them allow.

Source: plugin/pkg/auth/authorizer/rbac/rbac.go.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import ALLOWED, NO_OPINION, Attributes, Decision, Rules
from quarterdeck.authorization.rbac.resolver import Resolver
from quarterdeck.authorization.rbac.rules import PolicyRule


class RBACAuthorizer:
    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def quick(self, user: User, attributes: Attributes) -> Decision:
        found = self._resolver.grants_of(user, attributes.namespace).find(attributes)
        return NO_OPINION if found is None else ALLOWED

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        grants = self._resolver.grants_of(user, attributes.namespace)
        binding = grants.find(attributes)
        if binding is not None:
            return Decision(True, f"RBAC: allowed by {binding.describe(user)}")
        errors = grants.errors()
        return Decision(False, f"RBAC: {errors}" if errors else "")

    def rules_of(self, user: User, namespace: str) -> Rules:
        grants = self._resolver.grants_of(user, namespace)
        rules = [rule.given for rule in grants.rules()]
        return Rules(
            [_show(rule, "apiGroups", "resources", "resourceNames") for rule in rules if rule.get("resources")],
            [_show(rule, "nonResourceURLs") for rule in rules if rule.get("nonResourceURLs")],
            grants.errors(),
        )


def _show(rule: PolicyRule, *members: str) -> dict[str, Any]:
    return {"verbs": rule.get("verbs") or [], **{name: rule[name] for name in members if rule.get(name)}}
