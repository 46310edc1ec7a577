"""The static cost estimate: the most an expression may cost, before any data is seen.

Sizes are (least, most); costs are only the most, since no limit looks at the least. Everything saturates at 2^64-1, and
factors are applied in float64 as upstream does, rounding included: the results decide which rules a server accepts.
Source: cel-go's checker/cost.go, ext/sets.go and ext/lists.go, and apiserver's pkg/cel/library/cost.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from quarterdeck.cel import types
from quarterdeck.cel.ast import (
    Call,
    Comprehension,
    Const,
    EntrySize,
    Expr,
    Ident,
    ListExpr,
    MapExpr,
    Select,
    StructExpr,
)
from quarterdeck.cel.types import Kind, Type

COST_MAX: Final = (1 << 64) - 1
Size = tuple[int, int]
UNKNOWN: Final[Size] = (0, COST_MAX)

# What the data may hold at a path, or None where nothing is known.
SizeEstimator = Callable[[tuple[str, ...]], Size | None]

STRING_FACTOR: Final = 0.1
REGEX_FACTOR: Final = 0.25
LIST_COST: Final = 10
MAP_COST: Final = 30
STRUCT_COST: Final = 40
CHECK_COST: Final = 350_000  # two authorization checks an expression are meant to be possible
FORMAT_REGEX_SIZE_MAX: Final = 128
FORMAT_SIZE_MAX: Final = 64


def add(a: int, b: int) -> int:
    total = a + b
    return total if total < COST_MAX else COST_MAX


def multiply(a: int, b: int) -> int:
    product = a * b
    return product if product < COST_MAX else COST_MAX


def by_factor(size: int, factor: float) -> int:
    product = math.ceil(float(size) * factor) if factor < math.inf else COST_MAX
    return product if product < COST_MAX else COST_MAX


def add_sizes(a: Size, b: Size) -> Size:
    return add(a[0], b[0]), add(a[1], b[1])


def union(a: Size, b: Size) -> Size:
    return min(a[0], b[0]), max(a[1], b[1])


def estimate(tree: Expr, sizes: SizeEstimator) -> int:
    """The highest cost of a checked tree."""
    return Estimator(sizes).cost(tree)


class Estimator:
    """The walk over one tree: local variables and, in the nodes themselves, paths and sizes."""

    __slots__ = ("locals", "sizes")

    def __init__(self, sizes: SizeEstimator) -> None:
        self.sizes = sizes
        # Of each local variable, innermost last: path, size, sizes of its entries.
        self.locals: dict[str, list[tuple[tuple[str, ...], Size | None, EntrySize | None]]] = {}

    # --- sizes

    def path_of(self, e: Expr) -> tuple[str, ...]:
        if type(e) is Ident and (known := self.locals.get(e.name)):
            return known[-1][0]
        return e.path

    def size_of(self, e: Expr) -> Size | None:
        if e.size is not None:
            return e.size
        kind = type(e)
        if kind is Const:
            value = e.value  # type: ignore[attr-defined]
            length = len(value) if type(value) in (str, bytes) else 1
            return length, length
        if kind is ListExpr:
            length = len(e.items)  # type: ignore[attr-defined]
            return length, length
        if kind is MapExpr:
            length = len(e.keys)  # type: ignore[attr-defined]
            return length, length
        path = self.path_of(e)
        if path and (found := self.sizes(path)) is not None:
            e.size = found
            return found
        if _is_scalar(e.type):
            return 1, 1
        if kind is Ident and (known := self.locals.get(e.name)):  # type: ignore[attr-defined]
            return known[-1][1]
        return None

    def size_or_unknown(self, e: Expr) -> Size:
        return self.size_of(e) or UNKNOWN

    def entry_of(self, e: Expr) -> EntrySize | None:
        entry: EntrySize | None = getattr(e, "entry", None)
        if entry is not None:
            return entry
        if type(e) is Ident and (known := self.locals.get(e.name)):
            return known[-1][2]
        return None

    def element_size(self, e: Expr) -> tuple[Type, Size] | None:
        """Type and size of a list's elements; None where the type has no parameter."""
        params = e.type.params
        if not params:
            return None
        path = self.path_of(e)
        if path and path[0] in ("@result", "__result__"):
            path = ()
        found = self.sizes((*path, "@items")) if path else None
        return params[0], found or UNKNOWN

    def push(
        self, name: str, path: tuple[str, ...], size: Size | None = None, entry: EntrySize | None = None
    ) -> None:
        self.locals.setdefault(name, []).append((path, size, entry))

    # --- costs

    def cost(self, e: Expr) -> int:
        kind = type(e)
        if kind is Const:
            return 0
        if kind is Ident:
            if not self.locals.get(e.name):  # type: ignore[attr-defined]
                e.path = (e.name,)  # type: ignore[attr-defined]
            else:
                e.path = self.locals[e.name][-1][0]  # type: ignore[attr-defined]
            return 1
        if kind is Select:
            return self.cost_select(e)  # type: ignore[arg-type]
        if kind is Call:
            return self.cost_call(e)  # type: ignore[arg-type]
        if kind is ListExpr:
            return self.cost_list(e)  # type: ignore[arg-type]
        if kind is MapExpr:
            return self.cost_map(e)  # type: ignore[arg-type]
        if kind is Comprehension:
            return self.cost_comprehension(e)  # type: ignore[arg-type]
        assert isinstance(e, StructExpr)
        total = STRUCT_COST
        for value in e.values:
            total = add(total, self.cost(value))
        return total

    def cost_select(self, e: Select) -> int:
        if e.qualified is not None:
            e.path = (e.qualified,)
            return 1
        total = self.cost(e.operand)
        if e.test:
            return total
        if e.operand.type.kind in (Kind.MAP, Kind.STRUCT, Kind.PARAM):
            total = add(total, 1)
        e.path = (*self.path_of(e.operand), e.field)
        return total

    def cost_list(self, e: ListExpr) -> int:
        total = LIST_COST
        item: Size = (COST_MAX if e.items else 0, 0)
        for i in e.items:
            total = add(total, self.cost(i))
            item = union(item, self.size_or_unknown(i))
        e.entry = (False, (1, 1), item)
        return total

    def cost_map(self, e: MapExpr) -> int:
        total = MAP_COST
        key_size: Size = (COST_MAX if e.keys else 0, 0)
        value_size = key_size
        for key, value in zip(e.keys, e.values, strict=True):
            total = add(add(total, self.cost(key)), self.cost(value))
            key_size = union(key_size, self.size_or_unknown(key))
            value_size = union(value_size, self.size_or_unknown(value))
        e.entry = (True, key_size, value_size)
        return total

    def cost_comprehension(self, e: Comprehension) -> int:
        total = add(self.cost(e.source), self.cost(e.accu_init))
        self.push(e.accu_var, self.path_of(e.accu_init), self.size_of(e.accu_init), self.entry_of(e.accu_init))
        if e.bind:
            total = add(total, self.cost(e.result))
            self.locals[e.accu_var].pop()
            e.size = self.size_of(e.result)
            e.entry = self.entry_of(e.result)
            return total
        entry = self.entry_of(e.source)
        is_list = not entry[0] if entry is not None else e.source.type.kind is Kind.LIST
        path = self.path_of(e.source)
        keys = None if entry is None else entry[1]
        values = None if entry is None else entry[2]
        if e.var2 is not None:
            self.push(e.var, (*path, "@indices" if is_list else "@keys"), keys)
            self.push(e.var2, (*path, "@items" if is_list else "@values"), values)
        elif is_list:
            self.push(e.var, (*path, "@items"), values)
        else:
            self.push(e.var, (*path, "@keys"), keys)
        turn = add(self.cost(e.cond), self.cost(e.step))
        self.locals[e.var].pop()
        if e.var2 is not None:
            self.locals[e.var2].pop()
        total = add(total, self.cost(e.result))
        self.locals[e.accu_var].pop()
        turns = self.size_or_unknown(e.source)
        total = add(total, multiply(turns[1], turn))
        if type(e.accu_init) is Const:
            e.size = self.size_of(e.accu_init)
        elif type(e.accu_init) in (ListExpr, MapExpr):
            e.size = turns
            step_entry = self.entry_of(e.step)
            if step_entry is not None:
                e.entry = step_entry
        return total

    def cost_call(self, e: Call) -> int:
        args = e.args
        if e.function == "dyn":
            total = add(1, self.cost(args[0]))
            e.size = self.size_of(args[0])
            e.entry = self.entry_of(args[0])
            return total
        arg_costs = [self.cost(arg) for arg in args]
        if not e.overloads:
            return 0
        total = self.cost(e.target) if e.target is not None else 0
        highest = 0
        result: Size | None = None
        for overload in e.overloads:
            call_cost, size = self.cost_overload(e, overload, arg_costs)
            highest = max(highest, call_cost)
            if size is not None:
                result = size if result is None else union(result, size)
            if overload == "index_list" or overload == "index_map":
                entry = self.entry_of(args[0])
                result = entry[2] if entry is not None else None
                e.path = (*self.path_of(args[0]), "@items" if overload == "index_list" else "@values")
            if result is None:
                result = self.size_of(e)
        if result is not None:
            e.size = result
        return add(total, highest)

    def cost_overload(self, e: Call, overload: str, arg_costs: list[int]) -> tuple[int, Size | None]:
        args = e.args
        if overload == "logical_and" or overload == "logical_or":
            return add(arg_costs[0], arg_costs[1]), None
        if overload == "conditional":
            return self.cost_conditional(e, arg_costs)
        paid = 0
        for c in arg_costs:
            paid = add(paid, c)
        estimator = _BY_OVERLOAD.get(overload) or _BY_FUNCTION.get(e.function)
        if estimator is not None:
            found = estimator(self, e, overload)
            if found is not None:
                return add(found[0], paid), found[1]
        if overload in _BY_SMALLER_SIZE:
            smaller = min(self.size_or_unknown(args[0])[1], self.size_or_unknown(args[1])[1])
            return add(by_factor(smaller, STRING_FACTOR), paid), None
        if overload in ("add_string", "add_bytes", "add_list"):
            size = add_sizes(self.size_or_unknown(args[0]), self.size_or_unknown(args[1]))
            e.entry = _union_entries(self.entry_of(args[0]), self.entry_of(args[1])) or e.entry
            return add(1 if overload == "add_list" else by_factor(size[1], STRING_FACTOR), paid), size
        return add(1, paid), None

    def cost_conditional(self, e: Call, arg_costs: list[int]) -> tuple[int, Size | None]:
        yes, no = e.args[1], e.args[2]
        size = union(self.size_or_unknown(yes), self.size_or_unknown(no))
        e.entry = _union_entries(self.entry_of(yes), self.entry_of(no)) or e.entry
        return add(arg_costs[0], max(arg_costs[1], arg_costs[2])), size


