"""What the stored roles and bindings give to whom. It always is as new as the watch cache: whatever a write that was
answered changed, counts for the next request.

A user's grants are remembered until a role or a binding changes. Source: pkg/registry/rbac/validation/rule.go.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.rbac.bindings import Binding, BindingIndex
from quarterdeck.authorization.rbac.grants import Grant, Grants
from quarterdeck.authorization.rbac.rules import Role
from quarterdeck.storage.cacher import Change, ResourceCache

_USERS_REMEMBERED_MAX: Final = 512
_GROUPS_REMEMBERED_MAX: Final = 64


class Caches(NamedTuple):
    roles: ResourceCache
    cluster_roles: ResourceCache
    role_bindings: ResourceCache
    cluster_role_bindings: ResourceCache


class Resolver:
    def __init__(self, caches: Caches) -> None:
        self._caches = caches
        self._bindings = BindingIndex(caches.role_bindings)
        self._cluster_bindings = BindingIndex(caches.cluster_role_bindings)
        self._roles: dict[tuple[str, str], Role] = {}
        self._grants: dict[tuple[str, tuple[str, ...], str], Grants] = {}
        caches.role_bindings.listeners += [self._bindings.follow, self._forget_users]
        caches.cluster_role_bindings.listeners += [self._cluster_bindings.follow, self._forget_users]
        for roles in (caches.roles, caches.cluster_roles):
            roles.listeners.append(self._forget_role)

    def grants_of(self, user: User, namespace: str) -> Grants:
        """Those of the cluster, and of `namespace` unless it is empty."""
        key = (user.name, user.groups, namespace)
        known = self._grants.get(key)
        if known is not None:
            return known
        made = self._build_grants(user, namespace)
        if len(user.groups) <= _GROUPS_REMEMBERED_MAX:
            if len(self._grants) >= _USERS_REMEMBERED_MAX:
                del self._grants[next(iter(self._grants))]
            self._grants[key] = made
        return made

    def find_role(self, kind: str, name: str, namespace: str) -> Role | None:
        """A Role of the namespace, or a ClusterRole."""
        cache = self._caches.roles if kind == "Role" else self._caches.cluster_roles
        where = namespace if kind == "Role" else ""
        role = self._roles.get((where, name))
        if role is None:
            entry = cache.get(where, name)
            if entry is None:
                return None
            role = self._roles[where, name] = Role(json_codec.load(entry.data).get("rules") or ())
        return role

    def _build_grants(self, user: User, namespace: str) -> Grants:
        bindings = self._cluster_bindings.find(user, "")
        if namespace:
            bindings += self._bindings.find(user, namespace)
        given: list[Grant] = []
        missing: list[Binding] = []
        for binding in bindings:
            role = self.find_role(binding.role_kind, binding.role_name, namespace)
            if role is None:
                missing.append(binding)
            else:
                given.append(Grant(binding, role))
        return Grants(given, missing)

    def _forget_users(self, _change: Change) -> None:
        self._grants.clear()

    def _forget_role(self, change: Change) -> None:
        changed = change.entry or change.old
        if changed is not None:
            self._roles.pop((changed.namespace, changed.name), None)
        self._grants.clear()
