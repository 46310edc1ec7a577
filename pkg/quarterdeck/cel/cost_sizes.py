"""Sizes of the values in one expression, as far as the schema, literals and loops tell.

Paths and sizes that were found stand in the nodes themselves. Source: cel-go's checker/cost.go (computeSize, AstNode).
"""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.cel import types
from quarterdeck.cel.ast import Call, Comprehension, Const, EntrySize, Expr, Ident, ListExpr, MapExpr
from quarterdeck.cel.cost_math import UNKNOWN, Size, SizeEstimator
from quarterdeck.cel.cost_paths import Path
from quarterdeck.cel.types import Type


class Sizes:
    """What is known while one tree is walked. `sizes` tells what the data may hold at a path."""

    __slots__ = ("locals", "sizes")

    def __init__(self, sizes: SizeEstimator) -> None:
        self.sizes = sizes
        # Of each local variable, innermost last: path, size, sizes of its entries.
        self.locals: dict[str, list[tuple[Path, Size | None, EntrySize | None]]] = {}

    def path_of(self, e: Expr) -> Path:
        if isinstance(e, Ident) and (known := self.locals.get(e.name)):
            return known[-1][0]
        return e.path

    def size_of(self, e: Expr) -> Size | None:
        if e.size is not None:
            return e.size
        if isinstance(e, Const):
            value = e.value
            length = len(value) if isinstance(value, (str, bytes)) else 1
            return length, length
        if isinstance(e, ListExpr):
            length = len(e.items)
            return length, length
        if isinstance(e, MapExpr):
            length = len(e.keys)
            return length, length
        path = self.path_of(e)
        if path and (found := self.sizes(path.names())) is not None:
            e.size = found
            return found
        if _is_scalar(e.type):
            return 1, 1
        if isinstance(e, Ident) and (known := self.locals.get(e.name)):
            return known[-1][1]
        return None

    def size_or_unknown(self, e: Expr) -> Size:
        return self.size_of(e) or UNKNOWN

    def entry_of(self, e: Expr) -> EntrySize | None:
        if isinstance(e, (Call, Comprehension, ListExpr, MapExpr)):
            return e.entry
        if isinstance(e, Ident) and (known := self.locals.get(e.name)):
            return known[-1][2]
        return None

    def element_size(self, e: Expr) -> tuple[Type, Size] | None:
        """Type and size of a list's elements; None where the type has no parameter."""
        params = e.type.params
        if not params:
            return None
        names = self.path_of(e).names()
        if names and names[0] in ("@result", "__result__"):
            names = ()
        found = self.sizes((*names, "@items")) if names else None
        return params[0], found or UNKNOWN

    def push(self, name: str, path: Path, size: Size | None = None, entry: EntrySize | None = None) -> None:
        self.locals.setdefault(name, []).append((path, size, entry))


def _is_scalar(t: Type) -> bool:
    return t.kind in types.SCALAR_KINDS or (types.is_optional(t) and _is_scalar(t.params[0]))


# Cost and size of the result; None where the general rule applies.
CallEstimate = tuple[int, Size | None] | None
CallEstimator = Callable[[Sizes, Call, str], CallEstimate]
