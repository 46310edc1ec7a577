"""Conditions of metav1 as statuses hold them.

Source: apimachinery/pkg/apis/meta/v1/validation (ValidateConditions).
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object

_STATUSES: Final = ("False", "True", "Unknown")
_REASON_BYTES_MAX: Final = 1024
_MESSAGE_BYTES_MAX: Final = 32 * 1024
_REASON_PATTERN: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_REASON_TEXT: Final = (
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "
    "characters or '_,:', and must end with an alphanumeric character or '_'"
)
_REASON_EXAMPLES: Final = ("my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB")

_reason = re.compile(_REASON_PATTERN + r"\Z").match


def validate_conditions(conditions: list[Object], path: str) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, condition in enumerate(conditions):
        at, kind = field.index(path, position), condition.get("type") or ""
        if kind in seen:
            problems.append(field.duplicate(f"{at}.type", kind))
        seen.add(kind)
        problems += _validate_condition(condition, at)
    return problems


def _validate_condition(condition: Object, path: str) -> list[FieldError]:
    problems = checks.name(f"{path}.type", condition.get("type") or "", names.qualified_name)
    problems += checks.one_of(f"{path}.status", condition.get("status") or "", _STATUSES)
    if (generation := condition.get("observedGeneration") or 0) < 0:
        detail = "must be greater than or equal to zero"
        problems.append(field.invalid(f"{path}.observedGeneration", generation, detail))
    if condition.get("lastTransitionTime") is None:
        problems.append(field.required(f"{path}.lastTransitionTime", ""))
    problems += _validate_reason(condition.get("reason") or "", f"{path}.reason")
    if len((condition.get("message") or "").encode()) > _MESSAGE_BYTES_MAX:
        problems.append(field.too_long(f"{path}.message", _MESSAGE_BYTES_MAX))
    return problems


def _validate_reason(reason: str, path: str) -> list[FieldError]:
    if not reason:
        return [field.required(path)]
    problems: list[FieldError] = []
    if not _reason(reason):
        problems.append(field.invalid(path, reason, names.regex_text(_REASON_TEXT, _REASON_PATTERN, *_REASON_EXAMPLES)))
    if len(reason.encode()) > _REASON_BYTES_MAX:
        problems.append(field.too_long(path, _REASON_BYTES_MAX))
    return problems
