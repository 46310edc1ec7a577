"""What is wrong with the binding of a policy. Source: pkg/apis/admissionregistration/validation/validation.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.admissionregistration.rules import (
    validate_match_resources,
    validate_mutable_operations,
)
from quarterdeck.registry.strategy import Object

_ACTIONS: Final = ("Audit", "Deny", "Warn")
_NOT_FOUND_ACTIONS: Final = ("Deny", "Allow")
_EXCLUSIVE: Final = "name and selector are mutually exclusive"
_DENY_AND_WARN: Final = (
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and "
    "headers serves no purpose)"
)


def validate_validating_binding(obj: Object) -> list[FieldError]:
    actions = obj["spec"].get("validationActions") or []
    return _validate_common(obj["spec"]) + _validate_actions(actions, "spec.validationActions")


def validate_mutating_binding(obj: Object) -> list[FieldError]:
    match = obj["spec"].get("matchResources")
    return _validate_common(obj["spec"]) + validate_mutable_operations(match, "spec.matchResources")


def _validate_common(spec: Object) -> list[FieldError]:
    problems = checks.required_name("spec.policyName", spec.get("policyName") or "", names.dns1123_subdomain)
    problems += _validate_param_ref(spec.get("paramRef"), "spec.paramRef")
    return problems + validate_match_resources(spec.get("matchResources"), "spec.matchResources")


def _validate_param_ref(reference: Object | None, path: str) -> list[FieldError]:
    if reference is None:
        return []
    name, selector = reference.get("name") or "", reference.get("selector")
    problems: list[FieldError] = []
    if name:
        problems += checks.name(f"{path}.name", name, names.path_segment_name)
    if name and selector is not None:
        problems.append(field.forbidden(f"{path}.name", _EXCLUSIVE))
    problems += checks.label_selector(f"{path}.selector", selector)
    if name and selector is not None:
        problems.append(field.forbidden(f"{path}.selector", _EXCLUSIVE))
    if not name and selector is None:
        problems.append(field.required(path, "one of name or selector must be specified"))
    action = reference.get("parameterNotFoundAction") or ""
    return problems + checks.required_one_of(f"{path}.parameterNotFoundAction", action, _NOT_FOUND_ACTIONS)


def _validate_actions(actions: list[str], path: str) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, action in enumerate(actions):
        at = field.index(path, position)
        problems += checks.one_of(at, action, _ACTIONS)
        if action in seen:
            problems.append(field.duplicate(at, field.named(action)))
        seen.add(action)
    if {"Deny", "Warn"} <= seen:
        problems.append(field.invalid(path, actions, _DENY_AND_WARN))
    if not actions:
        problems.append(field.required(path, "at least one validation action is required"))
    return problems