def _is_scalar(t: Type) -> bool:
    return t.kind in types.SCALAR_KINDS or (types.is_optional(t) and _is_scalar(t.params[0]))


def _union_entries(a: EntrySize | None, b: EntrySize | None) -> EntrySize | None:
    if a is None or b is None:
        return None
    return a[0], union(a[1], b[1]), union(a[2], b[2])


# Cost and size of the result; None where the general rule applies.
_Estimate = tuple[int, Size | None] | None
_CallEstimator = Callable[[Estimator, Call, str], _Estimate]

_ORDER: Final = ("less", "less_equals", "greater", "greater_equals")
_BY_SMALLER_SIZE: Final = frozenset(
    ("equals", "not_equals", *(f"{word}_{name}" for word in _ORDER for name in ("string", "bytes")))
)


def _one(c: Estimator, e: Call, overload: str) -> _Estimate:
    return 1, None


def _check(c: Estimator, e: Call, overload: str) -> _Estimate:
    return CHECK_COST, None


def _selector(c: Estimator, e: Call, overload: str) -> _Estimate:
    return selector_cost(c.size_or_unknown(e.args[0])[1]), None


def selector_cost(size: int) -> int:
    """Parsing a selector: its text, and a struct and a list for each of at most size/2 requirements."""
    requirements = by_factor(by_factor(size, 0.5), float(LIST_COST + STRUCT_COST))
    return add(add(LIST_COST, by_factor(size, STRING_FACTOR)), requirements)


