"""Rules of flow schemas, compiled: whom they are about, and which requests.

Source: apiserver/pkg/util/flowcontrol/rule.go.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery.user import User

_ANY: Final = "*"
_ACCOUNT_PREFIX: Final = "system:serviceaccount:"


class RequestDigest(NamedTuple):
    """What a request is about, as rules see it. Without a resource, `path` counts."""

    verb: str
    group: str
    resource: str  # with its subresource: pods/status
    namespace: str
    path: str = ""


class _Set:
    """Names, or all."""

    __slots__ = ("has_all", "names")

    def __init__(self, names: list[str]) -> None:
        self.has_all = names == [_ANY]
        self.names = frozenset(names)

    def __contains__(self, name: object) -> bool:
        return self.has_all or name in self.names


class _ResourceRule:
    def __init__(self, rule: dict[str, Any]) -> None:
        self._verbs = _Set(rule.get("verbs") or [])
        self._groups = _Set(rule.get("apiGroups") or [])
        self._resources = _Set(rule.get("resources") or [])
        self._namespaces = _Set(rule.get("namespaces") or [])
        self._has_cluster_scope = bool(rule.get("clusterScope"))

    def matches(self, digest: RequestDigest) -> bool:
        if digest.verb not in self._verbs or digest.resource not in self._resources or digest.group not in self._groups:
            return False
        return digest.namespace in self._namespaces if digest.namespace else self._has_cluster_scope


class _PathRule:
    def __init__(self, rule: dict[str, Any]) -> None:
        self._verbs = _Set(rule.get("verbs") or [])
        urls: list[str] = rule.get("nonResourceURLs") or []
        self._has_all = _ANY in urls
        self._paths = frozenset(urls)
        # A path stands for all below it, with or without a star.
        self._prefixes = tuple(each.removesuffix(_ANY).removesuffix("/") + "/" for each in urls)

    def matches(self, digest: RequestDigest) -> bool:
        if digest.verb not in self._verbs:
            return False
        return self._has_all or digest.path in self._paths or digest.path.startswith(self._prefixes)


class Rule:
    """One of a schema's: its subjects, and what of theirs it is about."""

    def __init__(self, rule: dict[str, Any]) -> None:
        self._users: set[str] = set()
        self._groups: set[str] = set()
        self._account_namespaces: set[str] = set()
        for subject in rule.get("subjects") or []:
            self._add(subject)
        self._has_all = _ANY in self._users or _ANY in self._groups
        self._resources = [_ResourceRule(each) for each in rule.get("resourceRules") or []]
        self._paths = [_PathRule(each) for each in rule.get("nonResourceRules") or []]

    def _add(self, subject: dict[str, Any]) -> None:
        kind = subject.get("kind")
        if kind == "User":
            self._users.add((subject.get("user") or {}).get("name", ""))
        elif kind == "Group":
            self._groups.add((subject.get("group") or {}).get("name", ""))
        elif kind == "ServiceAccount":
            account = subject.get("serviceAccount") or {}
            namespace, name = account.get("namespace", ""), account.get("name", "")
            if name == _ANY:
                self._account_namespaces.add(f"{_ACCOUNT_PREFIX}{namespace}:")
            else:
                self._users.add(f"{_ACCOUNT_PREFIX}{namespace}:{name}")

    def is_about(self, user: User) -> bool:
        if self._has_all or user.name in self._users or not self._groups.isdisjoint(user.groups):
            return True
        return bool(self._account_namespaces) and user.name.startswith(tuple(self._account_namespaces))

    def matches(self, digest: RequestDigest) -> bool:
        if digest.path:
            return any(rule.matches(digest) for rule in self._paths)
        return any(rule.matches(digest) for rule in self._resources)
