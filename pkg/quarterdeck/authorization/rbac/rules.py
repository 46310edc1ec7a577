"""The rules of one role, in a form that tells quickly whether they allow something.

Source: pkg/apis/rbac/v1/evaluation_helpers.go, plugin/pkg/auth/authorizer/rbac/rbac.go (RuleAllows).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

ANY: Final = "*"

# A rule as it is stored: verbs, apiGroups, resources, resourceNames, nonResourceURLs.
PolicyRule = Mapping[str, Any]


class Rule:
    """`given` is the rule as it is stored."""

    __slots__ = ("given", "groups", "names", "prefixes", "resources", "urls", "verbs")

    def __init__(self, given: PolicyRule) -> None:
        self.given = given
        self.verbs = frozenset[str](given.get("verbs") or ())
        self.groups = frozenset[str](given.get("apiGroups") or ())
        self.resources = frozenset[str](given.get("resources") or ())
        self.names = frozenset[str](given.get("resourceNames") or ())
        self.urls = frozenset[str](given.get("nonResourceURLs") or ())
        self.prefixes = tuple(url.rstrip(ANY) for url in self.urls if url.endswith(ANY))

    def covers_resource(self, group: str, resource: str, subresource: str) -> bool:
        """Whatever the object's name. `resource` without its subresource."""
        if ANY not in self.groups and group not in self.groups:
            return False
        if ANY in self.resources:
            return True
        if not subresource:
            return resource in self.resources
        return f"{resource}/{subresource}" in self.resources or f"*/{subresource}" in self.resources

    def covers_name(self, name: str) -> bool:
        return not self.names or name in self.names

    def covers_path(self, path: str) -> bool:
        return path in self.urls or path.startswith(self.prefixes)


class Role:
    """The rules of one role; `by_verb` may name a rule twice, under its verb and under any."""

    __slots__ = ("by_verb", "rules")

    def __init__(self, rules: Iterable[PolicyRule]) -> None:
        self.rules = [Rule(rule) for rule in rules]
        self.by_verb: dict[str, list[Rule]] = {}
        for rule in self.rules:
            for verb in rule.verbs:
                self.by_verb.setdefault(verb, []).append(rule)

    def rules_for(self, verb: str) -> Iterable[Rule]:
        yield from self.by_verb.get(verb, ())
        if verb != ANY:
            yield from self.by_verb.get(ANY, ())
