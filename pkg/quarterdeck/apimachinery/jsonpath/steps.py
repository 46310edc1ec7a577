"""The steps of a JSONPath: each goes from the values found so far to the next ones, or raises EvaluationError.

Source: client-go/util/jsonpath/jsonpath.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

Values = list[Any]
Step = Callable[[Values], Values]
INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1


class Integer(int):
    """A number of a path (Go's int) or a byte of a text (uint8). It compares and prints as others do, but is not the
    int64 of which typed columns make something."""


_BYTES: Final = tuple(map(Integer, range(256)))


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


def text_step(text: str) -> Step:
    """One text, whatever had been found."""

    def walk(values: Values) -> Values:
        return [text]

    return walk


def fail(values: Values) -> Values:
    raise EvaluationError(values)


def _children(value: object) -> Values:
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]  # Go's order is random
    return value if isinstance(value, list) else []


def walk_wildcard(values: Values) -> Values:
    """The children of a text are its bytes."""
    found: Values = []
    for value in values:
        if isinstance(value, str):
            found.extend(_BYTES[byte] for byte in value.encode("utf-8", "surrogatepass"))
        else:
            found.extend(_children(value))
    return found


def walk_descent(values: Values) -> Values:
    """Every value that has something below it, parents before children. A text has its bytes, which have nothing."""
    found: Values = []
    stack = values[::-1]
    while stack:
        value = stack.pop()
        children = _children(value)
        if children or (isinstance(value, str) and value):
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
    kind = _kind_of(left)
    if kind is None or kind is not _kind_of(right):
        return False
    return kind is not bool or operator in ("==", "!=")


def _kind_of(value: object) -> type | None:
    """The basic type of a value; integers that do not fit into 64 bits were read as floats."""
    if isinstance(value, bool):
        return bool
    if isinstance(value, int):
        return int if INT64_MIN <= value <= INT64_MAX else float
    return type(value) if isinstance(value, str | float) else None


_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}
