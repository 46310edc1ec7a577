"""The rules of flow schemas: who asks for what.

Source: pkg/apis/flowcontrol/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object

_KINDS: Final = ("Group", "ServiceAccount", "User")
_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
# In the order in which upstream looks at them, by kind: what is forbidden then.
_SUBJECTS: Final = {
    "ServiceAccount": ("user", "group"),
    "User": ("serviceAccount", "group"),
    "Group": ("serviceAccount", "user"),
}
_ANY: Final = "*"


def validate_rule(path: str, rule: Object) -> list[FieldError]:
    subjects, resources = rule.get("subjects") or [], rule.get("resourceRules") or []
    others = rule.get("nonResourceRules") or []
    problems: list[FieldError] = []
    if not subjects:
        problems.append(field.required(f"{path}.subjects", "subjects must contain at least one value"))
    for position, subject in enumerate(subjects):
        problems += _validate_subject(field.index(f"{path}.subjects", position), subject)
    if not resources and not others:
        detail = "at least one of resourceRules and nonResourceRules has to be non-empty"
        problems.append(field.required(path, detail))
    for position, each in enumerate(resources):
        problems += _validate_resources(field.index(f"{path}.resourceRules", position), each)
    for position, each in enumerate(others):
        problems += _validate_paths(field.index(f"{path}.nonResourceRules", position), each)
    return problems


def _validate_subject(path: str, subject: Object) -> list[FieldError]:
    kind = subject.get("kind", "")
    if kind not in _SUBJECTS:
        return [field.not_among(f"{path}.kind", kind, list(_KINDS))]
    member = _member_of(kind)
    problems = _validate_who(f"{path}.{member}", member, kind, subject.get(member))
    for other in _SUBJECTS[kind]:
        if subject.get(other) is not None:
            detail = f"{other} is forbidden when subject kind is not '{other[0].upper()}{other[1:]}'"
            problems.append(field.forbidden(f"{path}.{other}", detail))
    return problems


def _member_of(kind: str) -> str:
    return kind[0].lower() + kind[1:]


def _validate_who(path: str, member: str, kind: str, found: Object | None) -> list[FieldError]:
    if found is None:
        return [field.required(path, f"{member} is required when subject kind is '{kind}'")]
    name = found.get("name", "")
    problems = [] if name else [field.required(f"{path}.name")]
    if kind != "ServiceAccount":
        return problems
    if name and name != _ANY:
        problems += checks.name(f"{path}.name", name, names.dns1123_subdomain)
    if namespace := found.get("namespace", ""):
        return problems + checks.name(f"{path}.namespace", namespace, names.dns1123_label)
    return [*problems, field.required(f"{path}.namespace", "must specify namespace for service account")]


def _validate_verbs(path: str, verbs: list[str]) -> list[FieldError]:
    if not verbs:
        return [field.required(path, "verbs must contain at least one value")]
    if _ANY in verbs:
        detail = "if '*' is present, must not specify other verbs"
        return [field.invalid(path, verbs, detail)] if len(verbs) > 1 else []
    return [] if set(verbs) <= set(_VERBS) else [field.not_supported(path, verbs, list(_VERBS))]


def _validate_paths(path: str, rule: Object) -> list[FieldError]:
    problems = _validate_verbs(f"{path}.verbs", rule.get("verbs") or [])
    paths, at = rule.get("nonResourceURLs") or [], f"{path}.nonResourceURLs"
    if not paths:
        return [*problems, field.required(at, "nonResourceURLs must contain at least one value")]
    if _ANY in paths:
        if len(paths) > 1:
            detail = "if '*' is present, must not specify other non-resource URLs"
            problems.append(field.invalid(at, paths, detail))
        return problems
    for position, each in enumerate(paths):
        if fault := _fault_of_path(each):
            problems.append(field.invalid(field.index(at, position), each, fault))
    return problems


def _fault_of_path(path: str) -> str:
    if not path:
        return "must not be empty"
    if path == "/":
        return ""
    if not path.startswith("/"):
        return "must start with slash"
    if " " in path:
        return "must not contain white-space"
    if "//" in path:
        return "must not contain double slash"
    count = path.count(_ANY)
    is_wild = count > 1 or (count == 1 and not path.endswith("/*"))
    return "wildcard can only do suffix matching" if is_wild else ""


def _validate_resources(path: str, rule: Object) -> list[FieldError]:
    problems = _validate_verbs(f"{path}.verbs", rule.get("verbs") or [])
    for member, one, many in (("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")):
        found, at = rule.get(member) or [], f"{path}.{member}"
        if not found:
            problems.append(field.required(at, f"resource rules must supply at least one {one}"))
        elif len(found) > 1 and _ANY in found:
            problems.append(field.invalid(at, found, f"if '*' is present, must not specify other {many}"))
    return problems + _validate_namespaces(f"{path}.namespaces", rule)


def _validate_namespaces(path: str, rule: Object) -> list[FieldError]:
    namespaces = rule.get("namespaces") or []
    if not namespaces and not rule.get("clusterScope"):
        detail = "resource rules that are not cluster scoped must supply at least one namespace"
        return [field.required(path, detail)]
    if _ANY in namespaces:
        detail = "if '*' is present, must not specify other namespaces"
        return [field.invalid(path, namespaces, detail)] if len(namespaces) > 1 else []
    problems: list[FieldError] = []
    for position, each in enumerate(namespaces):
        for text in names.dns1123_label(each):
            detail = f"each member of this list must be '*' or a DNS-1123 label; {text}"
            problems.append(field.invalid(field.index(path, position), each, detail))
    return problems
