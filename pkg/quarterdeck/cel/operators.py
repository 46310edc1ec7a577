"""Operators, and the functions that are nodes of their own: from the nodes of their operands.

Source: cel-go's interpreter/planner.go; optimizations.go for membership in constant lists and types of constants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck._kernels import celcall, celeval, celops, celvalue
from quarterdeck.cel.ast import Call, Expr, ListExpr, MapExpr
from quarterdeck.cel.values import TypeValue

# The target of a member function is the first operand.
Operands = tuple[celeval.Node, ...]

_ORDER: Final = {"_<_": 0, "_<=_": 1, "_>_": 2, "_>=_": 3}
_ARITH: Final = {"_+_": 0, "_-_": 1, "_*_": 2, "_/_": 3, "_%_": 4}


def _and(e: Call, operands: Operands) -> celeval.Node:
    return celops.And(operands[0], operands[1])


def _or(e: Call, operands: Operands) -> celeval.Node:
    return celops.Or(operands[0], operands[1])


def _equal(e: Call, operands: Operands) -> celeval.Node:
    return celops.Equal(operands[0], operands[1], e.function == "_!=_", _has_literals(e.args[1]))


def _compare(e: Call, operands: Operands) -> celeval.Node:
    by_size = len(e.overloads) == 1 and e.overloads[0].endswith(("_string", "_bytes"))
    return celops.Compare(_ORDER[e.function], operands[0], operands[1], by_size)


def _arith(e: Call, operands: Operands) -> celeval.Node:
    by_size = e.overloads in (("add_string",), ("add_bytes",))
    return celops.Arith(_ARITH[e.function], operands[0], operands[1], by_size, _has_literals(e.args[1]))


def _has_literals(e: Expr) -> bool:
    """Whether an expression is a list in which lists or maps are written."""
    while isinstance(e, Call) and e.function == "dyn":
        e = e.args[0]
    return isinstance(e, ListExpr) and any(isinstance(item, (ListExpr, MapExpr)) for item in e.items)


def _not(e: Call, operands: Operands) -> celeval.Node:
    return celops.Not(operands[0])


def _negate(e: Call, operands: Operands) -> celeval.Node:
    return celops.Negate(operands[0])


def _in(e: Call, operands: Operands) -> celeval.Node:
    left, right = operands
    is_list = e.overloads == ("in_list",)
    if is_list and isinstance(right, celeval.Const) and isinstance(right.value, list):
        if not right.value:
            return celeval.Const(False)
        if all(isinstance(item, (str, bool, int, float)) for item in right.value):
            return celops.InConstants(left, right.value)
    is_made = isinstance(right, (celcall.MakeMap, celcall.Loop, celeval.Const))
    return celops.InList(left, right, is_list, is_made)


def _size(e: Call, operands: Operands) -> celeval.Node:
    return celops.Size(operands[0])


def _type(e: Call, operands: Operands) -> celeval.Node:
    operand = operands[0]
    if isinstance(operand, celeval.Const):
        return celeval.Const(TypeValue(celvalue.cel_type_name(operand.value)))
    return celops.TypeOf(operand)


def _or_else(e: Call, operands: Operands) -> celeval.Node:
    return celcall.OrElse(operands[0], operands[1], e.function == "orValue")


BUILDERS: Final[dict[str, Callable[[Call, Operands], celeval.Node]]] = {
    "_&&_": _and,
    "_||_": _or,
    "_==_": _equal,
    "_!=_": _equal,
    **dict.fromkeys(_ORDER, _compare),
    **dict.fromkeys(_ARITH, _arith),
    "!_": _not,
    "-_": _negate,
    "@in": _in,
    "size": _size,
    "type": _type,
    "or": _or_else,
    "orValue": _or_else,
}
