"""What mutating policies make of a request's object.

Source: apiserver/pkg/admission/plugin/policy/mutating/{dispatcher,reinvocationcontext}.go,
generic/policy_dispatcher.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from quarterdeck._kernels.metrics import now_s
from quarterdeck.admission.attributes import Attributes, MergeError, ObjectInterfaces
from quarterdeck.admission.matching import Matched
from quarterdeck.admission.policy import checks, params, patches
from quarterdeck.admission.policy.compiled import Binding, MutatingPolicy, Mutation
from quarterdeck.admission.policy.evaluation import (
    CONDITIONS_COST_MAX,
    ConditionsFail,
    Evaluation,
    Meter,
    OutOfBudget,
    meets,
)
from quarterdeck.admission.policy.lookups import Lookups
from quarterdeck.admission.policy.subject import Subject
from quarterdeck.admission.policy.versions import Unconvertible, Versions
from quarterdeck.apimachinery import errors, meta
from quarterdeck.apis.resource import GroupVersionKind

_UNKNOWN_KIND: Final = (
    "Resource kind {}/{}, Kind={} not found. There can be a delay between when CustomResourceDefinitions are created "
    "and when they are available."
)

Object = dict[str, Any]
Hooks = Sequence[tuple[MutatingPolicy, Sequence[Binding]]]
Key = tuple[str, str, str, str]


class Rounds(NamedTuple):
    """What the first round leaves for the second: who was asked since the object changed and wants to be asked again,
    and who will be. `output`: the object as the last round left it."""

    eligible: frozenset[Key] = frozenset()
    again: frozenset[Key] = frozenset()
    output: Object | None = None

    def require(self) -> Rounds:
        return Rounds(frozenset(), self.again | self.eligible, self.output)


class Problem(NamedTuple):
    text: str
    reason: str
    is_ignorable: bool


class Outcome(NamedTuple):
    """`obj` is None where nothing was mutated; else it is in the version of `kind`. `is_dispatched`: a policy
    concerned the request. `failure`: where a mutation cannot even be tried, what the request is answered."""

    obj: Object | None
    kind: GroupVersionKind
    problems: list[Problem]
    rounds: Rounds
    is_dispatched: bool
    checks: list[checks.Check]
    failure: errors.APIStatus | None = None


class _Invocation(NamedTuple):
    policy: MutatingPolicy
    binding: Binding
    matched: Matched
    param: Object | None

    @property
    def key(self) -> Key:
        metadata = (self.param or {}).get("metadata") or {}
        return self.policy.name, self.binding.name, metadata.get("namespace") or "", metadata.get("name") or ""


def mutate(
    attributes: Attributes,
    hooks: Hooks,
    lookups: Lookups,
    rounds: Rounds,
    versions: Versions,
    meter: Meter,
) -> Outcome:
    """Changes nothing. Raises TooLong, NotConverted, NotFound (the namespace)."""
    selecting = _Selecting(attributes, lookups, versions)
    for policy, bindings in hooks:
        selecting.add(policy, bindings)
    if not selecting.invocations:
        return Outcome(None, attributes.kind, selecting.problems, rounds, is_dispatched=False, checks=[])
    run = _Run(attributes, lookups, rounds, versions, meter, selecting.problems)
    try:
        for invocation in selecting.invocations:
            run.invoke(invocation)
    except _Fails as error:
        return run.outcome()._replace(failure=error.status)
    return run.outcome()


class _Fails(Exception):
    """A mutation ends the request with this answer."""

    def __init__(self, status: errors.APIStatus) -> None:
        super().__init__(status)
        self.status = status


class _Selecting:
    """Which policies concern the request, through which bindings, with which parameters."""

    def __init__(self, attributes: Attributes, lookups: Lookups, versions: Versions) -> None:
        self._attributes = attributes
        self._lookups = lookups
        self._versions = versions
        self.invocations: list[_Invocation] = []
        self.problems: list[Problem] = []

    def add(self, policy: MutatingPolicy, bindings: Sequence[Binding]) -> None:
        attributes, lookups = self._attributes, self._lookups
        try:
            matched = policy.match.match(attributes, lookups.labels_of)
            if matched is None:
                return
            store = params.find_store(policy.param_kind, lookups)
        except (errors.NotFound, params.NotConfigured) as error:
            self.problems.append(_problem(policy, None, f"failed to configure policy: {error}", ""))
            return
        for binding in bindings:
            try:
                if binding.match is not None and binding.match.match(attributes, lookups.labels_of) is None:
                    continue
                self._versions.objects(matched.kind)
                found = params.collect(store, binding.param_reference, attributes.namespace)
            except (errors.NotFound, params.NotConfigured) as error:
                self.problems.append(_problem(policy, binding, f"failed to configure binding: {error}", ""))
                continue
            except Unconvertible as error:
                self.problems.append(_problem(policy, None, f"failed to configure policy: {error}", ""))
                continue
            self.invocations += [_Invocation(policy, binding, matched, param) for param in found]


class _Run:
    """Invocations one after the other, each on what those before it made."""

    def __init__(
        self,
        attributes: Attributes,
        lookups: Lookups,
        rounds: Rounds,
        versions: Versions,
        meter: Meter,
        problems: list[Problem],
    ) -> None:
        self._attributes = attributes
        self._lookups = lookups
        self._versions = versions
        self._meter = meter
        self._problems = problems
        self._checks: list[checks.Check] = []
        self._made: dict[GroupVersionKind, Object] = {}
        self._last: GroupVersionKind | None = None
        self._is_reinvoke = attributes.reinvoking is not None and attributes.reinvoking.is_reinvoke
        self._rounds = rounds
        if self._is_reinvoke and rounds.output != attributes.obj:
            self._rounds = rounds.require()

    def outcome(self) -> Outcome:
        last = self._last
        made = self._made.get(last) if last is not None else None
        if made is None or last is None:
            return Outcome(None, self._attributes.kind, self._problems, self._rounds, True, self._checks)
        return Outcome(made, last, self._problems, self._rounds.require(), True, self._checks)

    def invoke(self, invocation: _Invocation) -> None:
        policy = invocation.policy
        try:
            if policy.conditions and not self._meets_conditions(invocation):
                return
        except ConditionsFail as error:
            self._refuse(invocation, str(error))
            return
        if self._is_reinvoke and invocation.key not in self._rounds.again:
            return
        kind = invocation.matched.kind
        before, _ = self._objects(kind)
        for mutation in policy.mutations if before is not None else ():
            self._last = kind
            begin_s = now_s()
            try:
                self._made[kind] = self._apply(mutation, invocation)
            except (patches.DoesNotApply, OutOfBudget) as error:
                self._note(invocation, begin_s, checks.error_of(str(error)))
                self._refuse(invocation, str(error))
            except errors.APIStatus as status:
                self._note(invocation, begin_s, checks.error_of(status.message))
                raise _Fails(status) from status
            else:
                self._note(invocation, begin_s, checks.NO_ERROR)
        if self._objects(kind)[0] != before:
            self._rounds = self._rounds.require()
        if policy.is_reinvocable:
            self._rounds = self._rounds._replace(eligible=self._rounds.eligible | {invocation.key})

    def _objects(self, kind: GroupVersionKind) -> tuple[Object | None, Object | None]:
        obj, old = self._versions.objects(kind)
        return self._made.get(kind, obj), old

    def _subject(self, invocation: _Invocation) -> Subject:
        return Subject(self._attributes, invocation.matched, *self._objects(invocation.matched.kind), self._lookups)

    def _meets_conditions(self, invocation: _Invocation) -> bool:
        policy = invocation.policy
        evaluation = Evaluation(
            self._subject(invocation),
            invocation.param,
            policy.variables,
            self._meter,
            CONDITIONS_COST_MAX,
            has_namespace=False,
        )
        return meets(policy.conditions, evaluation, is_ignorable=policy.is_ignorable)

    def _apply(self, mutation: Mutation, invocation: _Invocation) -> Object:
        """Raises DoesNotApply, OutOfBudget, APIStatus."""
        interfaces, drops_nulls = self._attributes.interfaces, False
        if not interfaces.is_served(invocation.matched.kind):
            raise errors.ServiceUnavailable(_UNKNOWN_KIND.format(*invocation.matched.kind))
        obj, _ = self._objects(invocation.matched.kind)
        assert obj is not None
        if mutation.compiled.fault:
            raise patches.DoesNotApply(mutation.compiled.fault)
        policy = invocation.policy
        evaluation = Evaluation(self._subject(invocation), invocation.param, policy.variables, self._meter)
        found = evaluation.evaluate(mutation.compiled)
        if found.error:
            raise patches.DoesNotApply(found.error)
        if mutation.is_json_patch:
            made = self._patch(obj, found.value, invocation.matched.kind)
        else:
            made = patches.apply_configuration(obj, found.value, interfaces)
            drops_nulls = patches.forget_empty_lists(made, found.value, obj)
        if refusal := interfaces.refuse_mutation(_kind_of(made)):
            raise patches.DoesNotApply(refusal)
        return made if mutation.is_json_patch else _default(made, interfaces, drops_nulls=drops_nulls)

    def _patch(self, obj: Object, operations: Any, kind: GroupVersionKind) -> Object:
        """Raises DoesNotApply, APIStatus."""
        patched = patches.apply_json_patch(obj, operations)
        if patched is obj:
            return obj
        try:
            return self._attributes.read_mutated(patched, kind, is_strict=True)
        except MergeError as error:
            raise patches.DoesNotApply(str(error)) from error
        except errors.Unreasoned as error:  # it is something else by now
            raise errors.InternalError.of(f"failed to convert object: {error.message}") from error

    def _note(self, invocation: _Invocation, begin_s: float, error: str) -> None:
        found = checks.Check(invocation.policy.name, invocation.binding.name, error, now_s() - begin_s)
        self._checks.append(found)

    def _refuse(self, invocation: _Invocation, text: str) -> None:
        self._problems.append(_problem(invocation.policy, invocation.binding, text, "Invalid"))


def _kind_of(obj: Object) -> GroupVersionKind:
    return GroupVersionKind(*meta.split_api_version(obj["apiVersion"]), obj["kind"])


def _default(configured: Object, interfaces: ObjectInterfaces, *, drops_nulls: bool) -> Object:
    """Raises DoesNotApply."""
    try:
        return interfaces.default(configured, drops_nulls=drops_nulls)
    except MergeError as error:
        raise patches.DoesNotApply(str(error)) from error


def _problem(policy: MutatingPolicy, binding: Binding | None, text: str, reason: str) -> Problem:
    if binding is None:
        return Problem(f'policy "{policy.name}" denied request: {text}', reason, policy.is_ignorable)
    told = f"policy '{policy.name}' with binding '{binding.name}' denied request: {text}"
    return Problem(told, reason, policy.is_ignorable)
