"""What calls of functions may cost, by overload or by name.

Lists and sets are in cost_lists.py. Source: apiserver's pkg/cel/library/cost.go (EstimateCallCost).
"""

from __future__ import annotations

import math
from typing import Final

from quarterdeck.cel import cost_lists, types
from quarterdeck.cel.ast import Call, Const, Expr
from quarterdeck.cel.cost_math import (
    CHECK_COST,
    COST_MAX,
    FORMAT_REGEX_SIZE_MAX,
    FORMAT_SIZE_MAX,
    LIST_COST,
    REGEX_FACTOR,
    STRING_FACTOR,
    STRUCT_COST,
    Size,
    add,
    add_sizes,
    by_factor,
    multiply,
)
from quarterdeck.cel.cost_sizes import CallEstimate, CallEstimator, Sizes


def _one(c: Sizes, e: Call, overload: str) -> CallEstimate:
    return 1, None


def _check(c: Sizes, e: Call, overload: str) -> CallEstimate:
    return CHECK_COST, None


def _selector(c: Sizes, e: Call, overload: str) -> CallEstimate:
    return selector_cost(c.size_or_unknown(e.args[0])[1]), None


def selector_cost(size: int) -> int:
    """Parsing a selector: its text, and a struct and a list for each of at most size/2 requirements."""
    requirements = by_factor(by_factor(size, 0.5), float(LIST_COST + STRUCT_COST))
    return add(add(LIST_COST, by_factor(size, STRING_FACTOR)), requirements)


def _first_argument(c: Sizes, e: Call, overload: str) -> CallEstimate:
    size = c.size_or_unknown(e.args[0])
    return by_factor(size[1], STRING_FACTOR), size


def _target(c: Sizes, e: Call, overload: str) -> CallEstimate:
    if e.target is None:
        return None
    size = c.size_or_unknown(e.target)
    return by_factor(size[1], STRING_FACTOR), size


