"""When the pods of a job fail it, and when they are enough.

Source: pkg/apis/batch/validation/validation.go (validatePodFailurePolicy, validateSuccessPolicy).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from quarterdeck.apimachinery import field, gofmt, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.batch import indexes
from quarterdeck.registry.strategy import Object

_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_STATUSES: Final = ("False", "True", "Unknown")
_RULES_MAX: Final = 20
_VALUES_MAX: Final = 255
_PATTERNS_MAX: Final = 20
_INDEXES_BYTES_MAX: Final = 64 * 1024


def validate_failure_policy(spec: Object, path: str) -> list[FieldError]:
    rules, pod = spec["podFailurePolicy"].get("rules") or [], spec["template"]["spec"]
    problems = _not_too_many(f"{path}.rules", rules, _RULES_MAX)
    known = {each.get("name", "") for member in ("containers", "initContainers") for each in pod.get(member) or []}
    for position, rule in enumerate(rules):
        at = field.index(f"{path}.rules", position)
        problems += _action(f"{at}.action", rule.get("action", ""), spec)
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or []
        if codes is not None:
            problems += _exit_codes(f"{at}.onExitCodes", codes, known)
        problems += _conditions(f"{at}.onPodConditions", conditions)
        if codes is not None and conditions:
            detail = "specifying both OnExitCodes and OnPodConditions is not supported"
            problems.append(field.invalid(at, field.OMIT_VALUE, detail))
        if codes is None and not conditions:
            detail = "specifying one of OnExitCodes and OnPodConditions is required"
            problems.append(field.invalid(at, field.OMIT_VALUE, detail))
    return problems


def validate_success_policy(spec: Object, path: str) -> list[FieldError]:
    at, rules = f"{path}.rules", spec["successPolicy"].get("rules") or []
    problems: list[FieldError] = []
    if not rules:
        detail = "at least one rules must be specified when the successPolicy is specified"
        problems.append(field.required(at, detail))
    problems += _not_too_many(at, rules, _RULES_MAX)
    # Differs from upstream: it takes completions for given here, and fails where they are not.
    completions = spec.get("completions")
    for position, rule in enumerate(rules):
        problems += _success_rule(field.index(at, position), rule, completions or 0)
    return problems


def _not_too_many(path: str, items: list[Object], items_max: int) -> list[FieldError]:
    return [field.too_many(path, len(items), items_max)] if len(items) > items_max else []


def _action(path: str, action: str, spec: Object) -> list[FieldError]:
    if action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        return [field.invalid(path, action, "requires the backoffLimitPerIndex to be set")]
    return _listed(path, action, _ACTIONS)


def _listed(path: str, value: str, supported: tuple[str, ...]) -> list[FieldError]:
    if value:
        return checks.one_of(path, value, supported)
    return [field.required(path, f"valid values: {gofmt.quote_all(supported)}")]


def _conditions(path: str, patterns: list[Object]) -> list[FieldError]:
    problems = _not_too_many(path, patterns, _PATTERNS_MAX)
    for position, pattern in enumerate(patterns):
        at = field.index(path, position)
        problems += checks.name(f"{at}.type", pattern.get("type", ""), names.qualified_name)
        problems += _listed(f"{at}.status", pattern.get("status", ""), _STATUSES)
    return problems


def _exit_codes(path: str, codes: Object, known: set[str]) -> list[FieldError]:
    operator, values, at = codes.get("operator", ""), codes.get("values"), f"{path}.values"
    problems = _listed(f"{path}.operator", operator, _OPERATORS)
    if (name := codes.get("containerName")) is not None and name not in known:
        detail = "must be one of the container or initContainer names in the pod template"
        problems.append(field.invalid(f"{path}.containerName", name, detail))
    if not values:
        return [*problems, field.invalid(at, values, "at least one value is required")]
    if len(values) > _VALUES_MAX:
        problems.append(field.too_many(at, len(values), _VALUES_MAX))
    seen: set[int] = set()
    for position, value in enumerate(values):
        if operator == "In" and value == 0:
            problems.append(field.invalid(field.index(at, position), value, "must not be 0 for the In operator"))
        if value in seen:
            problems.append(field.duplicate(field.index(at, position), value))
        seen.add(value)
    if any(before > value for before, value in pairwise(values)):
        problems.append(field.invalid(at, values, "must be ordered"))
    return problems


def _success_rule(path: str, rule: Object, completions: int) -> list[FieldError]:
    count, text = rule.get("succeededCount"), rule.get("succeededIndexes")
    problems: list[FieldError] = []
    if count is None and text is None:
        detail = "at least one of succeededCount or succeededIndexes must be specified"
        problems.append(field.required(path, detail))
    total = 0
    if text is not None:
        at = f"{path}.succeededIndexes"
        if len(text.encode()) > _INDEXES_BYTES_MAX:
            problems.append(field.too_long(at, _INDEXES_BYTES_MAX))
        try:
            total = indexes.count(text, completions)
        except indexes.WrongIndexes as error:
            problems.append(field.invalid(at, text, f"error parsing succeededIndexes: {error}"))
    if count is not None:
        at = f"{path}.succeededCount"
        problems += checks.not_negative(at, count)
        if count > completions:
            detail = f"must be less than or equal to {completions} (the number of specified completions)"
            problems.append(field.invalid(at, count, detail))
        if text is not None and count > total:
            shown = "(the number of indexes in the specified succeededIndexes field)"
            problems.append(field.invalid(at, count, f"must be less than or equal to {total} {shown}"))
    return problems
