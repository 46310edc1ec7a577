"""Whether some rules allow all that others do, and what is missing.

Rules are taken apart into single rights (a group, a resource, a verb and perhaps a name; or a path and a verb), each of
which has to be covered by one rule. Source: component-helpers/auth/rbac/validation/policy_comparator.go,
pkg/registry/rbac/validation/{rule,policy_compact}.go (CompactRules), pkg/apis/rbac/v1 (CompactString).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.authorization.rbac.rules import ANY, PolicyRule, Rule

# Differs from upstream: no more single rights are compared. A role of 1.5 MB can hold a billion of them.
RIGHTS_MAX: Final = 20_000


class TooManyRights(Exception):
    """The rules grant more single rights than are compared."""


def find_missing(owned: Iterable[Rule], wanted: Iterable[PolicyRule]) -> list[dict[str, Any]]:
    """The single rights of `wanted` that no rule of `owned` covers. Raises TooManyRights."""
    owned = list(owned)
    missing: list[dict[str, Any]] = []
    room = RIGHTS_MAX
    for rule in wanted:
        if any(_covers(each, rule) for each in owned):
            continue  # whole, as it mostly is: nothing has to be taken apart
        room -= _count_rights(rule)
        if room < 0:
            raise TooManyRights
        missing += (right for right in _take_apart(rule) if not any(_covers(each, right) for each in owned))
    return missing


def describe(rights: Iterable[PolicyRule]) -> str:
    """A line for each, in order; those of resources that differ by their verbs alone are one."""
    return "\n".join(sorted({_show(right) for right in _join_verbs(rights)}))


def _count_rights(rule: PolicyRule) -> int:
    verbs = len(rule.get("verbs") or ())
    resources = len(rule.get("apiGroups") or ()) * len(rule.get("resources") or ())
    names = max(1, len(rule.get("resourceNames") or ()))
    return verbs * (resources * names + len(rule.get("nonResourceURLs") or ()))


def _take_apart(rule: PolicyRule) -> Iterator[dict[str, Any]]:
    verbs, names = rule.get("verbs") or (), rule.get("resourceNames") or ()
    for group in rule.get("apiGroups") or ():
        for resource in rule.get("resources") or ():
            for verb in verbs:
                right = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
                if not names:
                    yield right
                for name in names:
                    yield {**right, "resourceNames": [name]}
    for url in rule.get("nonResourceURLs") or ():
        for verb in verbs:
            yield {"nonResourceURLs": [url], "verbs": [verb]}


def _covers(owned: Rule, right: PolicyRule) -> bool:
    """Whether a rule allows all that another one does, by itself."""
    return (
        (ANY in owned.verbs or owned.verbs.issuperset(right.get("verbs") or ()))
        and (ANY in owned.groups or owned.groups.issuperset(right.get("apiGroups") or ()))
        and (ANY in owned.resources or all(_has_resource(owned, each) for each in right.get("resources") or ()))
        and _covers_names(owned, right.get("resourceNames") or ())
        and all(_has_path(owned, path) for path in right.get("nonResourceURLs") or ())
    )


def _has_resource(owned: Rule, resource: str) -> bool:
    if resource in owned.resources:
        return True
    _, slash, subresource = resource.partition("/")
    return bool(slash) and f"*/{subresource}" in owned.resources


def _covers_names(owned: Rule, names: Iterable[str]) -> bool:
    """All names count as more than some."""
    return not owned.names or (bool(names) and owned.names.issuperset(names))


def _has_path(owned: Rule, path: str) -> bool:
    return path in owned.urls or path.startswith(owned.prefixes)


def _join_verbs(rights: Iterable[PolicyRule]) -> list[PolicyRule]:
    joined: list[PolicyRule] = []
    by_resource: dict[tuple[str, ...], dict[str, Any]] = {}
    for right in rights:
        if right.get("nonResourceURLs"):
            joined.append(right)
            continue
        key = (right["apiGroups"][0], right["resources"][0], *right.get("resourceNames", ()))
        known = by_resource.setdefault(key, {**right, "verbs": []})
        known["verbs"] += right["verbs"]
    return [*joined, *by_resource.values()]


def _show(right: PolicyRule) -> str:
    members = ("apiGroups", "resources", "nonResourceURLs", "resourceNames", "verbs")
    shown = []
    for name in members:
        if values := right.get(name):
            title = "APIGroups" if name == "apiGroups" else name[0].upper() + name[1:]
            shown.append(f"{title}:{gofmt.quote_all(values)}")
    return "{" + ", ".join(shown) + "}"