def _replace(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    size = c.size_or_unknown(e.target)
    old = c.size_or_unknown(e.args[0])
    new = c.size_or_unknown(e.args[1])
    kept_most = kept_least = 0
    if old[0] == 0:  # between all characters
        count_most = size[1] + 1 if size[1] < COST_MAX else size[1]
        kept_most = size[1]
    elif new[1] <= old[0]:
        count_most = 0
        kept_most = size[1]
    else:
        count_most = math.ceil(float(size[1]) / float(old[0]))
    if old[1] == 0:
        count_least = size[0] + 1 if size[0] < COST_MAX else size[0]
        kept_least = size[0]
    elif old[1] <= new[0]:
        count_least = 0
        kept_least = size[0]
    else:
        count_least = math.ceil(float(size[0]) / float(old[1]))
    result = add(multiply(count_least, new[0]), kept_least), add(multiply(count_most, new[1]), kept_most)
    return by_factor(size[1], 2 * STRING_FACTOR), result


def _split(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    size = c.size_or_unknown(e.target)
    most = size[1]
    if len(e.args) > 1 and type(e.args[1]) is Const and type(e.args[1].value) is int:
        most = e.args[1].value & COST_MAX
    return by_factor(size[1], 2 * STRING_FACTOR), (0, most)


def _join(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    length = c.size_or_unknown(e.target)
    size: Size = (0, 0)
    element = c.element_size(e.target)
    if element is not None:
        size = multiply(length[0], element[1][0]), multiply(length[1], element[1][1])
    if e.args:
        separator = c.size_or_unknown(e.args[0])
        size = add_sizes(
            size, (multiply(separator[0], max(length[0] - 1, 0)), multiply(separator[1], max(length[1] - 1, 0)))
        )
    return by_factor(size[1], STRING_FACTOR), size


def _regex(c: Sizes, target: Expr, pattern: Expr) -> int:
    text = by_factor(add(c.size_or_unknown(target)[1], 1), STRING_FACTOR)
    return multiply(text, by_factor(c.size_or_unknown(pattern)[1], REGEX_FACTOR))


def _find(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    return _regex(c, e.target, e.args[0]), (0, c.size_or_unknown(e.target)[1])


def _matches(c: Sizes, e: Call, overload: str) -> CallEstimate:
    return (_regex(c, e.target, e.args[0]), None) if e.target is not None else None


def _contains(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    text = by_factor(c.size_or_unknown(e.target)[1], STRING_FACTOR)
    return multiply(text, by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR)), None


def _parse(c: Sizes, e: Call, overload: str) -> CallEstimate:
    if e.target is not None:  # cidr.ip() is a field
        return 1, None
    return by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR), None


def _parse_twice(c: Sizes, e: Call, overload: str) -> CallEstimate:
    return by_factor(c.size_or_unknown(e.args[0])[1], 2 * STRING_FACTOR), None


def _cidr_contains(c: Sizes, e: Call, overload: str) -> CallEstimate:
    cost = by_factor(32, STRING_FACTOR)  # two addresses of at most 16 bytes
    if overload.startswith("cidr_contains_cidr"):
        cost += by_factor(16, STRING_FACTOR) + 1
    if overload.endswith("_string"):
        cost = add(cost, by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR))
    return cost, None


def _validate(c: Sizes, e: Call, overload: str) -> CallEstimate:
    text = by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR)
    return by_factor(text, FORMAT_REGEX_SIZE_MAX * REGEX_FACTOR), None


def _equality(c: Sizes, e: Call, overload: str) -> CallEstimate:
    left, right = e.args[0].type, e.args[1].type
    if left is not right:
        return None
    if left is types.FORMAT:
        return by_factor(FORMAT_SIZE_MAX, STRING_FACTOR), None
    if left is types.URL:
        size = c.size_of(e.args[1]) or (1, 1)
        return by_factor(size[1], STRING_FACTOR), None
    return (1, None) if left in _UNIT_EQUALITY else None


_UNIT_EQUALITY: Final = frozenset(
    (types.IP, types.CIDR, types.QUANTITY, types.SEMVER, types.AUTHORIZER, types.PATH_CHECK, types.GROUP_CHECK,
     types.RESOURCE_CHECK, types.DECISION)
)  # fmt: skip


def _string_to_bytes(c: Sizes, e: Call, overload: str) -> CallEstimate:
    size = c.size_or_unknown(e.args[0])
    return by_factor(size[1], STRING_FACTOR), (size[0], (size[1] * 4) & COST_MAX)


def _bytes_to_string(c: Sizes, e: Call, overload: str) -> CallEstimate:
    size = c.size_or_unknown(e.args[0])
    return by_factor(size[1], STRING_FACTOR), (size[0] // 4, size[1])


def _quote(c: Sizes, e: Call, overload: str) -> CallEstimate:
    size = c.size_or_unknown(e.args[0])
    return by_factor(size[1], STRING_FACTOR), (size[0] + 2, (size[1] * 2 + 2) & COST_MAX)


def _format(c: Sizes, e: Call, overload: str) -> CallEstimate:
    assert e.target is not None
    return by_factor(c.size_or_unknown(e.target)[1], STRING_FACTOR), None


def _prefix(c: Sizes, e: Call, overload: str) -> CallEstimate:
    return by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR), None


BY_OVERLOAD: Final[dict[str, CallEstimator]] = {
    **cost_lists.BY_OVERLOAD,
    "string_to_bytes": _string_to_bytes,
    "bytes_to_string": _bytes_to_string,
    "strings_quote": _quote,
    "string_format": _format,
    "starts_with_string": _prefix,
    "ends_with_string": _prefix,
    "matches_string": _matches,
    "contains_string": _contains,
}

BY_FUNCTION: Final[dict[str, CallEstimator]] = {
    **cost_lists.BY_FUNCTION,
    "check": _check,
    "fieldSelector": _selector,
    "labelSelector": _selector,
    "url": _first_argument,
    "jsonpatch.escapeKey": _first_argument,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "find": _find,
    "findAll": _find,
    "ip.isCanonical": _parse_twice,
    **dict.fromkeys(("ip", "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _parse),
    "containsIP": _cidr_contains,
    "containsCIDR": _cidr_contains,
    "validate": _validate,
    "_==_": _equality,
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _target),
    **dict.fromkeys(
        ("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason",
         "error", "errored", "masked", "prefixLength", "family", "isUnspecified", "isLoopback",
         "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "format.named", "sign", "asInteger",
         "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major",
         "minor", "patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
        _one,
    ),
}  # fmt: skip
