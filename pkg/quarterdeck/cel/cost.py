"""The static cost estimate: the most an expression may cost, before any data is seen.

Source: cel-go's checker/cost.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.cel import cost_calls, cost_paths
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
from quarterdeck.cel.cost_math import (
    COST_MAX,
    LIST_COST,
    MAP_COST,
    STRING_FACTOR,
    STRUCT_COST,
    Size,
    SizeEstimator,
    add,
    add_sizes,
    by_factor,
    multiply,
    union,
)
from quarterdeck.cel.cost_sizes import Sizes
from quarterdeck.cel.types import Kind

_ORDER: Final = ("less", "less_equals", "greater", "greater_equals")
_BY_SMALLER_SIZE: Final = frozenset(
    ("equals", "not_equals", *(f"{word}_{name}" for word in _ORDER for name in ("string", "bytes")))
)


def estimate(tree: Expr, sizes: SizeEstimator) -> int:
    """The highest cost of a checked tree."""
    return Estimator(sizes).cost(tree)


class Estimator(Sizes):
    """The walk over one tree."""

    __slots__ = ()

    def cost(self, e: Expr) -> int:
        if isinstance(e, Const):
            return 0
        if isinstance(e, Ident):
            known = self.locals.get(e.name)
            e.path = known[-1][0] if known else cost_paths.path_of(e.name)
            return 1
        if isinstance(e, Select):
            return self.cost_select(e)
        if isinstance(e, Call):
            return self.cost_call(e)
        if isinstance(e, ListExpr):
            return self.cost_list(e)
        if isinstance(e, MapExpr):
            return self.cost_map(e)
        if isinstance(e, Comprehension):
            return self.cost_comprehension(e)
        assert isinstance(e, StructExpr)
        total = STRUCT_COST
        for value in e.values:
            total = add(total, self.cost(value))
        return total

    def cost_select(self, e: Select) -> int:
        if e.qualified is not None:
            e.path = cost_paths.path_of(e.qualified)
            return 1
        total = self.cost(e.operand)
        if e.test:
            return total
        if e.operand.type.kind in (Kind.MAP, Kind.STRUCT, Kind.PARAM):
            total = add(total, 1)
        e.path = self.path_of(e.operand).then(e.field)
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
        is_list = not entry[0] if entry is not None else e.source.type.kind == Kind.LIST
        path = self.path_of(e.source)
        keys = None if entry is None else entry[1]
        values = None if entry is None else entry[2]
        if e.var2 is not None:
            self.push(e.var, path.then("@indices" if is_list else "@keys"), keys)
            self.push(e.var2, path.then("@items" if is_list else "@values"), values)
        elif is_list:
            self.push(e.var, path.then("@items"), values)
        else:
            self.push(e.var, path.then("@keys"), keys)
        turn = add(self.cost(e.cond), self.cost(e.step))
        self.locals[e.var].pop()
        if e.var2 is not None:
            self.locals[e.var2].pop()
        total = add(total, self.cost(e.result))
        self.locals[e.accu_var].pop()
        turns = self.size_or_unknown(e.source)
        total = add(total, multiply(turns[1], turn))
        if isinstance(e.accu_init, Const):
            e.size = self.size_of(e.accu_init)
        elif isinstance(e.accu_init, (ListExpr, MapExpr)):
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
        arg_costs = [self.cost_argument(arg) for arg in args]
        if not e.overloads:
            return 0
        total = self.cost_argument(e.target) if e.target is not None else 0
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
                e.path = self.path_of(args[0]).then("@items" if overload == "index_list" else "@values")
            if result is None:
                result = self.size_of(e)
        if result is not None:
            e.size = result
        return add(total, highest)

    def cost_argument(self, e: Expr) -> int:
        """Its size is found here, since its path may be another one once the next argument was looked at."""
        cost = self.cost(e)
        self.size_of(e)
        return cost

    def cost_overload(self, e: Call, overload: str, arg_costs: list[int]) -> tuple[int, Size | None]:
        args = e.args
        if overload == "logical_and" or overload == "logical_or":
            return add(arg_costs[0], arg_costs[1]), None
        if overload == "conditional":
            return self.cost_conditional(e, arg_costs)
        paid = 0
        for c in arg_costs:
            paid = add(paid, c)
        estimator = cost_calls.BY_OVERLOAD.get(overload) or cost_calls.BY_FUNCTION.get(e.function)
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


def _union_entries(a: EntrySize | None, b: EntrySize | None) -> EntrySize | None:
    if a is None or b is None:
        return None
    return a[0], union(a[1], b[1]), union(a[2], b[2])