def _traversal(c: Estimator, e: Call, overload: str) -> _Estimate:
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


def _first_argument(c: Estimator, e: Call, overload: str) -> _Estimate:
    size = c.size_or_unknown(e.args[0])
    return by_factor(size[1], STRING_FACTOR), size


def _target(c: Estimator, e: Call, overload: str) -> _Estimate:
    if e.target is None:
        return None
    size = c.size_or_unknown(e.target)
    return by_factor(size[1], STRING_FACTOR), size


def _replace(c: Estimator, e: Call, overload: str) -> _Estimate:
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


def _split(c: Estimator, e: Call, overload: str) -> _Estimate:
    assert e.target is not None
    size = c.size_or_unknown(e.target)
    most = size[1]
    if len(e.args) > 1 and type(e.args[1]) is Const and type(e.args[1].value) is int:
        most = e.args[1].value & COST_MAX
    return by_factor(size[1], 2 * STRING_FACTOR), (0, most)


def _join(c: Estimator, e: Call, overload: str) -> _Estimate:
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


def _regex(c: Estimator, target: Expr, pattern: Expr) -> int:
    text = by_factor(add(c.size_or_unknown(target)[1], 1), STRING_FACTOR)
    return multiply(text, by_factor(c.size_or_unknown(pattern)[1], REGEX_FACTOR))


