"""The resources of rbac.authorization.k8s.io."""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later

GROUP: Final = "rbac.authorization.k8s.io"


def definitions() -> list[Definition]:
    return [
        later(describe(GROUP, "roles", "Role"), _load_role),
        later(describe(GROUP, "clusterroles", "ClusterRole", namespaced=False), _load_cluster_role),
        later(describe(GROUP, "rolebindings", "RoleBinding"), _load_role_binding),
        later(
            describe(GROUP, "clusterrolebindings", "ClusterRoleBinding", namespaced=False), _load_cluster_role_binding
        ),
    ]


def _load_role() -> Behaviour:
    from quarterdeck.registry.builtin.rbac.roles import RoleStrategy

    return Behaviour(RoleStrategy(namespaced=True))


def _load_cluster_role() -> Behaviour:
    from quarterdeck.registry.builtin.rbac.roles import ClusterRoleStrategy

    return Behaviour(ClusterRoleStrategy())


def _load_role_binding() -> Behaviour:
    from quarterdeck.registry.builtin.rbac.bindings import RoleBindingStrategy, default_binding

    return Behaviour(RoleBindingStrategy(namespaced=True), default=default_binding)


def _load_cluster_role_binding() -> Behaviour:
    from quarterdeck.registry.builtin.rbac.bindings import ClusterRoleBindingStrategy, default_binding

    return Behaviour(ClusterRoleBindingStrategy(), default=default_binding)
