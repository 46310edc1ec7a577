"""The mode ABAC: a request is allowed if a policy fits it. Source: pkg/auth/authorizer/abac/abac.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.abac.policies import Policy
from quarterdeck.authorization.authorizer import ALLOWED, Attributes, Decision, Rules

_ANY: Final = "*"
_READING: Final = ("get", "list", "watch")
_NONE: Final = Decision(False, "No policy matched.")


class ABACAuthorizer:
    def __init__(self, policies: Sequence[Policy]) -> None:
        self._policies = tuple(policies)

    def quick(self, user: User, attributes: Attributes) -> Decision:
        return self.authorize(user, attributes)

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        is_reading = attributes.verb in _READING
        covers = _covers_resource if attributes.is_resource else _covers_path
        for policy in self._policies:
            if (is_reading or not policy.is_readonly) and covers(policy, attributes) and _is_for(policy, user):
                return ALLOWED
        return _NONE

    def rules_of(self, user: User, namespace: str) -> Rules:
        resource: list[dict[str, list[str]]] = []
        other: list[dict[str, list[str]]] = []
        for policy in self._policies:
            if policy.namespace not in (_ANY, namespace) or not _is_for(policy, user):
                continue
            verbs = list(_READING) if policy.is_readonly else [_ANY]
            if policy.resource:
                resource.append({"verbs": verbs, "apiGroups": [policy.api_group], "resources": [policy.resource]})
            if policy.path:
                other.append({"verbs": verbs, "nonResourceURLs": [policy.path]})
        return Rules(resource, other)


def _is_for(policy: Policy, user: User) -> bool:
    """A policy that names both a user and a group is for those alone who are both."""
    if policy.user not in ("", _ANY, user.name):
        return False
    if policy.group not in ("", _ANY) and policy.group not in user.groups:
        return False
    return bool(policy.user or policy.group)


def _covers_resource(policy: Policy, attributes: Attributes) -> bool:
    return (
        policy.namespace in (_ANY, attributes.namespace)
        and policy.resource in (_ANY, attributes.resource)
        and policy.api_group in (_ANY, attributes.group)
    )


def _covers_path(policy: Policy, attributes: Attributes) -> bool:
    if policy.path in (_ANY, attributes.path):
        return True
    return policy.path.endswith(_ANY) and attributes.path.startswith(policy.path.rstrip(_ANY))
