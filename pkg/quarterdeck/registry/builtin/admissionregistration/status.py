"""What is wrong with the status of a policy.

Source: pkg/apis/admissionregistration/validation/validation.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import field, gotext
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.jsonpath.parser import ParseError, parse_template
from quarterdeck.registry.builtin.conditions import validate_conditions
from quarterdeck.registry.strategy import Object


def validate_status(status: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    warnings = (status.get("typeChecking") or {}).get("expressionWarnings") or []
    for position, warning in enumerate(warnings):
        at = field.index("status.typeChecking.expressionWarnings", position)
        if not warning.get("warning"):
            problems.append(field.required(f"{at}.warning"))
        problems += _validate_reference(gotext.strip(warning.get("fieldRef") or ""), f"{at}.fieldRef")
    return problems + validate_conditions(status.get("conditions") or [], "status.conditions")


def _validate_reference(path_of_field: str, path: str) -> list[FieldError]:
    if not path_of_field:
        return [field.required(path)]
    try:
        parse_template(f"{{{path_of_field}}}")
    except ParseError as error:
        return [field.invalid(path, path_of_field, f"invalid JSONPath: {error}")]
    return []
