"""Macros: calls that the parser replaces by other expressions.

What a macro makes is checked and its cost estimated like any other expression, so the expansions here are cel-go's
(parser/macro.go, cel/library.go, ext/comprehensions.go, ext/lists.go); the compiler recognises the loops by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.cel.ast import ACCUMULATOR, Call, Comprehension, Const, Expr, Ident, ListExpr, MapExpr, Select
from quarterdeck.cel.types import BOOL, INT

Macro = Callable[[int, Expr | None, list[Expr]], Expr | None]
Macros = dict[tuple[str, int, bool], Macro]  # by name, number of arguments, whether it is called on a target

UNUSED: Final = "#unused"
_SORT_INPUT: Final = "@__sortBy_input__"


class MacroError(Exception):
    def __init__(self, pos: int, message: str) -> None:
        super().__init__(message)
        self.pos = pos
        self.message = message


def _has(pos: int, target: Expr | None, args: list[Expr]) -> Expr | None:
    selected = args[0]
    if type(selected) is Select and not selected.test:
        return Select(pos, selected.operand, selected.field, test=True)
    raise MacroError(selected.pos, "invalid argument to has() macro")


_NO_NAME: Final = "argument must be a simple name"
_NO_IDENTIFIER: Final = "argument is not an identifier"  # the words of map(), filter() and sortBy()


def _loop(
    pos: int, macro: str, target: Expr | None, args: list[Expr], variables: int, complaint: str = _NO_NAME
) -> Comprehension:
    assert target is not None
    names: list[str] = []
    for arg in args[:variables]:
        if not isinstance(arg, Ident):
            raise MacroError(arg.pos, complaint)
        names.append(arg.name)
    if variables == 2 and names[0] == names[1]:
        raise MacroError(args[1].pos, f"duplicate variable name: {names[1]}")
    for arg, name in zip(args, names, strict=False):
        if name in (ACCUMULATOR, "__result__"):
            raise MacroError(arg.pos, "iteration variable overwrites accumulator variable")
    return Comprehension(pos, macro, target, names[0], names[1] if variables == 2 else None)


def _accu(pos: int) -> Ident:
    return Ident(pos, ACCUMULATOR)


def _all(variables: int) -> Macro:
    def expand(pos: int, target: Expr | None, args: list[Expr]) -> Expr:
        loop = _loop(pos, "all", target, args, variables)
        loop.test = args[-1]
        loop.accu_init = Const(pos, True, BOOL)
        loop.cond = Call(pos, "@not_strictly_false", [_accu(pos)])
        loop.step = Call(pos, "_&&_", [_accu(pos), args[-1]])
        loop.result = _accu(pos)
        return loop

    return expand


def _exists(variables: int) -> Macro:
    def expand(pos: int, target: Expr | None, args: list[Expr]) -> Expr:
        loop = _loop(pos, "exists", target, args, variables)
        loop.test = args[-1]
        loop.accu_init = Const(pos, False, BOOL)
        loop.cond = Call(pos, "@not_strictly_false", [Call(pos, "!_", [_accu(pos)])])
        loop.step = Call(pos, "_||_", [_accu(pos), args[-1]])
        loop.result = _accu(pos)
        return loop

    return expand


def _exists_one(variables: int) -> Macro:
    def expand(pos: int, target: Expr | None, args: list[Expr]) -> Expr:
        loop = _loop(pos, "exists_one", target, args, variables)
        loop.test = args[-1]
        loop.accu_init = Const(pos, 0, INT)
        loop.cond = Const(pos, True, BOOL)
        one_more = Call(pos, "_+_", [_accu(pos), Const(pos, 1, INT)])
        loop.step = Call(pos, "_?_:_", [args[-1], one_more, _accu(pos)])
        loop.result = Call(pos, "_==_", [_accu(pos), Const(pos, 1, INT)])
        return loop

    return expand


def _gather(loop: Comprehension, pos: int, test: Expr | None, step: Expr, init: Expr) -> Expr:
    loop.test = test
    loop.accu_init = init
    loop.cond = Const(pos, True, BOOL)
    loop.step = step if test is None else Call(pos, "_?_:_", [test, step, _accu(pos)])
    loop.result = _accu(pos)
    return loop


def _map(variables: int) -> Macro:
    def expand(pos: int, target: Expr | None, args: list[Expr]) -> Expr:
        complaint = _NO_IDENTIFIER if variables == 1 else _NO_NAME
        loop = _loop(pos, "map", target, args, variables, complaint)
        loop.item = args[-1]
        step = Call(pos, "_+_", [_accu(pos), ListExpr(pos, [args[-1]])])
        test = args[variables] if len(args) == variables + 2 else None
        return _gather(loop, pos, test, step, ListExpr(pos, []))

    return expand


def _filter(pos: int, target: Expr | None, args: list[Expr]) -> Expr:
    loop = _loop(pos, "map", target, args, 1, _NO_IDENTIFIER)
    loop.item = args[0]
    step = Call(pos, "_+_", [_accu(pos), ListExpr(pos, [args[0]])])
    return _gather(loop, pos, args[1], step, ListExpr(pos, []))


def _transform_map(pos: int, target: Expr | None, args: list[Expr]) -> Expr:
    loop = _loop(pos, "transform_map", target, args, 2)
    loop.item = args[-1]
    step = Call(pos, "cel.@mapInsert", [_accu(pos), Ident(pos, loop.var), args[-1]])
    return _gather(loop, pos, args[2] if len(args) == 4 else None, step, MapExpr(pos, [], []))


def _transform_map_entry(pos: int, target: Expr | None, args: list[Expr]) -> Expr:
    loop = _loop(pos, "transform_entry", target, args, 2)
    loop.item = args[-1]
    step = Call(pos, "cel.@mapInsert", [_accu(pos), args[-1]])
    return _gather(loop, pos, args[2] if len(args) == 4 else None, step, MapExpr(pos, [], []))


def _bind(pos: int, name: str, value: Expr, body: Expr) -> Comprehension:
    """`name` stands for `value` in `body`: a loop that never turns."""
    bound = Comprehension(pos, "bind", ListExpr(pos, []), UNUSED, None)
    bound.bind = True
    bound.accu_var = name
    bound.accu_init = value
    bound.cond = Const(pos, False, BOOL)
    bound.step = Ident(pos, name)
    bound.result = body
    return bound


def _cel_bind(pos: int, target: Expr | None, args: list[Expr]) -> Expr | None:
    """`cel.bind(name, value, body)`. Source: cel-go's ext/bindings.go."""
    if type(target) is not Ident or target.name != "cel":
        return None
    if type(args[0]) is not Ident:
        raise MacroError(args[0].pos, "cel.bind() variable names must be simple identifiers")
    return _bind(pos, args[0].name, args[1], args[2])


