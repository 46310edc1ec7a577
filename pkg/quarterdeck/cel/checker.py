"""The type checker: gives each node its type and the overloads that fit.

Messages, their places and the order of attempts are cel-go's (checker/checker.go), since CRD authors and tests read
them. Literals of mixed types are dyn here; the validators refuse them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quarterdeck.cel import messages, overloads, types, validators
from quarterdeck.cel.ast import (
    Call,
    Comprehension,
    Const,
    Expr,
    Ident,
    ListExpr,
    MapExpr,
    Select,
    StructExpr,
    qualified_name,
)
from quarterdeck.cel.decls import Function
from quarterdeck.cel.scopes import Scopes
from quarterdeck.cel.source import Issue
from quarterdeck.cel.substitution import Substitution, most_general
from quarterdeck.cel.types import BOOL, DYN, ERROR, INT, Kind, Type

_LOGICAL: Final = {"_&&_": ("logical_and",), "_||_": ("logical_or",)}


class Checker:
    """One check of one expression. `names` are the environment's variables, `structs` its object types by name."""

    def __init__(
        self, names: Mapping[str, Type], functions: Mapping[str, Function], structs: Mapping[str, Type]
    ) -> None:
        self.scopes = Scopes(names, structs)
        self.functions = functions
        self.bound = Substitution()
        self.issues: list[Issue] = []
        self.generic: list[Expr] = []
        self.has_literals = False  # whether there may be something for the validators

    def check_all(self, e: Expr) -> list[Issue]:
        """Checks the tree; what is still unknown of a type afterwards is dyn."""
        self.check(e)
        if self.generic:
            self.bound.settle()
            for node in self.generic:
                node.type = self.bound.apply(node.type, True)
        return self.issues

    def report(self, pos: int, message: str) -> None:
        self.issues.append(Issue(pos, message))

    def undeclared(self, e: Expr, name: str) -> None:
        self.report(e.pos, f"undeclared reference to '{name}' (in container '')")
        e.type = ERROR

    def set_type(self, e: Expr, t: Type) -> None:
        e.type = t
        if t.generic:
            self.generic.append(e)

    def check(self, e: Expr) -> None:
        if isinstance(e, Const):
            return
        if isinstance(e, Select):
            self.check_select(e)
        elif isinstance(e, Ident):
            self.check_ident(e)
        elif isinstance(e, Call):
            self.check_call(e)
        elif isinstance(e, Comprehension):
            self.check_comprehension(e)
        elif isinstance(e, ListExpr):
            self.check_list(e)
        elif isinstance(e, MapExpr):
            self.check_map(e)
        else:
            assert isinstance(e, StructExpr)
            self.check_struct(e)

    # --- names and fields

    def check_ident(self, e: Ident) -> None:
        found = self.scopes.lookup(e.name)
        if found is None:
            self.undeclared(e, e.name)
            return
        e.name = e.name.removeprefix(".")
        self.set_type(e, found)

    def check_select(self, e: Select) -> None:
        if not e.test:
            name = qualified_name(e)
            if name is not None and (found := self.scopes.lookup(name)) is not None:
                e.qualified = name.removeprefix(".")
                self.set_type(e, found)
                return
        result = self.select_type(e.pos, e.operand, e.field, optional=False)
        self.set_type(e, BOOL if e.test else result)

    def select_type(self, pos: int, operand: Expr, field: str, optional: bool) -> Type:
        """The type of `operand.field`; an optional operand gives an optional result."""
        self.check(operand)
        target = self.bound.apply(operand.type)
        if types.is_optional(target):
            optional = True
            target = target.params[0]
        kind = target.kind
        result = ERROR
        if kind == Kind.STRUCT:
            found = target.field_type(field)
            if found is not None:
                result = found
            elif target.fields is not None:
                self.report(pos, f"undefined field '{field}'")
            else:
                self.report(pos, f"unexpected failed resolution of '{target}'")
        elif kind == Kind.MAP:
            result = target.params[1]
        elif kind == Kind.PARAM:
            self.bound.assignable(DYN, target)
            result = DYN
        else:
            if not types.is_dyn_or_error(target):
                self.report(pos, f"type '{target}' does not support field selection")
            result = DYN
        result = self.bound.apply(result)
        return types.optional_of(result) if optional else result

    # --- calls

    def check_call(self, e: Call) -> None:
        name = e.function
        args = e.args
        if name == "_?._":
            field = args[1]
            assert isinstance(field, Const) and isinstance(field.value, str)
            self.set_type(e, self.select_type(e.pos, args[0], field.value, optional=True))
            e.overloads = ("select_optional_field",)
            return
        for arg in args:
            self.check(arg)
        function = self.function_of(e)
        if function is None:
            self.undeclared(e, name)
            return
        e.function = function.name
        if function.name in validators.WATCHED:
            self.has_literals = True
        if function.name in _LOGICAL:
            self.check_operands(e)
        else:
            self.resolve(e, function)

    def function_of(self, e: Call) -> Function | None:
        """The function that is called. What looks like the target may be part of its name: then it is taken away."""
        target = e.target
        if target is None:
            return self.functions.get(e.function.removeprefix("."))
        prefix = qualified_name(target)
        if prefix is not None:
            function = self.functions.get(f"{prefix}.{e.function}".removeprefix("."))
            if function is not None:
                e.target = None
                return function
        self.check(target)
        return self.functions.get(e.function)

    def check_operands(self, e: Call) -> None:
        """`&&` and `||`: each operand that is no bool is told by itself."""
        fits = True
        for operand in e.args:
            if operand.type is not BOOL and not self.bound.assignable(operand.type, BOOL):
                self.report(operand.pos, f"expected type '{BOOL}' but found '{operand.type}'")
                fits = False
        e.type = BOOL if fits else ERROR
        e.overloads = _LOGICAL[e.function]

    def resolve(self, e: Call, function: Function) -> None:
        """Gives the call its overloads and its type."""
        operands = e.args if e.target is None else [e.target, *e.args]
        given = [operand.type for operand in operands]
        resolution = overloads.resolve(function, e.target is not None, given, self.bound)
        if resolution is None:
            shown = types.format_call([self.bound.apply(t, True) for t in given], e.target is not None)
            self.report(e.pos, f"found no matching overload for '{function.name}' applied to '{shown}'")
            e.type = ERROR
            return
        e.overloads = resolution[0]
        self.set_type(e, resolution[1])

    # --- literals

    def join(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        if self.bound.assignable(previous, current):
            return most_general(previous, current)
        return DYN  # the validators refuse it, save as arguments of format()

    def element_type(self, e: Expr, optional: bool) -> Type:
        self.check(e)
        if not optional:
            return e.type
        if types.is_optional(e.type):
            return e.type.params[0]
        if not types.is_dyn(e.type):
            self.report(e.pos, f"expected type '{types.optional_of(e.type)}' but found '{e.type}'")
        return e.type

    def check_list(self, e: ListExpr) -> None:
        self.has_literals = True
        joined: Type | None = None
        for i, item in enumerate(e.items):
            joined = self.join(joined, self.element_type(item, i in e.optionals))
        self.set_type(e, types.list_of(joined if joined is not None else self.bound.fresh()))

    def check_map(self, e: MapExpr) -> None:
        self.has_literals = True
        key_type: Type | None = None
        value_type: Type | None = None
        for i, (key, value) in enumerate(zip(e.keys, e.values, strict=True)):
            self.check(key)
            key_type = self.join(key_type, key.type)
            value_type = self.join(value_type, self.element_type(value, i in e.optionals))
        if key_type is None or value_type is None:
            key_type, value_type = self.bound.fresh(), self.bound.fresh()
        self.set_type(e, types.map_of(key_type, value_type))

    def check_struct(self, e: StructExpr) -> None:
        found = self.scopes.lookup(e.name)
        struct: Type = ERROR
        if found is None:
            self.undeclared(e, e.name)
            return
        e.name = name = e.name.removeprefix(".")
        if found.kind != Kind.TYPE:
            self.report(e.pos, f"'{found}' is not a type")
        elif found.params[0].kind != Kind.STRUCT and messages.name_of(found.params[0]) is None:
            self.report(e.pos, f"'{name}' is not a message type")
        else:
            struct = found.params[0]
        self.set_type(e, struct)
        for i, (field, value, pos) in enumerate(zip(e.fields, e.values, e.positions, strict=True)):
            given = self.element_type(value, i in e.optionals)
            wanted, fault = messages.field_of(struct, name, field, value.type)
            if fault is not None:
                self.report(pos, fault)
            if not self.bound.assignable(given, wanted):
                self.report(pos, f"expected type of field '{field}' is '{wanted}' but provided type is '{given}'")

    # --- comprehensions

    def check_comprehension(self, e: Comprehension) -> None:
        self.check(e.source)
        self.check(e.accu_init)
        source = self.bound.apply(e.source.type)
        accu_type = e.accu_init.type
        kind = source.kind
        if kind == Kind.LIST:
            first, second = (INT, source.params[0]) if e.var2 is not None else (source.params[0], ERROR)
        elif kind == Kind.MAP:
            first, second = source.params
        elif kind in (Kind.DYN, Kind.ERROR, Kind.PARAM):  # not of what is `any`
            self.bound.assignable(DYN, source)
            first = second = DYN
        else:
            first = second = ERROR
            self.report(
                e.source.pos,
                f"expression of type '{source}' cannot be range of a comprehension (must be list, map, or dynamic)",
            )
        self.scopes.inner.append({e.accu_var: accu_type})
        inner = {e.var: first}
        if e.var2 is not None:
            inner[e.var2] = second
        self.scopes.inner.append(inner)
        self.check(e.cond)
        self.assert_type(e.cond, BOOL)
        self.check(e.step)
        self.assert_type(e.step, accu_type)
        self.scopes.inner.pop()
        self.check(e.result)
        self.scopes.inner.pop()
        self.set_type(e, self.bound.apply(e.result.type))

    def assert_type(self, e: Expr, wanted: Type) -> None:
        if e.type is wanted or self.bound.assignable(wanted, e.type):
            return
        shown = self.bound.apply(wanted), self.bound.apply(e.type)
        self.report(e.pos, f"expected type '{shown[0]}' but found '{shown[1]}'")
