"""Columns of bindings of roles; roles themselves have the plain ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from quarterdeck.endpoints.table.cells import AGE, NAME, Cell, Column, dig
from quarterdeck.endpoints.table.columns import Object


def _role(obj: Object, now_s: float) -> object:
    role = dig(obj, ("roleRef",)) or {}
    return f"{role.get('kind', '')}/{role.get('name', '')}"


def _subjects(kind: str, show: Callable[[Object], str]) -> Cell:
    def cell(obj: Object, now_s: float) -> object:
        return ", ".join(show(each) for each in obj.get("subjects") or () if each.get("kind") == kind)

    return cell


def _name(subject: Object) -> str:
    return str(subject.get("name", ""))


def _account(subject: Object) -> str:
    return f"{subject.get('namespace', '')}/{subject.get('name', '')}"


def _columns(kind: str, description: str) -> Sequence[Column]:
    unresolved = "If the RoleRef cannot be resolved, the Authorizer must return an error."
    return (
        NAME,
        Column("Role", _role, f"{description} {unresolved}"),
        AGE,
        Column("Users", _subjects("User", _name), f"Users in the {kind}", priority=1),
        Column("Groups", _subjects("Group", _name), f"Groups in the {kind}", priority=1),
        Column("ServiceAccounts", _subjects("ServiceAccount", _account), f"ServiceAccounts in the {kind}", priority=1),
    )


PRINTERS: Final = {
    ("rbac.authorization.k8s.io", "RoleBinding"): _columns(
        "roleBinding",
        "RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace.",
    ),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): _columns(
        "clusterRoleBinding", "RoleRef can only reference a ClusterRole in the global namespace."
    ),
}
