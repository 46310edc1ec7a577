"""Runs the expressions of a policy for one request, within their budget.

What takes long is not done on the event loop: TooLong is raised, and the same is done from the start in a thread.
Source: apiserver/pkg/admission/plugin/cel/{activation,composition}.go, webhook/matchconditions/matcher.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from quarterdeck._kernels import celvalue
from quarterdeck.admission.policy.expressions import Compiled
from quarterdeck.admission.policy.subject import Subject
from quarterdeck.cel.environment import PER_CALL_LIMIT, Outcome, Program
from quarterdeck.cel.values import CelErr

Object = dict[str, Any]

# What the expressions of one kind in one policy may cost together, and all match conditions of one policy.
COST_MAX: Final = 10_000_000
CONDITIONS_COST_MAX: Final = COST_MAX // 4
# What is done on the event loop: 1 to 2 ms of most expressions, below 50 ms of any.
INLINE_COST: Final = 10_000
_AUTHORIZER: Final = ("authorizer", "authorizer.requestResource")
_OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"


class OutOfBudget(Exception):
    """All expressions together cost too much."""

    def __init__(self) -> None:
        super().__init__(_OUT_OF_BUDGET)


class TooLong(Exception):
    """The rest is for a thread."""


class Meter:
    """What expressions have cost; raises TooLong where that is more than the event loop has time for."""

    __slots__ = ("_left",)

    def __init__(self, *, is_inline: bool) -> None:
        self._left: int | None = INLINE_COST if is_inline else None

    def run(self, program: Program, value_of: Callable[[str], object]) -> Outcome:
        left = self._left
        if left is None:
            return program.evaluate_with(value_of)
        outcome = program.evaluate_with(value_of, min(left, PER_CALL_LIMIT))
        if outcome.exceeded or outcome.cost >= left:
            raise TooLong
        self._left = left - outcome.cost
        return outcome


class Evaluated:
    """`error` is "" where there is a value."""

    __slots__ = ("error", "value")

    def __init__(self, value: object, error: str = "") -> None:
        self.value: Any = value
        self.error = error


class Variables:
    """The value of `variables`: each is evaluated when it is first named."""

    __slots__ = ("_compiled", "_evaluation", "_values", "cost")

    cel_type: ClassVar[str] = "kubernetes.variables"

    def __init__(self, evaluation: Evaluation, compiled: Mapping[str, Compiled]) -> None:
        self._evaluation = evaluation
        self._compiled = compiled
        self._values: dict[object, object] = {}
        self.cost = 0

    def cel_get(self, key: object) -> object:
        if key in self._values:
            return self._values[key]
        compiled = self._compiled.get(key) if isinstance(key, str) else None
        if compiled is None:
            return celvalue.missing
        found = self._values[key] = self._evaluate(str(key), compiled)
        return found

    def _evaluate(self, name: str, compiled: Compiled) -> object:
        if compiled.program is None:
            return CelErr(f'composited variable "{name}" fails to compile: {compiled.fault}')
        outcome = self._evaluation.run(compiled.program)
        self.cost += outcome.cost
        if outcome.error is not None:
            return CelErr(f'composited variable "{name}" fails to evaluate: {outcome.error}')
        return outcome.value


class Evaluation:
    """One run of expressions that share a budget. `has_namespace`: they see the request's namespace; `has_authorizer`:
    they can ask what the user may do."""

    __slots__ = ("_budget", "_has_authorizer", "_has_namespace", "_meter", "_params", "_subject", "_variables")

    def __init__(
        self,
        subject: Subject,
        params: Object | None,
        variables: Mapping[str, Compiled],
        meter: Meter,
        budget: int = COST_MAX,
        *,
        has_namespace: bool = True,
        has_authorizer: bool = True,
    ) -> None:
        self._subject = subject
        self._params = params
        self._meter = meter
        self._budget = budget
        self._has_namespace = has_namespace
        self._has_authorizer = has_authorizer
        self._variables = Variables(self, variables) if variables else None

    def run(self, program: Program) -> Outcome:
        return self._meter.run(program, self._value)

    def evaluate(self, compiled: Compiled) -> Evaluated:
        """Raises OutOfBudget, and TooLong where this is not the place."""
        if compiled.program is None:
            return Evaluated(None, f"compilation error: {compiled.fault}")
        outcome = self.run(compiled.program)
        self._budget -= outcome.cost
        if self._variables is not None:
            self._budget -= self._variables.cost
            self._variables.cost = 0
        if self._budget < 0:
            raise OutOfBudget
        if outcome.error is not None:
            return Evaluated(None, f"expression '{compiled.expression}' resulted in error: {outcome.error}")
        return Evaluated(outcome.value)

    def renew(self, variables: Mapping[str, Compiled], *, has_authorizer: bool) -> None:
        """Forget what variables were: other expressions follow in the same budget."""
        self._has_authorizer = has_authorizer
        self._variables = Variables(self, variables) if variables else None

    def _value(self, name: str) -> object:
        if name == "object":
            return self._subject.obj
        if name == "params":
            return self._params
        if name == "variables":
            return self._variables if self._variables is not None else Variables(self, {})
        if name == "namespaceObject" and not self._has_namespace:
            return None
        if name in _AUTHORIZER and not self._has_authorizer:
            return CelErr(f"no such attribute(s): {name}")
        return self._subject.value(name)


class ConditionsFail(Exception):
    """Whether the match conditions hold cannot be told; the text says why."""


def meets(conditions: Sequence[Compiled], evaluation: Evaluation, *, is_ignorable: bool) -> bool:
    """Whether all match conditions hold. Raises ConditionsFail unless a policy whose conditions fail is passed over."""
    problems: list[str] = []
    try:
        for compiled in conditions:
            found = evaluation.evaluate(compiled)
            if found.error:
                problems.append(found.error)
            elif found.value is False:
                return False
    except OutOfBudget as error:
        problems = [str(error)]
    if problems and not is_ignorable:
        told = list(dict.fromkeys(problems))
        raise ConditionsFail(told[0] if len(told) == 1 else f"[{', '.join(told)}]")
    return not problems