def _opt_map(flat: bool) -> Macro:
    macro = "optFlatMap" if flat else "optMap"

    def expand(pos: int, target: Expr | None, args: list[Expr]) -> Expr:
        assert target is not None
        if type(args[0]) is not Ident:
            raise MacroError(args[0].pos, f"{macro}() variable name must be a simple identifier")
        mapped: Expr = _bind(pos, args[0].name, Call(pos, "value", [], target), args[1])
        if not flat:
            mapped = Call(pos, "optional.of", [mapped])
        return Call(pos, "_?_:_", [Call(pos, "hasValue", [], target), mapped, Call(pos, "optional.none", [])])

    return expand


def _sort_by(pos: int, target: Expr | None, args: list[Expr]) -> Expr:
    if type(target) not in (ListExpr, Select, Ident, Comprehension, Call):
        assert target is not None
        message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        raise MacroError(target.pos, message)
    assert target is not None
    keys = _map(1)(pos, Ident(pos, _SORT_INPUT), args)
    assert keys is not None
    ordered = Call(pos, "@sortByAssociatedKeys", [keys], Ident(pos, _SORT_INPUT))
    return _bind(pos, _SORT_INPUT, target, ordered)


STANDARD: Final[Macros] = {
    ("has", 1, False): _has,
    ("all", 2, True): _all(1),
    ("exists", 2, True): _exists(1),
    ("exists_one", 2, True): _exists_one(1),
    ("map", 2, True): _map(1),
    ("map", 3, True): _map(1),
    ("filter", 2, True): _filter,
    ("optMap", 2, True): _opt_map(flat=False),
    ("optFlatMap", 2, True): _opt_map(flat=True),
    ("sortBy", 2, True): _sort_by,
    ("all", 3, True): _all(2),
    ("exists", 3, True): _exists(2),
    ("existsOne", 3, True): _exists_one(2),
    ("exists_one", 3, True): _exists_one(2),
    ("transformList", 3, True): _map(2),
    ("transformList", 4, True): _map(2),
    ("transformMap", 3, True): _transform_map,
    ("transformMap", 4, True): _transform_map,
    ("transformMapEntry", 3, True): _transform_map_entry,
    ("transformMapEntry", 4, True): _transform_map_entry,
}
# What environments have that know `cel.bind`, too.
WITH_BIND: Final[Macros] = {**STANDARD, ("bind", 3, True): _cel_bind}
