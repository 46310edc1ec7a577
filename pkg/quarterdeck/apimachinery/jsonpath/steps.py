"""The steps of a JSONPath: each goes from the values found so far to the next ones, or raises EvaluationError.

Source: client-go/util/jsonpath/jsonpath.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

Values = list[Any]
Step = Callable[[Values], Values]


class EvaluationError(Exception):
    """The path does not fit the object. `values` are those that had been reached."""

    def __init__(self, values: Values) -> None:
        super().__init__("the path does not fit the object")
        self.values = values


def evaluate(steps: list[Step], values: Values) -> Values:
    for step in steps:
        values = step(values)
    return values


def field_step(name: str) -> Step:
    def walk(values: Values) -> Values:
        return [value[name] for value in values if isinstance(value, dict) and name in value]

    return walk


def constant_step(constant: object) -> Step:
    def walk(values: Values) -> Values:
        return [constant] * len(values)

    return walk


def fail(values: Values) -> Values:
    raise EvaluationError(values)


def _children(value: object) -> Values:
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]  # Go's order is random
    return value if isinstance(value, list) else []


def walk_wildcard(values: Values) -> Values:
    return [child for value in values for child in _children(value)]


def walk_descent(values: Values) -> Values:
    """Every value that has something below it, parents before children."""
    found: Values = []
    stack = values[::-1]
    while stack:
        value = stack.pop()
        children = _children(value)
        if children:
            found.append(value)
            stack.extend(reversed(children))
    return found


def union_step(parts: list[list[Step]]) -> Step:
    def walk(values: Values) -> Values:
        return [found for part in parts for found in evaluate(part, values)]

    return walk


def slice_step(begin: int | None, end: int | None, is_single: bool, step: int | None) -> Step:
    def walk(values: Values) -> Values:
        found: Values = []
        for value in values:
            if value is None:
                continue
            if not isinstance(value, list):
                raise EvaluationError(values)
            length = len(value)
            first = begin or 0
            first += length if first < 0 else 0
            last = length if end is None else end
            last += length if last < 0 or (last == 0 and is_single) else 0
            if first == last:
                return found
            if not 0 <= first < length or not 0 <= last <= length or first > last or (step is not None and step <= 0):
                raise EvaluationError(values)
            found.extend(value[first : last : step or 1])
        return found

    return walk


def _items(values: Values) -> Values:
    """The elements that a filter chooses from."""
    for value in values:
        if not isinstance(value, list):
            raise EvaluationError(values)
    return [item for value in values for item in value]


def exists_step(left: list[Step]) -> Step:
    def has(item: object) -> bool:
        try:
            return bool(evaluate(left, [item]))
        except EvaluationError as error:
            return bool(error.values)

    def walk(values: Values) -> Values:
        return [item for item in _items(values) if has(item)]

    return walk


def filter_step(left: list[Step], operator: str, right: list[Step]) -> Step:
    compare = _COMPARE.get(operator)

    def walk(values: Values) -> Values:
        found: Values = []
        for item in _items(values):
            lefts = evaluate(left, [item])
            rights = evaluate(right, [item]) if lefts else []
            if len(lefts) > 1 or len(rights) > 1:
                raise EvaluationError(values)
            if lefts and rights:
                if compare is None or not _are_comparable(lefts[0], rights[0], operator):
                    raise EvaluationError(values)
                if compare(lefts[0], rights[0]):
                    found.append(item)
        return found

    return walk


def _are_comparable(left: object, right: object, operator: str) -> bool:
    """Only values of one basic type compare; booleans have no order."""
    if type(left) is not type(right) or not isinstance(left, str | int | float):
        return False
    return not isinstance(left, bool) or operator in ("==", "!=")


_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}
