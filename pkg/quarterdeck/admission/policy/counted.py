"""Policies and match conditions whose expressions are counted (coverage/rules.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from quarterdeck.admission.policy.compiled import Binding, MutatingPolicy, Policy, ValidatingPolicy
from quarterdeck.admission.policy.countedmatching import CountedMatch
from quarterdeck.admission.policy.expressions import Compiled
from quarterdeck.cel.counted import CountedProgram, CountOf
from quarterdeck.coverage import bindings
from quarterdeck.coverage.data import CoverageData

Object = dict[str, Any]


def compile_validating(rules_of: Callable[[str, str], CountOf], obj: Object) -> ValidatingPolicy:
    policy = ValidatingPolicy(obj)
    count = _count_conditions(rules_of, obj, policy)
    for position, each in enumerate(policy.validations):
        each.condition = count(f"spec.validations[{position}]", each.condition)
    return policy


def compile_mutating(rules_of: Callable[[str, str], CountOf], obj: Object) -> MutatingPolicy:
    policy = MutatingPolicy(obj)
    count = _count_conditions(rules_of, obj, policy)
    for position, each in enumerate(policy.mutations):
        each.compiled = count(f"spec.mutations[{position}]", each.compiled)
    return policy


def compile_binding(noted: CoverageData, obj: Object) -> Binding:
    binding = Binding(obj)
    named = bindings.Binding(obj["kind"], obj["spec"]["policyName"], binding.name)
    count = noted.bindings.of(named, *named)
    if count is not None:
        binding.match = CountedMatch(obj["spec"].get("matchResources") or {}, count)
    return binding


def _count_conditions(
    rules_of: Callable[[str, str], CountOf], obj: Object, policy: Policy
) -> Callable[[str, Compiled], Compiled]:
    """What counts the other expressions of the policy."""
    count = partial(count_expression, rules_of(obj["kind"], policy.name))
    policy.conditions = [
        count(f"spec.matchConditions[{position}]", each) for position, each in enumerate(policy.conditions)
    ]
    return count


def count_expression(count_of: CountOf, path: str, compiled: Compiled) -> Compiled:
    counting = count_of(path, compiled.expression) if compiled.program is not None else None
    if counting is None or compiled.program is None:
        return compiled
    return Compiled(compiled.expression, CountedProgram(compiled.program, counting))
