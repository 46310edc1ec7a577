"""Bindings of roles. Source: pkg/registry/rbac/{rolebinding,clusterrolebinding}/strategy.go, pkg/apis/rbac/validation,
pkg/apis/rbac/v1/defaults.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.rbac.roles import check_name
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_GROUP: Final = "rbac.authorization.k8s.io"
_SUBJECT_KINDS: Final = ("ServiceAccount", "User", "Group")


def default_binding(obj: Object) -> None:
    role = obj["roleRef"]
    if not role.get("apiGroup"):
        obj["roleRef"] = {"apiGroup": _GROUP, **{name: value for name, value in role.items() if name != "apiGroup"}}
    if obj.get("subjects"):
        obj["subjects"] = [_default_subject(subject) for subject in obj["subjects"]]


def _default_subject(subject: Object) -> Object:
    if subject.get("apiGroup") or subject.get("kind") not in ("User", "Group"):
        return subject
    return {"kind": subject["kind"], "apiGroup": _GROUP, **subject}


class RoleBindingStrategy(BuiltinStrategy):
    allow_create_on_update = True
    validates_metadata_again = True
    validates_changed_metadata = False  # but after its subjects
    _role_kinds: tuple[str, ...] = ("Role", "ClusterRole")

    def __init__(self, *, namespaced: bool) -> None:
        super().__init__(namespaced=namespaced, name_check=check_name)

    def check(self, obj: Object) -> list[FieldError]:
        role = obj["roleRef"]
        problems = _one_of("roleRef.apiGroup", role.get("apiGroup", ""), (_GROUP,))
        problems += _one_of("roleRef.kind", role.get("kind", ""), self._role_kinds)
        problems += checks.required_name("roleRef.name", role.get("name", ""), names.path_segment_name)
        for position, subject in enumerate(obj.get("subjects") or []):
            place = field.index("subjects", position)
            problems += _validate_subject(place, subject, is_namespaced=self._namespaced)
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new) + self._validate_changed_metadata(new, old)
        role, was = _show_role(new["roleRef"]), _show_role(old["roleRef"])
        if role != was:
            problems.append(field.invalid("roleRef", role, "cannot change roleRef"))
        return problems


class ClusterRoleBindingStrategy(RoleBindingStrategy):
    _role_kinds = ("ClusterRole",)

    def __init__(self) -> None:
        super().__init__(namespaced=False)


def _show_role(role: Object) -> dict[str, str]:
    """As Go prints its own type."""
    return {"APIGroup": role.get("apiGroup", ""), "Kind": role.get("kind", ""), "Name": role.get("name", "")}


def _validate_subject(path: str, subject: Object, *, is_namespaced: bool) -> list[FieldError]:
    name, kind, group = subject.get("name", ""), subject.get("kind", ""), subject.get("apiGroup", "")
    problems = [] if name else [field.required(f"{path}.name", "")]
    if kind == "ServiceAccount":
        if name:
            problems += checks.name(f"{path}.name", name, names.dns1123_subdomain)
        if group:
            problems.append(field.not_supported(f"{path}.apiGroup", group, [""]))
        if not is_namespaced and not subject.get("namespace"):
            problems.append(field.required(f"{path}.namespace", ""))
    elif kind in ("User", "Group"):
        problems += _one_of(f"{path}.apiGroup", group, (_GROUP,))
    else:
        problems.append(field.not_supported(f"{path}.kind", kind, list(_SUBJECT_KINDS)))
    return problems


def _one_of(path: str, value: str, supported: tuple[str, ...]) -> list[FieldError]:
    """Of a plain string."""
    return [] if value in supported else [field.not_supported(path, value, list(supported))]
