"""Which requests a webhook or a policy concerns: rules, and what selects objects and namespaces.

Source: pkg/apis/admissionregistration/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.strategy import Object

MATCH_POLICIES: Final = ("Equivalent", "Exact")
FAILURE_POLICIES: Final = ("Fail", "Ignore")
REINVOCATION_POLICIES: Final = ("IfNeeded", "Never")
_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_MUTABLE_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")


def validate_match_resources(match: Object | None, path: str) -> list[FieldError]:
    if match is None:
        return []
    problems = checks.one_of(f"{path}.matchPolicy", match.get("matchPolicy", ""), MATCH_POLICIES)
    problems += checks.label_selector(f"{path}.namespaceSelector", match.get("namespaceSelector"))
    problems += checks.label_selector(f"{path}.objectSelector", match.get("objectSelector"))
    for member in ("resourceRules", "excludeResourceRules"):
        for position, rule in enumerate(match.get(member) or []):
            problems += _validate_named_rule(rule, field.index(f"{path}.{member}", position))
    return problems


def validate_mutable_operations(match: Object | None, path: str) -> list[FieldError]:
    """Nothing is mutated on its way out."""
    problems: list[FieldError] = []
    for rule in (match or {}).get("resourceRules") or []:
        for operation in rule.get("operations") or []:
            problems += checks.one_of(f"{path}.resourceRules.operations", operation, _MUTABLE_OPERATIONS)
    return problems


def _validate_named_rule(rule: Object, path: str) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, name in enumerate(rule.get("resourceNames") or []):
        at = field.index(f"{path}.resourceNames", position)
        problems += checks.name(at, name, names.path_segment_name)
        if name in seen:
            problems.append(field.duplicate(at, name))
        seen.add(name)
    return problems + validate_rule(rule, path)


def validate_rule(rule: Object, path: str) -> list[FieldError]:
    operations = rule.get("operations") or []
    problems = _validate_all_or_some(operations, f"{path}.operations", "operations")
    for position, operation in enumerate(operations):
        problems += checks.one_of(field.index(f"{path}.operations", position), operation, _OPERATIONS)
    problems += _validate_all_or_some(rule.get("apiGroups") or [], f"{path}.apiGroups", "API groups")
    versions = rule.get("apiVersions") or []
    problems += _validate_all_or_some(versions, f"{path}.apiVersions", "API versions")
    problems += [
        field.required(field.index(f"{path}.apiVersions", position))
        for position, version in enumerate(versions)
        if not version
    ]
    problems += _validate_resources(rule.get("resources") or [], f"{path}.resources")
    scope = rule.get("scope")
    return problems if scope is None else problems + checks.one_of(f"{path}.scope", scope, _SCOPES)


def _validate_all_or_some(given: list[str], path: str, what: str) -> list[FieldError]:
    if not given:
        return [field.required(path)]
    if len(given) > 1 and "*" in given:
        return [field.invalid(path, given, f"if '*' is present, must not specify other {what}")]
    return []


def _validate_resources(resources: list[str], path: str) -> list[FieldError]:
    if not resources:
        return [field.required(path)]
    problems: list[FieldError] = []
    with_all_subresources: set[str] = set()
    of_all_resources: set[str] = set()
    has_plain = False
    for position, text in enumerate(resources):
        at = field.index(path, position)
        if not text:
            problems.append(field.required(at))
            continue
        resource, slash, subresource = text.partition("/")
        if not slash:
            has_plain = text != "*"  # the last one counts, as upstream
            continue
        if resource in with_all_subresources:
            problems.append(field.invalid(at, text, f"if '{resource}/*' is present, must not specify {text}"))
        if subresource in of_all_resources:
            problems.append(field.invalid(at, text, f"if '*/{subresource}' is present, must not specify {text}"))
        if subresource == "*":
            with_all_subresources.add(resource)
        if resource == "*":
            of_all_resources.add(subresource)
    if len(resources) > 1 and "*/*" in resources:
        problems.append(field.invalid(path, resources, "if '*/*' is present, must not specify other resources"))
    if "*" in resources and has_plain:
        detail = "if '*' is present, must not specify other resources without subresources"
        problems.append(field.invalid(path, resources, detail))
    return problems


def validate_unique(
    items: list[Object], path: str, member: str, validate: Callable[[Object, str], list[FieldError]]
) -> list[FieldError]:
    """Each item, and that no two have the same name."""
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, item in enumerate(items):
        at = field.index(path, position)
        problems += validate(item, at)
        name = item.get(member) or ""
        if name and name in seen:
            problems.append(field.duplicate(f"{at}.{member}", name))
        seen.add(name)
    return problems
