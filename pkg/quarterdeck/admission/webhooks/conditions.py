"""Match conditions: CEL that tells whether a webhook is asked about a request that its rules concern.

Source: apiserver/pkg/admission/plugin/webhook/matchconditions/matcher.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from quarterdeck.admission.policy.expressions import Compiled

_COST_MAX: Final = 2_500_000  # of all conditions of one webhook (RuntimeCELCostBudgetMatchConditions)
_OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"


class Conditions:
    """Of one webhook; they are compiled when they are first needed. `wrap` makes of each, by its position, what is run
    in its place, where that is something else."""

    __slots__ = ("_compiled", "_conditions", "_is_ignorable", "wrap")

    def __init__(self, conditions: Sequence[Mapping[str, Any]], *, is_ignorable: bool) -> None:
        self._conditions = conditions
        self._is_ignorable = is_ignorable
        self._compiled: list[Compiled] | None = None
        self.wrap: Callable[[int, Compiled], Compiled] | None = None

    @property
    def is_empty(self) -> bool:
        return not self._conditions

    def evaluate(self, bind: Callable[[str], object]) -> tuple[bool, str]:
        """Whether all hold; or else a text, where that cannot be told and the webhook must not be passed over. `bind`
        gives the variables that the conditions name."""
        problems: list[str] = []
        left = _COST_MAX
        for compiled in self._programs():
            if compiled.program is None:
                problems.append(f"compilation error: {compiled.fault}")
                continue
            program = compiled.program
            outcome = program.evaluate({name: bind(name) for name in program.references})
            left -= outcome.cost
            if left < 0:
                return self._give_up([_OUT_OF_BUDGET])
            if outcome.error is not None:
                problems.append(f"expression '{compiled.expression}' resulted in error: {outcome.error}")
            elif outcome.value is False:
                return False, ""
        return self._give_up(problems) if problems else (True, "")

    def _give_up(self, problems: list[str]) -> tuple[bool, str]:
        if self._is_ignorable:
            return False, ""
        told = list(dict.fromkeys(problems))
        return False, told[0] if len(told) == 1 else f"[{', '.join(told)}]"

    def _programs(self) -> list[Compiled]:
        if self._compiled is None:
            from quarterdeck.admission.policy.expressions import BOOL, Compiler  # imported late: few webhooks have any

            compiler = Compiler(has_params=False)
            expressions = [condition.get("expression") or "" for condition in self._conditions]
            self._compiled = [compiler.compile(expression, BOOL) for expression in expressions]
            if self.wrap is not None:
                self._compiled = [self.wrap(position, each) for position, each in enumerate(self._compiled)]
        return self._compiled
