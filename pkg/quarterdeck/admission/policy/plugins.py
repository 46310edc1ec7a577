"""ValidatingAdmissionPolicy and MutatingAdmissionPolicy as plugins of the chain.

Nothing of the expressions' engine is loaded before a policy concerns a request.
Source: apiserver/pkg/admission/plugin/policy/{generic,validating,mutating}/plugin.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarterdeck._kernels import json as json_kernel
from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.policy import refusals
from quarterdeck.admission.policy.checks import PolicyChecks
from quarterdeck.admission.policy.concerned import Concerned
from quarterdeck.admission.policy.lookups import Lookups

if TYPE_CHECKING:
    from quarterdeck.admission.policy.compiled import MutatingPolicy, ValidatingPolicy
    from quarterdeck.admission.policy.mutating import Outcome, Rounds
    from quarterdeck.admission.policy.validating import Judgement

    _JudgeValidation = Callable[[Attributes, Concerned[ValidatingPolicy]], Awaitable[None] | None]
    _JudgeMutation = Callable[[Attributes, Concerned[MutatingPolicy]], Awaitable[None] | None]

Object = dict[str, Any]
_ROUNDS: Final = "MutatingAdmissionPolicy"


class ValidatingPolicies:
    """`concerning` gives the policies whose rules may concern an operation on a resource."""

    def __init__(
        self,
        concerning: Callable[[str, str], Concerned[ValidatingPolicy] | None],
        lookups: Lookups,
        checks: PolicyChecks,
    ) -> None:
        self._concerning = concerning
        self._lookups = lookups
        self._checks = checks
        self._judge: _JudgeValidation | None = None

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        concerned = self._concerning(attributes.operation, attributes.resource.name)
        if concerned is None:
            return None
        if self._judge is None:
            self._judge = _load_validation(self._lookups, self._checks)
        return self._judge(attributes, concerned)


def _load_validation(lookups: Lookups, checks: PolicyChecks) -> _JudgeValidation:
    from quarterdeck.admission.policy import screening, validating, versions

    def judge(attributes: Attributes, concerned: Concerned[ValidatingPolicy]) -> Awaitable[None] | None:
        hooks = screening.find_plan(concerned, attributes).screen(attributes)
        if not hooks:
            return None
        known = versions.Versions(attributes)
        judge = partial(validating.judge, attributes, hooks, lookups)
        found = versions.judge_now(judge, known)
        if found is None:
            return versions.finish_later(judge, known, partial(_finish_validation, attributes, checks))
        _finish_validation(attributes, checks, found)
        return None

    return judge


def _finish_validation(attributes: Attributes, checks: PolicyChecks, judgement: Judgement) -> None:
    checks.note(judgement.checks)
    attributes.warnings.extend(judgement.warnings)
    for key, value in judgement.annotations:
        attributes.annotations.setdefault(key, value)
    if judgement.denials:
        first = judgement.denials[0]
        raise refusals.deny_validation(attributes, first.text, first.reason)


class MutatingPolicies:
    """Likewise, for policies that mutate."""

    def __init__(
        self,
        concerning: Callable[[str, str], Concerned[MutatingPolicy] | None],
        lookups: Lookups,
        checks: PolicyChecks,
    ) -> None:
        self._concerning = concerning
        self._lookups = lookups
        self._checks = checks
        self._judge: _JudgeMutation | None = None

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        concerned = self._concerning(attributes.operation, attributes.resource.name)
        if concerned is None:
            return None
        if self._judge is None:
            self._judge = _load_mutation(self._lookups, self._checks)
        return self._judge(attributes, concerned)


def _load_mutation(lookups: Lookups, checks: PolicyChecks) -> _JudgeMutation:
    from quarterdeck.admission.policy import mutating, screening, versions

    def judge(attributes: Attributes, concerned: Concerned[MutatingPolicy]) -> Awaitable[None] | None:
        if screening.is_excluded(attributes):
            return None
        known = versions.Versions(attributes)
        reinvoking = attributes.reinvoking
        rounds: Rounds | None = reinvoking.values.get(_ROUNDS) if reinvoking is not None else None
        mutate = partial(mutating.mutate, attributes, concerned.hooks, lookups, rounds or mutating.Rounds())
        found = versions.judge_now(mutate, known)
        if found is None:
            return versions.finish_later(mutate, known, partial(_finish_mutation, attributes, checks))
        return _finish_mutation(attributes, checks, found)

    return judge


def _finish_mutation(attributes: Attributes, checks: PolicyChecks, outcome: Outcome) -> Awaitable[None] | None:
    checks.note(outcome.checks)
    if outcome.failure is not None:
        raise outcome.failure
    if outcome.obj is None:
        _keep_rounds(attributes, outcome)
        _refuse(attributes, outcome)
        return None
    made = attributes.interfaces.bring_back(outcome.obj, attributes.obj or {})
    if isinstance(made, Awaitable):
        return _replace_later(attributes, outcome, made)
    _replace(attributes, outcome, made)
    return None


async def _replace_later(attributes: Attributes, outcome: Outcome, waiting: Awaitable[Object]) -> None:
    _replace(attributes, outcome, await waiting)


def _replace(attributes: Attributes, outcome: Outcome, made: Object) -> None:
    attributes.replace_object(made)
    attributes.reinvocation.is_requested = True
    _keep_rounds(attributes, outcome)
    _refuse(attributes, outcome)


def _keep_rounds(attributes: Attributes, outcome: Outcome) -> None:
    if outcome.is_dispatched:
        rounds = outcome.rounds
        # Only who wants to be asked again has to know whether others have changed the object meanwhile.
        is_compared = attributes.obj is not None and (rounds.again or rounds.eligible)
        output = json_kernel.copy(attributes.obj) if is_compared else None
        attributes.reinvocation.values[_ROUNDS] = rounds._replace(output=output)


def _refuse(attributes: Attributes, outcome: Outcome) -> None:
    problems = [each for each in outcome.problems if not each.is_ignorable]
    if problems:
        raise refusals.deny_mutation(attributes, [each.text for each in problems], problems[0].reason)
