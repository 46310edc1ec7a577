"""From a checked syntax tree to the kernel's nodes.

Which node is chosen decides what an evaluation costs, so this follows cel-go's planner with constant folding on
(interpreter/planner.go, optimizations.go): literals of constants, conversions of constants and membership in constant
lists cost nothing; a path is one attribute; the branches of `?:` do not pay for naming a variable.
"""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import celcall, celeval, celkeys, celops, celpath, celvalue
from quarterdeck.apimachinery import patterns
from quarterdeck.cel import functions, lib_strings, nosuchoverload, operators, regex, structs, types
from quarterdeck.cel.ast import Call, Comprehension, Const, Expr, Ident, ListExpr, MapExpr, Select, StructExpr
from quarterdeck.cel.decls import Function, Overload
from quarterdeck.cel.paths import PATHS, Attribute, Conditional
from quarterdeck.cel.values import CelErr, TypeValue

_INDEX: Final = frozenset(("_[_]", "_[?_]", "_?._"))
_STRING_TESTS: Final = {"startsWith": 0, "endsWith": 1, "contains": 2}
_STRUCT_COST: Final = 40
_NEVER_OPTIONAL: Final = frozenset((*range(types.Kind.NULL, types.Kind.STRUCT + 1), types.Kind.TYPE))
_RUNTIME_TYPE_NAMES: Final = {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration"}


class ProgramError(Exception):
    """An expression is right but cannot become a program (upstream: program instantiation failed)."""


class Planner:
    """`slots` maps the environment's variables to their places; loops take the places after them."""

    def __init__(self, slots: dict[str, int], known_functions: dict[str, Function]) -> None:
        self.slots = slots
        self.functions = known_functions
        self.locals: dict[str, list[int]] = {}
        self.next_slot = len(slots)
        self.slots_max = self.next_slot

    def program(self, tree: Expr) -> celeval.Program:
        root = self.plan(tree)
        return celeval.Program(root, self.slots_max)

    def push(self, name: str) -> int:
        slot = self.next_slot
        self.next_slot += 1
        self.slots_max = max(self.slots_max, self.next_slot)
        self.locals.setdefault(name, []).append(slot)
        return slot

    def pop(self, *names: str) -> None:
        for name in names:
            self.locals[name].pop()
            self.next_slot -= 1

    def plan(self, e: Expr) -> celeval.Node:
        if isinstance(e, Const):
            return celeval.Const(e.value)
        if isinstance(e, Call):
            return self.plan_call(e)
        if isinstance(e, (Ident, Select)):
            planned = self.attribute(e)
            if isinstance(planned, PATHS):
                if isinstance(e, Select) and e.test:
                    return planned.node(planned.own - 1, test=True)
                return planned.node()
            return planned
        if isinstance(e, Comprehension):
            return self.plan_comprehension(e)
        if isinstance(e, ListExpr):
            return self.plan_list(e)
        if isinstance(e, MapExpr):
            return self.plan_map(e)
        assert isinstance(e, StructExpr)
        return self.plan_struct(e)

    # --- paths

    def attribute(self, e: Expr) -> Attribute | Conditional | celeval.Node:
        """A path as an attribute to which more steps can be added; a node for anything else."""
        if isinstance(e, Ident):
            return self.named(e.name, e.type)
        if isinstance(e, Select):
            if e.qualified is not None:
                return self.named(e.qualified, e.type)
            base = self.base(e.operand)
            base.add(celeval.Qual(e.field))
            return base
        if isinstance(e, Call) and e.function in _INDEX:
            base = self.base(e.args[0])
            base.add(self.index(e))
            return base
        if isinstance(e, Call) and e.function == "_?_:_":
            return Conditional(self.plan(e.args[0]), self.branch(e.args[1]), self.branch(e.args[2]))
        return self.plan(e)

    def named(self, name: str, declared: types.Type) -> Attribute | celeval.Node:
        """A variable, or a type. What is known to hold a type is taken for the name of one, as upstream has it."""
        if declared.kind == types.Kind.TYPE:
            return _plan_type(name)
        local = self.locals.get(name)
        slot = local[-1] if local else self.slots.get(name)
        return Attribute(slot, name, None, 1) if slot is not None else celeval.Const(types.CONSTANTS[name])

    def base(self, operand: Expr) -> Attribute | Conditional:
        planned = self.attribute(operand) if not (isinstance(operand, Select) and operand.test) else self.plan(operand)
        return planned if isinstance(planned, PATHS) else Attribute(0, "", planned, 1)  # naming it costs 1

    def index(self, e: Call) -> celeval.Qual:
        optional = e.function != "_[_]"
        key = e.args[1]
        planned = self.plan(key) if isinstance(key, Select) and key.test else self.attribute(key)
        if isinstance(planned, PATHS):
            return celeval.Qual(None, planned.node(0), optional)
        if isinstance(planned, celeval.Const):
            fault = celkeys.qualifier_error(planned.value)
            if fault is not None:
                raise ProgramError(fault)
            return celeval.Qual(planned.value, None, optional)
        return celeval.Qual(None, planned, optional)

    def branch(self, e: Expr) -> Attribute | Conditional:
        """A branch of `?:`, which does not pay for naming its variable."""
        is_path = isinstance(e, (Ident, Call)) or (isinstance(e, Select) and not e.test)
        planned = self.attribute(e) if is_path else self.plan(e)
        if isinstance(planned, PATHS):
            return planned
        may_be_optional = e.type.kind not in _NEVER_OPTIONAL
        return Attribute(0, "", celpath.Start(planned) if may_be_optional else planned, 0)

    # --- calls

    def plan_call(self, e: Call) -> celeval.Node:
        name = e.function
        if name == "_?_:_" or name in _INDEX:
            planned = self.attribute(e)
            return planned.node() if isinstance(planned, PATHS) else planned
        operands = [*([e.target] if e.target is not None else []), *e.args]
        nodes = tuple([self.plan(operand) for operand in operands])
        build = operators.BUILDERS.get(name)
        if build is not None:
            return build(e, nodes)
        if name in _STRING_TESTS and len(e.overloads) == 1:
            return celops.StringTest(_STRING_TESTS[name], nodes[0], nodes[1])
        if name in functions.CONVERSIONS and len(nodes) == 1:
            return self.plan_conversion(e, nodes[0])
        if name in lib_strings.WITH_PATTERN:
            pattern = nodes[1]
            if isinstance(pattern, celeval.Const) and isinstance(pattern.value, str):
                return _plan_pattern(e, nodes, pattern.value)
        return self.plan_function(e, nodes)

    def plan_conversion(self, e: Call, operand: celeval.Node) -> celeval.Node:
        if isinstance(operand, celeval.Const):
            value = functions.CONVERSIONS[e.function](operand.value)
            if isinstance(value, CelErr):
                raise ProgramError(value.message)
            return celeval.Const(value)
        return self.plan_function(e, (operand,))

    def plan_function(self, e: Call, nodes: tuple[celeval.Node, ...]) -> celeval.Node:
        name = e.function
        overloads = _overloads(self.functions[name], e.overloads)
        candidates = []
        for overload in overloads:
            bound = functions.find(name, overload.id)
            assert bound is not None, overload.id
            candidates.append((functions.guards_of(overload), bound))
        if len(candidates) > 1 and (anything := functions.LIST_FUNCTIONS.get(name)) is not None:
            cost = anything.cost if name in functions.COST_BY_NAME else "one"
            function = functions.by_first_element(name, anything.function, overloads)
            return celcall.Call(function, nodes, cost, candidates[0][0], nosuchoverload.of(name), stops=True)
        if len(candidates) > 1:
            function, cost = functions.dispatcher(name, candidates)
            return celcall.Call(function, nodes, cost, None, None, stops=True)
        guards, bound = candidates[0]
        is_named = not bound.standard or name == "matches" or name in functions.CONVERSIONS
        misfit = nosuchoverload.of(name) if is_named else nosuchoverload.without_name
        function = functions.by_first_element(name, bound.function, overloads)
        given = guards if any(guards) else None
        return celcall.Call(function, nodes, bound.cost, given, misfit, stops=name == "format")

    # --- literals

    def plan_list(self, e: ListExpr) -> celeval.Node:
        items = tuple([self.plan(item) for item in e.items])
        if not e.optionals and all(isinstance(item, celeval.Const) for item in items):
            return celeval.Const([item.value for item in items])  # type: ignore[attr-defined]
        return celcall.MakeList(items, e.optionals)

    def plan_map(self, e: MapExpr) -> celeval.Node:
        keys = tuple([self.plan(key) for key in e.keys])
        values = tuple([self.plan(value) for value in e.values])
        if not e.optionals and all(isinstance(node, celeval.Const) for node in (*keys, *values)):
            try:
                made = celkeys.build_map([k.value for k in keys], [v.value for v in values])  # type: ignore[attr-defined]
            except celvalue.Panic as panic:  # Differs from upstream: the whole request panics there.
                raise ProgramError(str(panic)) from panic
            return celeval.Const(made)
        return celcall.MakeMap(keys, values, e.optionals, celkeys.build_map)

    def plan_struct(self, e: StructExpr) -> celeval.Node:
        return celcall.Call(
            structs.maker_of(e), tuple([self.plan(v) for v in e.values]), lambda args, result: _STRUCT_COST, None, None
        )

    # --- loops

    def plan_comprehension(self, e: Comprehension) -> celeval.Node:
        if e.bind:
            value = self.plan(e.accu_init)
            slot = self.push(e.accu_var)
            body = self.plan(e.result)
            self.pop(e.accu_var)
            return celcall.Bind(slot, value, body)
        source = self.plan(e.source)
        slot = self.push(e.var)
        slot2 = self.push(e.var2) if e.var2 is not None else -1
        test = self.plan(e.test) if e.test is not None else None
        item = self.plan(e.item) if e.item is not None else None
        self.pop(e.var, *([e.var2] if e.var2 is not None else []))
        item_cost = _ITEM_COSTS[e.macro]
        if e.macro == "map" and isinstance(item, celeval.Const):
            item_cost -= 10  # a list of a constant is a constant
        return celcall.Loop(e.macro, source, slot, slot2, test, item, item_cost, celkeys.insert_key)


# See the kernel for where these come from.
_ITEM_COSTS: Final = {"all": 0, "exists": 0, "exists_one": 2, "map": 12, "transform_map": 3, "transform_entry": 2}


def _plan_type(name: str) -> celeval.Node:
    named = types.NAMED.get(name)
    if named is None or name in types.WITHOUT_VALUE:
        raise ProgramError(f"reference to undefined type: {name}")
    return celeval.Const(TypeValue(_RUNTIME_TYPE_NAMES.get(named.name, named.name)))


def _plan_pattern(e: Call, nodes: tuple[celeval.Node, ...], pattern: str) -> celeval.Node:
    """A call with a constant pattern: upstream replaces it by one that looks for no overload."""
    try:
        regex.compile_pattern(pattern)
    except patterns.PatternError as error:
        raise ProgramError(str(error)) from None
    if e.overloads == ("matches_string",):
        return celops.Matches(nodes[0], patterns.matcher(pattern), len(pattern))
    bound = functions.find(e.function, e.overloads[0])
    assert bound is not None
    return celcall.Call(lib_strings.WITH_PATTERN[e.function], nodes, bound.cost, None, None, stops=True)


def _overloads(function: Function, ids: tuple[str, ...]) -> list[Overload]:
    return [overload for overload in function.overloads if overload.id in ids]
