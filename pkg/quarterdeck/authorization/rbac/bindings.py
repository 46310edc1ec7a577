"""Which bindings concern a user: an index of subjects, kept as bindings are written.

It is made when it is first asked for: many servers serve administrators alone.
Source: pkg/registry/rbac/validation/rule.go (appliesToUser, describeSubject).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.user import User
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

_USER: Final = "User"
_GROUP: Final = "Group"
_ACCOUNT: Final = "ServiceAccount"


class Binding:
    """`role_kind` and `role_name` tell the role that it gives."""

    __slots__ = ("_subjects", "name", "namespace", "role_kind", "role_name")

    def __init__(self, obj: dict[str, Any]) -> None:
        metadata, role = obj["metadata"], obj["roleRef"]
        self.name: str = metadata["name"]
        self.namespace: str = metadata.get("namespace", "")
        self.role_kind: str = role.get("kind", "")
        self.role_name: str = role.get("name", "")
        self._subjects = [_Subject(subject, self.namespace) for subject in obj.get("subjects") or ()]

    def index_keys(self) -> set[str]:
        """What the index finds it by."""
        return {subject.key for subject in self._subjects if subject.key}

    def describe(self, user: User) -> str:
        """Which binding gives the user which role, and as whom."""
        wanted = set(keys_of(user))
        subject = next(each for each in self._subjects if each.key in wanted)
        kind, name = "ClusterRoleBinding", self.name
        if self.namespace:
            kind, name = "RoleBinding", f"{self.name}/{self.namespace}"
        return f"{kind} {gofmt.quote(name)} of {self.role_kind} {gofmt.quote(self.role_name)} to {subject.shown}"


class _Subject:
    """`key` is empty for one that nobody is."""

    __slots__ = ("key", "shown")

    def __init__(self, given: dict[str, Any], namespace: str) -> None:
        kind, name = given.get("kind", ""), given.get("name", "")
        self.key = ""
        shown = name
        if kind == _USER:
            self.key = _user_key(name)
        elif kind == _GROUP:
            self.key = _group_key(name)
        elif kind == _ACCOUNT:
            where = given.get("namespace") or namespace
            shown = f"{name}/{where}"
            if where:
                self.key = _user_key(f"system:serviceaccount:{where}:{name}")
        self.shown = f"{kind} {gofmt.quote(shown)}"


def keys_of(user: User) -> list[str]:
    return [_user_key(user.name), *map(_group_key, user.groups)]


def _user_key(name: str) -> str:
    return f"u:{name}"


def _group_key(name: str) -> str:
    return f"g:{name}"


class BindingIndex:
    """Of the bindings of one kind."""

    def __init__(self, cache: ResourceCache) -> None:
        self._cache = cache
        self._by_path: dict[str, Binding] | None = None
        # By namespace ("" for those of the cluster) and key of a subject: the bindings by path.
        self._by_subject: dict[tuple[str, str], dict[str, Binding]] = {}

    def find(self, user: User, namespace: str) -> list[Binding]:
        """In the order of their names."""
        if self._by_path is None:
            self._by_path = {}
            for entry in self._cache.state.unordered():
                self._put(self._by_path, entry)
        found: dict[str, Binding] = {}
        for key in keys_of(user):
            found.update(self._by_subject.get((namespace, key), {}))
        return [found[path] for path in sorted(found)]

    def follow(self, change: Change) -> None:
        if self._by_path is None:
            return
        if change.old is not None:
            self._remove(self._by_path, change.old.path)
        if change.entry is not None:
            self._put(self._by_path, change.entry)

    def _put(self, by_path: dict[str, Binding], entry: Entry) -> None:
        binding = Binding(json_codec.load(entry.data))
        by_path[entry.path] = binding
        for key in binding.index_keys():
            self._by_subject.setdefault((binding.namespace, key), {})[entry.path] = binding

    def _remove(self, by_path: dict[str, Binding], path: str) -> None:
        binding = by_path.pop(path, None)
        if binding is None:
            return
        for key in binding.index_keys():
            place = binding.namespace, key
            beside = self._by_subject[place]
            del beside[path]
            if not beside:
                del self._by_subject[place]
