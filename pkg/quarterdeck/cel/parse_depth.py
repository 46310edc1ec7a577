"""How deep an expression may be, by cel-go's two limits.

While it reads, each rule of the grammar may be within itself so often; what it has read is visited, and some of the
nodes count there. Source: cel-go's parser/parser.go (recursionListener, Visit).

Differs from upstream: a third limit counts all nodes, `!`, `&&`, lists, maps and calls without a target too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from quarterdeck.cel.ast import Call, Comprehension, Expr, ListExpr, MapExpr, Select, StructExpr

DEPTH_MAX: Final = 250
# All nodes within one another, those too that upstream does not count: walks of the tree take stack.
_NODES_MAX: Final = 2 * DEPTH_MAX
_VISITED: Final = frozenset(
    ("_?_:_", "_<_", "_<=_", "_>_", "_>=_", "_==_", "_!=_", "@in", "_*_", "_/_", "_%_", "_+_", "_-_",
     "_[_]", "_[?_]", "_?._")
)  # fmt: skip


class TooDeep(Exception):
    """With upstream's text."""


def refuse_nesting() -> TooDeep:
    """A rule of the grammar is within itself too often."""
    return TooDeep(f"expression recursion limit exceeded: {DEPTH_MAX}")


def check(tree: Expr) -> None:
    """Raises TooDeep."""
    nodes, visits = _depths_of(tree)
    if visits > DEPTH_MAX or nodes > _NODES_MAX:
        raise TooDeep("max recursion depth exceeded")


def _depths_of(tree: Expr) -> tuple[int, int]:
    """Of all nodes, and of those that are counted: operators with two sides or three, selections, indexes, and calls
    on a target, macros as they were written. Without recursion, since the answer decides on it."""
    deepest = most_visits = 0
    stack: list[tuple[Expr | None, int, int]] = [(tree, 1, 0)]
    while stack:
        e, depth, visits = stack.pop()
        if e is None:
            continue
        below: Iterable[Expr | None] = ()
        if type(e) is Call:
            visits += e.target is not None or e.function in _VISITED
            below = (*e.args, e.target)
        elif type(e) is Select:
            visits += 1
            below = (e.operand,)
        elif type(e) is ListExpr:
            below = e.items
        elif type(e) is MapExpr:
            below = (*e.keys, *e.values)
        elif type(e) is StructExpr:
            below = e.values
        elif type(e) is Comprehension:
            visits += 1
            below = (e.accu_init, e.result) if e.bind else (e.source, e.test, e.item)
        deepest, most_visits = max(deepest, depth), max(most_visits, visits)
        stack += [(each, depth + 1, visits) for each in below]
    return deepest, most_visits
