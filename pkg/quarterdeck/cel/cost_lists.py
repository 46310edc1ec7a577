"""What calls of functions on lists and sets may cost.

Source: cel-go's ext/lists.go and ext/sets.go, and apiserver's pkg/cel/library/cost.go (EstimateCallCost).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.cel.ast import Call, Const, Expr
from quarterdeck.cel.cost_math import COST_MAX, LIST_COST, STRING_FACTOR, Size, add, by_factor, multiply
from quarterdeck.cel.cost_sizes import CallEstimate, CallEstimator, Sizes
from quarterdeck.cel.types import Kind


def _traversal(c: Sizes, e: Call, overload: str) -> CallEstimate:
    if e.target is None:
        return None
    size = c.size_or_unknown(e.target)[1]
    element = c.element_size(e.target)
    if element is None:
        return by_factor(size, STRING_FACTOR), None
    each = 1
    if element[0].kind in (Kind.STRING, Kind.BYTES):
        each = add(1, by_factor(element[1][1], STRING_FACTOR))
    return multiply(size, each), None


def _in_list(c: Sizes, e: Call, overload: str) -> CallEstimate:
    return c.size_or_unknown(e.args[1])[1], None


def _sets(factor: int) -> CallEstimator:
    def estimate_sets(c: Sizes, e: Call, overload: str) -> CallEstimate:
        product = multiply(c.size_or_unknown(e.args[0])[1], c.size_or_unknown(e.args[1])[1])
        return add(by_factor(product, float(factor)), 1), None

    return estimate_sets


def _new_list(factor: float, size: Size) -> CallEstimate:
    return add(add(by_factor(size[1], factor), 1), LIST_COST), size


def _constant_index(e: Expr, otherwise: int) -> int:
    """A literal index; a negative one, which fails at run time, counts as 0."""
    if type(e) is not Const or type(e.value) is not int:
        return otherwise
    return max(e.value, 0)


def _slice(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    most = c.size_or_unknown(e.target)[1]
    size = (_constant_index(e.args[1], most) - _constant_index(e.args[0], 0)) & COST_MAX
    return _new_list(1.0, (size, size))


def _flatten(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    depth = _constant_index(e.args[0], COST_MAX) if e.args else 1
    return _new_list(float(depth), c.size_or_unknown(e.target))


def _range(c: Sizes, e: Call, overload: str) -> CallEstimate:
    size = _constant_index(e.args[0], COST_MAX)
    return _new_list(1.0, (size, size))


def _reverse(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    return _new_list(1.0, c.size_or_unknown(e.target))


def _distinct(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    size = c.size_or_unknown(e.target)
    return _new_list(2.0, (multiply(size[0], size[0]), multiply(size[1], size[1])))


def _sort(c: Sizes, e: Call, overload: str) -> CallEstimate:
    keys = e.args[0] if e.args else e.target
    assert keys is not None
    size = c.size_or_unknown(keys)
    factor = 2.0 + (STRING_FACTOR if overload.startswith(("list_string", "list_bytes")) else 0.0)
    return _new_list(factor, (multiply(size[0], size[0]), multiply(size[1], size[1])))


BY_OVERLOAD: Final[dict[str, CallEstimator]] = {
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _distinct,
    "in_list": _in_list,
}

BY_FUNCTION: Final[dict[str, CallEstimator]] = {
    "sort": _sort,
    "@sortByAssociatedKeys": _sort,
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversal),
}