def _find(c: Estimator, e: Call, overload: str) -> _Estimate:
    assert e.target is not None
    return _regex(c, e.target, e.args[0]), (0, c.size_or_unknown(e.target)[1])


def _matches(c: Estimator, e: Call, overload: str) -> _Estimate:
    return (_regex(c, e.target, e.args[0]), None) if e.target is not None else None


def _contains(c: Estimator, e: Call, overload: str) -> _Estimate:
    assert e.target is not None
    text = by_factor(c.size_or_unknown(e.target)[1], STRING_FACTOR)
    return multiply(text, by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR)), None


def _parse(c: Estimator, e: Call, overload: str) -> _Estimate:
    if e.target is not None:  # cidr.ip() is a field
        return 1, None
    return by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR), None


def _parse_twice(c: Estimator, e: Call, overload: str) -> _Estimate:
    return by_factor(c.size_or_unknown(e.args[0])[1], 2 * STRING_FACTOR), None


def _cidr_contains(c: Estimator, e: Call, overload: str) -> _Estimate:
    cost = by_factor(32, STRING_FACTOR)  # two addresses of at most 16 bytes
    if overload.startswith("cidr_contains_cidr"):
        cost += by_factor(16, STRING_FACTOR) + 1
    if overload.endswith("_string"):
        cost = add(cost, by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR))
    return cost, None


def _validate(c: Estimator, e: Call, overload: str) -> _Estimate:
    text = by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR)
    return by_factor(text, FORMAT_REGEX_SIZE_MAX * REGEX_FACTOR), None


def _equality(c: Estimator, e: Call, overload: str) -> _Estimate:
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


def _string_to_bytes(c: Estimator, e: Call, overload: str) -> _Estimate:
    size = c.size_or_unknown(e.args[0])
    return by_factor(size[1], STRING_FACTOR), (size[0], (size[1] * 4) & COST_MAX)


