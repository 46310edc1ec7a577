"""Match conditions of webhooks and policies, and how faults of expressions are told.

Source: pkg/apis/admissionregistration/validation/validation.go.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from quarterdeck.admission.policy.expressions import BOOL, Compiled, Compiler
from quarterdeck.apimachinery import field, gotext, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.admissionregistration.rules import validate_unique
from quarterdeck.registry.strategy import Object

CONDITIONS_MAX: Final = 64


def validate_match_conditions(conditions: list[Object], path: str, *, has_params: bool) -> list[FieldError]:
    """They cannot name variables."""
    problems: list[FieldError] = []
    if len(conditions) > CONDITIONS_MAX:
        problems.append(field.too_many(path, len(conditions), CONDITIONS_MAX))
    check = partial(_validate_match_condition, compiler=Compiler(has_params=has_params))
    return problems + validate_unique(conditions, path, "name", check)


def _validate_match_condition(condition: Object, path: str, *, compiler: Compiler) -> list[FieldError]:
    expression = gotext.strip(condition.get("expression") or "")
    if expression:
        problems = told_fault(f"{path}.expression", compiler.compile(expression, BOOL))
    else:
        problems = [field.required(f"{path}.expression")]
    return problems + checks.required_name(f"{path}.name", condition.get("name") or "", names.qualified_name)


def told_fault(path: str, compiled: Compiled) -> list[FieldError]:
    if not compiled.fault:
        return []
    if compiled.is_internal:
        return [field.internal(path, compiled.fault)]
    return [field.invalid(path, compiled.expression, compiled.fault)]
