"""Environments and programs: the way into CEL.

An Environment says what an expression may name: variables with their types, functions, macros, object types, and what
is known of the sizes of data. It is a value: admission has one with `object` and `request`, each schema node with rules
has one with `self`. `compile_expression` makes a Program of a text or a Failure that holds upstream's error text.

    env = Environment({"self": types.INT})
    program = compile_expression("self > 5", env)
    outcome = program.evaluate({"self": 7}, cost_limit=1_000_000)
    outcome.value, outcome.cost

Source: apiserver's pkg/cel/environment/base.go and cel-go's cel/env.go and cel/program.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck._kernels import celeval, celvalue
from quarterdeck.cel import (
    checker,
    cost,
    cost_math,
    decls,
    macros,
    parser,
    planner,
    recursion,
    source,
    validators,
)
from quarterdeck.cel.ast import Expr
from quarterdeck.cel.types import Type
from quarterdeck.cel.values import CelErr

# What one evaluation may cost (apiserver: PerCallLimit) and the text of the error when it costs more.
PER_CALL_LIMIT: Final = 1_000_000
COST_LIMIT_MESSAGE: Final = "operation cancelled: actual cost limit exceeded"


def _no_sizes(path: tuple[str, ...]) -> cost_math.Size | None:
    return None


class Environment:
    """What expressions may name. Shared by any number of programs; never changed after it is built."""

    __slots__ = ("functions", "macros", "names", "sizes", "slots", "structs")

    def __init__(
        self,
        variables: Mapping[str, Type],
        *,
        functions: dict[str, decls.Function] | None = None,
        structs: Mapping[str, Type] | None = None,
        sizes: cost_math.SizeEstimator | None = None,
        known_macros: macros.Macros = macros.STANDARD,
    ) -> None:
        self.names: dict[str, Type] = dict(variables)
        self.slots: dict[str, int] = {name: slot for slot, name in enumerate(self.names)}
        self.functions = decls.BASE if functions is None else functions
        self.macros = known_macros
        self.structs: Mapping[str, Type] = structs or {}
        self.sizes: cost_math.SizeEstimator = sizes or _no_sizes


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no program. `at_program` tells a fault found after the checks (a pattern that does not compile),
    where `type` is what the expression would give, and `references` are the variables that it names."""

    text: str
    at_program: bool = False
    type: Type | None = None
    references: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{'program instantiation' if self.at_program else 'compilation'} failed: {self.text}"


class Outcome:
    """What an evaluation gave. `error` is None, or why there is no value; `exceeded` says it was the cost limit."""

    # No dataclass: its __init__ would not be compiled, and there is one for each expression of each write.
    __slots__ = ("cost", "error", "exceeded", "value")

    def __init__(self, value: object, cost: int, error: str | None = None, exceeded: bool = False) -> None:
        self.value: Any = value
        self.cost = cost
        self.error = error
        self.exceeded = exceeded


class Program:
    """A compiled expression. `references` are the environment's variables it names, `cost_max` the static estimate."""

    __slots__ = ("_blank", "_named", "cost_max", "kernel", "references", "slots", "type")

    def __init__(
        self, kernel: celeval.Program, slots: dict[str, int], result: Type, references: frozenset[str], cost_max: int
    ) -> None:
        self.kernel = kernel
        self.slots = slots
        self.type = result
        self.references = references
        self.cost_max = cost_max
        self._blank: list[object] = [celvalue.missing] * len(slots)
        self._named = [(position, name) for position, name in enumerate(slots) if name in references]

    def evaluate(self, bindings: Mapping[str, object], cost_limit: int = PER_CALL_LIMIT) -> Outcome:
        """Runs the program. Variables without a binding have no value; naming one is an error of the expression."""
        missing = celvalue.missing
        return self._run([bindings.get(name, missing) for name in self.slots], cost_limit)

    def evaluate_with(self, value_of: Callable[[str], object], cost_limit: int = PER_CALL_LIMIT) -> Outcome:
        """`evaluate`, where `value_of` is asked for the variables that the expression names."""
        values = self._blank.copy()
        for position, name in self._named:
            values[position] = value_of(name)
        return self._run(values, cost_limit)

    def _run(self, values: list[object], cost_limit: int) -> Outcome:
        try:
            value, paid = self._evaluate(values, cost_limit)
        except celeval.CostLimitExceeded as stopped:
            return Outcome(None, stopped.args[0], COST_LIMIT_MESSAGE, exceeded=True)
        if type(value) is CelErr:
            return Outcome(None, paid, value.message)
        return Outcome(value, paid)

    def _evaluate(self, values: list[object], cost_limit: int) -> tuple[Any, int]:
        # A call of recursion.evaluate costs half as much as a usual expression: it is not compiled.
        try:
            return self.kernel.run(values, cost_limit)
        except RecursionError:
            return recursion.evaluate(self.kernel, values, cost_limit)


def compile_expression(
    expression: str, env: Environment, prepare: Callable[[Expr], None] | None = None
) -> Program | Failure:
    """Parses, checks, estimates and plans. `prepare` sees the checked tree, and may change names of fields in it."""
    return recursion.with_room(lambda: _compile(expression, env, prepare))


def _compile(expression: str, env: Environment, prepare: Callable[[Expr], None] | None) -> Program | Failure:
    try:
        tree = parser.parse(expression, env.macros)
    except source.CompileError as error:
        return Failure(str(error))
    checked = checker.Checker(env.names, env.functions, env.structs)
    issues = checked.check_all(tree)
    if not issues and checked.has_literals:
        issues = validators.validate(tree)
    if issues:
        return Failure(source.show(expression, issues))
    if prepare is not None:
        prepare(tree)
    return _finish(tree, frozenset(checked.scopes.references), env)


def _finish(tree: Expr, references: frozenset[str], env: Environment) -> Program | Failure:
    try:
        kernel = planner.Planner(env.slots, env.functions).program(tree)
    except planner.ProgramError as error:
        return Failure(str(error), at_program=True, type=tree.type, references=references)
    return Program(kernel, env.slots, tree.type, references, cost.estimate(tree, env.sizes))
