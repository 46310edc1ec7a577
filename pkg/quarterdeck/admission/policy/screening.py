"""Judges what needs nothing but the request: most validations hold, and then there is nothing to tell of them.

Requests that are alike (one operation on a resource, as it is served at the time) share a plan, which says once which
policies their rules and bindings leave. Those of them whose expressions name the objects and the request alone are
evaluated here, by one call of the kernel each. Every other one, and one that does not hold, is judged in full
(validating.py) as if nothing had been done here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from quarterdeck._kernels import celeval, celvalue
from quarterdeck.admission import expressions
from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import Matched, is_policy
from quarterdeck.admission.policy.compiled import Binding, ValidatingPolicy
from quarterdeck.admission.policy.concerned import PLANS_MAX, Concerned
from quarterdeck.admission.policy.evaluation import INLINE_COST
from quarterdeck.admission.policy.expressions import Compiled
from quarterdeck.admission.webhooks.versioned import VersionedAttributes
from quarterdeck.apis.resource import APIResource
from quarterdeck.cel.environment import Program

Object = dict[str, Any]
Hook = tuple[ValidatingPolicy, Sequence[Binding]]
Kernels = tuple[celeval.Program, ...]

_OBJECT: Final = "object"
_OLD_OBJECT: Final = "oldObject"
_NAMES: Final = frozenset((_OBJECT, _OLD_OBJECT, "request"))
# Answers to questions, which are stored nowhere: a policy that refused these would lock everybody out.
_EXCLUDED_GROUPS: Final = frozenset(("authentication.k8s.io", "authorization.k8s.io"))


def is_excluded(attributes: Attributes) -> bool:
    return attributes.resource.group in _EXCLUDED_GROUPS or is_policy(attributes)


def find_plan(concerned: Concerned[ValidatingPolicy], attributes: Attributes) -> Plan:
    for plan in cast("list[Plan]", concerned.plans):
        if plan.fits(attributes):
            return plan
    if len(concerned.plans) >= PLANS_MAX:
        concerned.plans.clear()
    plan = Plan(() if is_excluded(attributes) else concerned.hooks, attributes)
    concerned.plans.append(plan)
    return plan


class _Step:
    """`conditions` and `validations` are None where the policy is judged in full."""

    __slots__ = ("conditions", "hook", "validations")

    def __init__(self, hook: Hook, conditions: Kernels, validations: Kernels | None) -> None:
        self.hook = hook
        self.conditions = conditions
        self.validations = validations


class Plan:
    """For requests that are alike `attributes`."""

    __slots__ = ("_blank", "_is_inside", "_names", "_resource", "_slots", "_steps", "_subresource")

    def __init__(self, hooks: Sequence[Hook], attributes: Attributes) -> None:
        self._resource: APIResource = attributes.resource
        self._subresource = attributes.subresource
        self._is_inside = attributes.namespace != ""
        self._slots: dict[str, int] = {}
        names: set[str] = set()
        self._steps = [self._step(hook, attributes, names) for hook in hooks if _may_concern(hook, attributes)]
        self._blank: list[object] = [celvalue.missing] * len(self._slots)
        self._names = [(self._slots[name], name) for name in sorted(names)]

    def fits(self, attributes: Attributes) -> bool:
        return (
            self._resource is attributes.resource
            and self._is_inside is (attributes.namespace != "")
            and self._subresource == attributes.subresource
        )

    def screen(self, attributes: Attributes) -> list[Hook]:
        """Those that have yet to be judged in full, in their order."""
        left: list[Hook] = []
        budget = INLINE_COST
        values: list[object] | None = None
        for step in self._steps:
            validations = step.validations
            if validations is not None:
                if values is None:
                    values = self._values(attributes)
                if step.conditions:
                    paid = celeval.hold(step.conditions, values, budget)
                    if paid < -1:  # it does not concern the request
                        budget += paid + 2
                        continue
                    if paid >= 0:
                        budget -= paid
                        paid = celeval.hold(validations, values, budget)
                else:
                    paid = celeval.hold(validations, values, budget)
                if paid >= 0:
                    budget -= paid
                    continue
            left.append(step.hook)
        return left

    def _values(self, attributes: Attributes) -> list[object]:
        values = self._blank.copy()
        for slot, name in self._names:
            values[slot] = _value(name, attributes)
        return values

    def _step(self, hook: Hook, attributes: Attributes, names: set[str]) -> _Step:
        """Adds to `names` what its expressions name."""
        policy = hook[0]
        conditions = self._kernels(policy.conditions, names)
        validations = self._kernels([each.condition for each in policy.validations], names)
        if conditions is None or validations is None or not _is_plain(hook, attributes):
            return _Step(hook, (), None)
        return _Step(hook, conditions, validations)

    def _kernels(self, compiled: Sequence[Compiled], names: set[str]) -> Kernels | None:
        """None where one of them is more than a program over what stands in `_NAMES`."""
        found: list[celeval.Program] = []
        for each in compiled:
            program = each.program
            if type(program) is not Program or not program.references <= _NAMES:
                return None
            if not self._slots:
                self._slots = program.slots
            if program.slots != self._slots:
                return None
            names |= program.references
            found.append(program.kernel)
        return tuple(found)


def _value(name: str, attributes: Attributes) -> object:
    if name == _OBJECT:
        return attributes.obj
    if name == _OLD_OBJECT:
        return attributes.old
    seen = VersionedAttributes(attributes, attributes.kind, None, None)
    return expressions.describe(seen, _seen_as_sent(attributes))


def _may_concern(hook: Hook, attributes: Attributes) -> bool:
    """Whether there is a request like this one that the policy and one of its bindings concern, or that they refuse
    since they cannot be used."""
    policy, bindings = hook
    if not policy.match.decides_alike:
        return True
    if policy.match.match(attributes, _no_labels) is None:
        return False
    if policy.param_kind is not None:
        return True
    return any(
        each.match is None or not each.match.decides_alike or each.match.match(attributes, _no_labels) is not None
        for each in bindings
    )


def _is_plain(hook: Hook, attributes: Attributes) -> bool:
    """Whether the policy and all its bindings concern every request like this one as it was sent, and it has nothing to
    tell where its validations hold."""
    policy, bindings = hook
    if policy.param_kind is not None or policy.variables or policy.has_messages or policy.annotations:
        return False
    if not policy.match.decides_alike or policy.match.match(attributes, _no_labels) != _seen_as_sent(attributes):
        return False
    return all(each.match is None or each.match.decides_alike for each in bindings)


def _seen_as_sent(attributes: Attributes) -> Matched:
    resource = attributes.resource
    return Matched(resource.group, resource.version, resource.name, attributes.kind)


def _no_labels(_: str) -> None:
    """Where rules alone decide nobody asks for labels."""
