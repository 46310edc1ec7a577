"""The x-kubernetes-validations of one version, compiled at their first use. Source: KEP-2876.

Rules that take long are not run to their end here: the caller is given the rest, to run it in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.apimachinery.field import FieldError

if TYPE_CHECKING:
    from quarterdeck.apiextensions.ruletimes import RuleTimes
    from quarterdeck.cel.counted import CountOf

RULES: Final = "x-kubernetes-validations"


class Rules:
    """`count_of` gives what counts the evaluations of a rule, where somebody wants to know (cel/counted.py)."""

    def __init__(self, schema: dict[str, Any], times: RuleTimes, count_of: CountOf | None = None) -> None:
        self._schema = schema
        self._times = times
        self._count_of = count_of
        self._compiled: Any = None

    def validate(self, obj: Any, old: Any, warnings: list[str]) -> list[FieldError] | Callable[[], list[FieldError]]:
        """Failures on what an update left unchanged go to `warnings`. A function where rules take long: the rest."""
        if self._compiled is None:
            self._compile()
        steps: Generator[None, None, Any] = self._compiled.begin(obj, old)
        begin_s = now_s()
        result = end_of(steps)
        if result is None:
            return partial(self._finish, steps, now_s() - begin_s, warnings)
        self._times.evaluations.observe_since(begin_s)
        warnings += result.warnings
        errors: list[FieldError] = result.errors
        return errors

    def _finish(self, steps: Generator[None, None, Any], before_s: float, warnings: list[str]) -> list[FieldError]:
        """What is left after the pause, in a thread."""
        begin_s = now_s()
        result = end_of(steps)
        assert result is not None  # there is one pause
        self._times.evaluations.observe(before_s + now_s() - begin_s)
        warnings.extend(result.warnings)
        errors: list[FieldError] = result.errors
        return errors

    def _compile(self) -> None:
        # Imported late: a server whose definitions have no rules never pays for the language.
        from quarterdeck.cel import crd_rules

        begin_s = now_s()
        self._compiled = crd_rules.compile_rules(self._schema, is_root=True, path="", checks_texts=False)
        self._times.compilations.observe_since(begin_s)
        if self._count_of is not None:
            from quarterdeck.cel.counted import CountedRules

            self._compiled = CountedRules(self._compiled, self._count_of)


def end_of(steps: Generator[None, None, Any]) -> Any:
    """What the generator returns; None where it pauses first."""
    try:
        next(steps)
    except StopIteration as done:
        return done.value
    return None
