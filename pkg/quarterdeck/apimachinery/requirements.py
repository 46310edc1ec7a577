"""Requirements of selectors: a key, an operator and values. Fields (fields.py) have only the operators = and !=.

Source: apimachinery/pkg/labels/selector.go (Requirement, NewRequirement).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from quarterdeck.apimachinery import field, names, strconv

IN: Final = "in"
NOT_IN: Final = "notin"
EQUALS: Final = "="
DOUBLE_EQUALS: Final = "=="
NOT_EQUALS: Final = "!="
EXISTS: Final = "exists"
DOES_NOT_EXIST: Final = "!"
GREATER_THAN: Final = "gt"
LESS_THAN: Final = "lt"

_SYMBOLS: Final = {EQUALS: "=", DOUBLE_EQUALS: "==", NOT_EQUALS: "!=", GREATER_THAN: ">", LESS_THAN: "<"}


# Differs from upstream: there only the length of a header bounds a selector, so that one of 60,000 terms holds up
# everybody else.
TERMS_MAX: Final = 1000


class SelectorError(ValueError):
    """`message` is upstream's text."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Requirement(NamedTuple):
    """`values` are in order, each once; one for the exact operators, none for exists and !."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        operator = self.operator
        if operator in (EQUALS, DOUBLE_EQUALS, IN):
            return value is not None and value in self.values
        if operator in (NOT_EQUALS, NOT_IN):
            return value is None or value not in self.values
        if operator == EXISTS:
            return value is not None
        if operator == DOES_NOT_EXIST:
            return value is None
        number, bound = _parse_int64(value), _parse_int64(self.values[0])
        if number is None or bound is None:
            return False
        return number > bound if operator == GREATER_THAN else number < bound

    def __str__(self) -> str:
        if self.operator == EXISTS:
            return self.key
        if self.operator == DOES_NOT_EXIST:
            return "!" + self.key
        values = ",".join(sorted(self.values))
        if self.operator in (IN, NOT_IN):
            return f"{self.key} {self.operator} ({values})"
        return f"{self.key}{_SYMBOLS[self.operator]}{values}"


def check_terms(text: str) -> None:
    """Raises SelectorError where a selector, of labels or of fields, has more terms and values than are taken."""
    if text.count(",") >= TERMS_MAX:
        raise SelectorError(f"the selector has more than {TERMS_MAX} terms")


def _parse_int64(text: str | None) -> int | None:
    """None for what is no number."""
    if text is None:
        return None
    try:
        return strconv.parse_int(text)
    except strconv.NumError:
        return None


def build_requirement(key: str, operator: str, values: Sequence[str]) -> Requirement:
    """Upstream's NewRequirement. Raises SelectorError with all objections."""
    errors = [field.invalid("key", key, "; ".join(objections))] if (objections := names.qualified_name(key)) else []
    errors += _check_values(operator, values)
    for position, value in enumerate(values):
        if objections := names.label_value(value):
            path = field.key(field.index("values", position), key)
            errors.append(field.invalid(path, value, "; ".join(objections)))
    if errors:
        raise SelectorError(field.aggregate_message(errors))
    return Requirement(key, operator, tuple(values))


def _check_values(operator: str, values: Sequence[str]) -> list[field.FieldError]:
    shown = list(values) or None
    if operator in (IN, NOT_IN):
        if not values:
            return [field.invalid("values", shown, "for 'in', 'notin' operators, values set can't be empty")]
    elif operator in (EXISTS, DOES_NOT_EXIST):
        if values:
            return [field.invalid("values", shown, "values set must be empty for exists and does not exist")]
    elif operator in (GREATER_THAN, LESS_THAN):
        return _check_bound(values, shown)
    elif len(values) != 1:
        return [field.invalid("values", shown, "exact-match compatibility requires one single value")]
    return []


def _check_bound(values: Sequence[str], shown: object) -> list[field.FieldError]:
    errors = []
    if len(values) != 1:
        errors.append(field.invalid("values", shown, "for 'Gt', 'Lt' operators, exactly one value is required"))
    for position, value in enumerate(values):
        if _parse_int64(value) is None:
            path = field.index("values", position)
            errors.append(field.invalid(path, value, "for 'Gt', 'Lt' operators, the value must be an integer"))
    return errors
