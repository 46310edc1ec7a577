"""The syntax tree. The checker writes each node's type and overloads into it, the cost estimate reads them.

`pos` is the code point offset that errors about the node point to: an operator's own place, a call's parenthesis.
Nodes a macro made have the place of the macro's call.
"""

from __future__ import annotations

from quarterdeck.cel import cost_paths
from quarterdeck.cel.types import DYN, Type


class Expr:
    __slots__ = ("path", "pos", "size", "type")

    def __init__(self, pos: int) -> None:
        self.pos = pos
        self.type: Type = DYN
        # Both belong to the cost estimate: where in the data the value comes from, and its known size.
        self.path = cost_paths.EMPTY
        self.size: tuple[int, int] | None = None


class Const(Expr):
    """`value` is a CEL value; `type` is set here."""

    __slots__ = ("value",)

    def __init__(self, pos: int, value: object, const_type: Type) -> None:
        super().__init__(pos)
        self.value = value
        self.type = const_type


class Ident(Expr):
    __slots__ = ("name",)

    def __init__(self, pos: int, name: str) -> None:
        super().__init__(pos)
        self.name = name


class Select(Expr):
    """`operand.field`; `test` for has(). `qualified` is set by the checker when the whole is one name (`net.IP`)."""

    __slots__ = ("field", "operand", "qualified", "test")

    def __init__(self, pos: int, operand: Expr, field: str, test: bool = False) -> None:
        super().__init__(pos)
        self.operand = operand
        self.field = field
        self.test = test
        self.qualified: str | None = None


class Call(Expr):
    """`overloads` are those the checker found to fit; `target` is None for global functions."""

    __slots__ = ("args", "entry", "function", "overloads", "target")

    def __init__(self, pos: int, function: str, args: list[Expr], target: Expr | None = None) -> None:
        super().__init__(pos)
        self.function = function
        self.args = args
        self.target = target
        self.overloads: tuple[str, ...] = ()
        self.entry: EntrySize | None = None


# Sizes of a container's keys and values: (is a map, key, value).
EntrySize = tuple[bool, tuple[int, int], tuple[int, int]]


class ListExpr(Expr):
    __slots__ = ("entry", "items", "optionals")

    def __init__(self, pos: int, items: list[Expr], optionals: frozenset[int] = frozenset()) -> None:
        super().__init__(pos)
        self.items = items
        self.optionals = optionals
        self.entry: EntrySize | None = None


class MapExpr(Expr):
    __slots__ = ("entry", "keys", "optionals", "values")

    def __init__(self, pos: int, keys: list[Expr], values: list[Expr], optionals: frozenset[int] = frozenset()) -> None:
        super().__init__(pos)
        self.keys = keys
        self.values = values
        self.optionals = optionals
        self.entry: EntrySize | None = None


class StructExpr(Expr):
    """`Name{field: value}`; `positions` are those of the fields' colons, `optionals` counts fields written `?field`."""

    __slots__ = ("fields", "name", "optionals", "positions", "values")

    def __init__(
        self,
        pos: int,
        name: str,
        fields: list[str],
        values: list[Expr],
        positions: list[int],
        optionals: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__(pos)
        self.optionals = optionals
        self.name = name
        self.fields = fields
        self.values = values
        self.positions = positions


class Comprehension(Expr):
    """A loop, as a macro expands to it. `macro` names the loop for the compiler; `test` and `item` are the given
    expressions that are also parts of `step`. `bind` marks a mere binding of `accu_var` for `result`."""

    __slots__ = (
        "accu_init",
        "accu_var",
        "bind",
        "cond",
        "entry",
        "item",
        "macro",
        "result",
        "source",
        "step",
        "test",
        "var",
        "var2",
    )

    def __init__(self, pos: int, macro: str, source: Expr, var: str, var2: str | None) -> None:
        super().__init__(pos)
        self.macro = macro
        self.source = source
        self.var = var
        self.var2 = var2
        self.accu_var = ACCUMULATOR
        self.test: Expr | None = None
        self.item: Expr | None = None
        self.bind = False
        self.entry: EntrySize | None = None
        self.accu_init: Expr
        self.cond: Expr
        self.step: Expr
        self.result: Expr


ACCUMULATOR = "@result"


def qualified_name(e: Expr) -> str | None:
    """`a.b.c` as one name, where the expression is nothing but names."""
    if isinstance(e, Ident):
        return e.name
    if isinstance(e, Select) and not e.test:
        prefix = qualified_name(e.operand)
        return None if prefix is None else f"{prefix}.{e.field}"
    return None


def balanced(function: str, terms: list[Expr], places: list[int], low: int, high: int) -> Expr:
    """A chain of && or || as a balanced tree, so that long chains are not deep."""
    mid = (low + high + 1) // 2
    left = terms[mid] if mid == low else balanced(function, terms, places, low, mid - 1)
    right = terms[mid + 1] if mid == high else balanced(function, terms, places, mid + 1, high)
    return Call(places[mid], function, [left, right])
