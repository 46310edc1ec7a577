"""An audit policy, compiled: which level a request is audited at, and which of its stages are left out.

The first rule that matches wins; without one nothing is audited. What does not hang on users, namespaces and names is
looked up once for each verb on each resource and remembered, so that most requests ask one dict, and then only the
rules that may still match.

Source: apiserver/pkg/audit/policy/checker.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from quarterdeck.apimachinery.user import User
from quarterdeck.audit import levels

_REMEMBERED_MAX: Final = 4096


class RequestAttributes(Protocol):
    """What a rule looks at beside the user. `path` counts where it is no resource's."""

    @property
    def verb(self) -> str: ...

    @property
    def group(self) -> str: ...

    @property
    def resource(self) -> str: ...

    @property
    def subresource(self) -> str: ...

    @property
    def namespace(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def is_resource(self) -> bool: ...


class Decision(NamedTuple):
    """`level` as in levels.py; `omitted`: stages without an event."""

    level: int
    omitted: frozenset[str] = frozenset()
    omits_managed_fields: bool = False


@dataclass(frozen=True, slots=True)
class GroupResources:
    """`group` "*" stands for all; no `resources`: all of the group."""

    group: str
    resources: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()

    def covers(self, group: str, resource: str, subresource: str) -> bool:
        if self.group not in (group, "*"):
            return False
        if not self.resources:
            return True
        combined = f"{resource}/{subresource}" if subresource else resource
        for pattern in self.resources:
            if pattern in (combined, "*"):
                return True
            if subresource and pattern.startswith("*/") and pattern[2:] == subresource:
                return True
            if pattern.endswith("/*") and pattern[:-2] == resource:
                return True
        return False


@dataclass(frozen=True, slots=True)
class Rule:
    """Empty members match everything."""

    decision: Decision
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    resources: tuple[GroupResources, ...] = ()
    namespaces: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()

    def may_match(self, asked: RequestAttributes) -> tuple[frozenset[str], ...] | None:
        """Looks at the verb, the resource or the path. None: it cannot match; else the sets of names of which one has
        to hold the object's; none of them: any name will do."""
        if self.verbs and asked.verb not in self.verbs:
            return None
        if self.namespaces or self.resources:
            if not asked.is_resource:
                return None
            if not self.resources:
                return ()
            covering = [
                each.names for each in self.resources if each.covers(asked.group, asked.resource, asked.subresource)
            ]
            if not covering:
                return None
            return () if frozenset() in covering else tuple(covering)
        if self.paths and (asked.is_resource or not any(_fits(asked.path, path) for path in self.paths)):
            return None
        return ()

    @property
    def is_open(self) -> bool:
        """Whether users and namespaces do not matter."""
        return not (self.users or self.groups or self.namespaces)

    def matches_rest(self, user: User, asked: RequestAttributes, names: tuple[frozenset[str], ...]) -> bool:
        if self.users and user.name not in self.users:
            return False
        if self.groups and self.groups.isdisjoint(user.groups):
            return False
        if self.namespaces and asked.namespace not in self.namespaces:
            return False
        return not names or any(asked.name in allowed for allowed in names)


_Candidates = tuple[tuple[Rule, tuple[frozenset[str], ...]], ...]


class Policy:
    """`default`: of a request that no rule matches; it is not audited."""

    def __init__(self, rules: Iterable[Rule], default: Decision | None = None) -> None:
        self._rules = tuple(rules)
        self._default = default or Decision(levels.NONE)
        self._known: dict[tuple[str, str, str, str], _Candidates] = {}

    def evaluate(self, user: User, asked: RequestAttributes) -> Decision:
        for rule, names in self._candidates(asked):
            if rule.matches_rest(user, asked, names):
                return rule.decision
        return self._default

    def _candidates(self, asked: RequestAttributes) -> _Candidates:
        if asked.is_resource:
            key = (asked.verb, asked.group, asked.resource, asked.subresource)
        else:
            key = (asked.verb, "", "", asked.path)
        known = self._known.get(key)
        if known is None:
            known = self._find_candidates(asked)
            if len(self._known) >= _REMEMBERED_MAX:  # clients make up resources and paths
                self._known.clear()
            self._known[key] = known
        return known

    def _find_candidates(self, asked: RequestAttributes) -> _Candidates:
        found: list[tuple[Rule, tuple[frozenset[str], ...]]] = []
        for rule in self._rules:
            names = rule.may_match(asked)
            if names is None:
                continue
            found.append((rule, names))
            if rule.is_open and not names:
                break  # it matches whoever asks: none behind it counts
        return tuple(found)


def _fits(path: str, pattern: str) -> bool:
    if pattern in ("*", path):
        return True
    return pattern.endswith("*") and path.startswith(pattern.rstrip("*"))