def _bytes_to_string(c: Estimator, e: Call, overload: str) -> _Estimate:
    size = c.size_or_unknown(e.args[0])
    return by_factor(size[1], STRING_FACTOR), (size[0] // 4, size[1])


def _quote(c: Estimator, e: Call, overload: str) -> _Estimate:
    size = c.size_or_unknown(e.args[0])
    return by_factor(size[1], STRING_FACTOR), (size[0] + 2, (size[1] * 2 + 2) & COST_MAX)


def _format(c: Estimator, e: Call, overload: str) -> _Estimate:
    assert e.target is not None
    return by_factor(c.size_or_unknown(e.target)[1], STRING_FACTOR), None


def _prefix(c: Estimator, e: Call, overload: str) -> _Estimate:
    return by_factor(c.size_or_unknown(e.args[0])[1], STRING_FACTOR), None


def _in_list(c: Estimator, e: Call, overload: str) -> _Estimate:
    return c.size_or_unknown(e.args[1])[1], None


def _sets(factor: int) -> _CallEstimator:
    def estimate_sets(c: Estimator, e: Call, overload: str) -> _Estimate:
        product = multiply(c.size_or_unknown(e.args[0])[1], c.size_or_unknown(e.args[1])[1])
        return add(by_factor(product, float(factor)), 1), None

    return estimate_sets


def _new_list(factor: float, size: Size) -> _Estimate:
    return add(add(by_factor(size[1], factor), 1), LIST_COST), size


def _constant_index(e: Expr, otherwise: int) -> int:
    """A literal index; a negative one, which fails at run time, counts as 0."""
    if type(e) is not Const or type(e.value) is not int:
        return otherwise
    return max(e.value, 0)


def _slice(c: Estimator, e: Call, overload: str) -> _Estimate:
    assert e.target is not None
    most = c.size_or_unknown(e.target)[1]
    size = (_constant_index(e.args[1], most) - _constant_index(e.args[0], 0)) & COST_MAX
    return _new_list(1.0, (size, size))


def _flatten(c: Estimator, e: Call, overload: str) -> _Estimate:
    assert e.target is not None
    depth = _constant_index(e.args[0], COST_MAX) if e.args else 1
    return _new_list(float(depth), c.size_or_unknown(e.target))


def _range(c: Estimator, e: Call, overload: str) -> _Estimate:
    size = _constant_index(e.args[0], COST_MAX)
    return _new_list(1.0, (size, size))


def _reverse(c: Estimator, e: Call, overload: str) -> _Estimate:
    assert e.target is not None
    return _new_list(1.0, c.size_or_unknown(e.target))


def _distinct(c: Estimator, e: Call, overload: str) -> _Estimate:
    assert e.target is not None
    size = c.size_or_unknown(e.target)
    return _new_list(2.0, (multiply(size[0], size[0]), multiply(size[1], size[1])))


def _sort(c: Estimator, e: Call, overload: str) -> _Estimate:
    keys = e.args[0] if e.args else e.target
    assert keys is not None
    size = c.size_or_unknown(keys)
    factor = 2.0 + (STRING_FACTOR if overload.startswith(("list_string", "list_bytes")) else 0.0)
    return _new_list(factor, (multiply(size[0], size[0]), multiply(size[1], size[1])))


_BY_OVERLOAD: Final[dict[str, _CallEstimator]] = {
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _distinct,
    "string_to_bytes": _string_to_bytes,
    "bytes_to_string": _bytes_to_string,
    "strings_quote": _quote,
    "string_format": _format,
    "starts_with_string": _prefix,
    "ends_with_string": _prefix,
    "in_list": _in_list,
    "matches_string": _matches,
    "contains_string": _contains,
}

_BY_FUNCTION: Final[dict[str, _CallEstimator]] = {
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
    "sort": _sort,
    "@sortByAssociatedKeys": _sort,
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversal),
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
