"""What validating policies say of a request.

Source: apiserver/pkg/admission/plugin/policy/validating/{dispatcher,validator}.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from quarterdeck._kernels.metrics import now_s
from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import Matched
from quarterdeck.admission.policy import checks, params
from quarterdeck.admission.policy.compiled import Binding, ValidatingPolicy, Validation
from quarterdeck.admission.policy.evaluation import (
    CONDITIONS_COST_MAX,
    ConditionsFail,
    Evaluated,
    Evaluation,
    Meter,
    OutOfBudget,
    meets,
)
from quarterdeck.admission.policy.lookups import Lookups, ParamStore
from quarterdeck.admission.policy.subject import Subject
from quarterdeck.admission.policy.versions import Unconvertible, Versions
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json

Object = dict[str, Any]
Hooks = Sequence[tuple[ValidatingPolicy, Sequence[Binding]]]

_MESSAGE_BYTES_MAX: Final = 5 * 1024
_ANNOTATION_BYTES_MAX: Final = 10 * 1024
_FAILURE_KEY: Final = "validation.policy.admission.k8s.io/validation_failure"
# What Go's strings.TrimSpace takes away.
_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


class Denial(NamedTuple):
    """`position` is that of the validation, which took `elapsed_s`."""

    text: str
    reason: str = ""
    position: int = 0
    elapsed_s: float = 0.0


class Judgement:
    """`denials` refuse the request, the first is told; the rest is done whether it is refused or not."""

    def __init__(self) -> None:
        self.checks: list[checks.Check] = []
        self.denials: list[Denial] = []
        self.warnings: list[str] = []
        self.annotations: list[tuple[str, str]] = []


class _Verdict(NamedTuple):
    """Of one evaluation. `ignored` are errors that the policy passes over, `faults` audit annotations that fail."""

    denials: list[Denial]
    ignored: list[Denial]
    annotations: list[tuple[str, str]]
    faults: list[Denial]


_NOTHING: Final = _Verdict([], [], [], [])


def judge(attributes: Attributes, hooks: Hooks, lookups: Lookups, versions: Versions, meter: Meter) -> Judgement:
    """Raises TooLong, NotConverted, NotFound (the namespace)."""
    judgement = Judgement()
    for policy, bindings in hooks:
        _Round(attributes, policy, lookups, versions, meter, judgement).run(bindings)
    return judgement


class _Round:
    """One policy and all its bindings."""

    def __init__(
        self,
        attributes: Attributes,
        policy: ValidatingPolicy,
        lookups: Lookups,
        versions: Versions,
        meter: Meter,
        judgement: Judgement,
    ) -> None:
        self._attributes = attributes
        self._policy = policy
        self._lookups = lookups
        self._versions = versions
        self._meter = meter
        self._judgement = judgement
        self._annotations: dict[str, list[str]] = {}

    def run(self, bindings: Sequence[Binding]) -> None:
        policy = self._policy
        try:
            matched = policy.match.match(self._attributes, self._lookups.labels_of)
            if matched is None:
                return
            store = params.find_store(policy.param_kind, self._lookups)
        except (errors.NotFound, params.NotConfigured) as error:
            self._refuse_unless_ignored(f"failed to configure policy: {error}", None)
            return
        subject: Subject | None = None
        for binding in bindings:
            try:
                found = self._params_of(binding, store)
                if found and subject is None:
                    subject = self._subject(matched)
            except (errors.NotFound, params.NotConfigured) as error:
                self._refuse_unless_ignored(f"failed to configure binding: {error}", binding)
                continue
            if subject is not None:
                for verdict in [self._evaluate(subject, param) for param in found]:
                    if verdict is not _NOTHING:
                        self._act(verdict, binding)
        for key, values in self._annotations.items():
            self._judgement.annotations.append((f"{policy.name}/{key}", ", ".join(values)))

    def _params_of(self, binding: Binding, store: ParamStore | None) -> Sequence[Object | None]:
        """What the binding is evaluated with; nothing where it does not concern the request."""
        if binding.match is not None and binding.match.match(self._attributes, self._lookups.labels_of) is None:
            return ()
        return params.collect(store, binding.param_reference, self._attributes.namespace)

    def _subject(self, matched: Matched) -> Subject:
        """Raises NotConverted, NotConfigured."""
        try:
            obj, old = self._versions.objects(matched.kind)
        except Unconvertible as error:
            raise params.NotConfigured(f"failed to convert object version: {error}") from error
        return Subject(self._attributes, matched, obj, old, self._lookups)

    def _act(self, verdict: _Verdict, binding: Binding) -> None:
        for each in verdict.ignored:
            self._note(each, binding, checks.ALLOW)
        for denial in verdict.denials:
            for action in binding.actions:
                self._note(denial, binding, action.lower())
                if action == "Deny":
                    self._deny(denial, binding)
                elif action == "Warn":
                    named = f"ValidatingAdmissionPolicy '{self._policy.name}' with binding '{binding.name}'"
                    self._judgement.warnings.append(f"Validation failed for {named}: {denial.text}")
                else:
                    self._judgement.annotations.append((_FAILURE_KEY, self._failure(denial, binding)))
        for key, value in verdict.annotations:
            values = self._annotations.setdefault(key, [])
            if value not in values:
                values.append(value)
        for fault in verdict.faults:
            self._note(fault, binding, "deny")
            self._deny(fault, binding)

    def _note(self, found: Denial, binding: Binding, action: str) -> None:
        error = checks.error_of(found.text)
        self._judgement.checks.append(checks.Check(self._policy.name, binding.name, error, found.elapsed_s, action))

    def _refuse_unless_ignored(self, text: str, binding: Binding | None) -> None:
        if not self._policy.is_ignorable:
            self._deny(Denial(text), binding)

    def _deny(self, denial: Denial, binding: Binding | None) -> None:
        bound = f" with binding '{binding.name}'" if binding is not None else ""
        text = f"ValidatingAdmissionPolicy '{self._policy.name}'{bound} denied request: {denial.text}"
        self._judgement.denials.append(Denial(text, denial.reason or "Invalid"))

    def _failure(self, denial: Denial, binding: Binding) -> str:
        failure = {
            "message": denial.text,
            "policy": self._policy.name,
            "binding": binding.name,
            "expressionIndex": denial.position,
            "validationActions": list(binding.actions),
        }
        return json.encode([failure]).decode()

    def _evaluate(self, subject: Subject, param: Object | None) -> _Verdict:
        policy = self._policy
        try:
            if policy.conditions and not self._meets_conditions(subject, param):
                return _NOTHING
            evaluation = Evaluation(subject, param, policy.variables, self._meter)
            found, ends_s = [], [now_s()]
            for validation in policy.validations:
                found.append(evaluation.evaluate(validation.condition))
                ends_s.append(now_s())
        except (ConditionsFail, OutOfBudget) as error:
            return self._fail(str(error))
        if not (policy.has_messages or policy.annotations) and all(each.value is True for each in found):
            return _NOTHING
        # Upstream's messages and annotations know no authorizer, though expressions for annotations may name it.
        evaluation.renew(policy.variables, has_authorizer=False)
        verdict = self._decide(found, ends_s, evaluation)
        if policy.annotations:
            try:
                self._annotate(verdict, Evaluation(subject, param, policy.variables, self._meter, has_authorizer=False))
            except OutOfBudget as error:
                return self._fail(str(error))
        return verdict

    def _fail(self, text: str) -> _Verdict:
        """Of all validations together."""
        denial = [Denial(text)]
        return _Verdict([], denial, [], []) if self._policy.is_ignorable else _Verdict(denial, [], [], [])

    def _meets_conditions(self, subject: Subject, param: Object | None) -> bool:
        policy = self._policy
        evaluation = Evaluation(subject, param, policy.variables, self._meter, CONDITIONS_COST_MAX, has_namespace=False)
        return meets(policy.conditions, evaluation, is_ignorable=policy.is_ignorable)

    def _decide(self, found: list[Evaluated], ends_s: list[float], evaluation: Evaluation) -> _Verdict:
        """`ends_s`: when the first evaluation began, and when each had ended."""
        validations = self._policy.validations
        try:
            messages = [self._message(validation, evaluation) for validation in validations]
        except OutOfBudget as error:
            messages = []
            failed = f"failed messageExpression: {error}"
        verdict = _Verdict([], [], [], [])
        for index, (validation, result) in enumerate(zip(validations, found, strict=True)):
            elapsed_s = ends_s[index + 1] - ends_s[index]
            if result.error or not messages:
                errors_to = verdict.ignored if self._policy.is_ignorable else verdict.denials
                errors_to.append(Denial(result.error or failed, "", index, elapsed_s))
            elif result.value is not True:
                text = messages[index] or _fallback(validation)
                verdict.denials.append(Denial(text, validation.reason, index, elapsed_s))
        return verdict

    def _message(self, validation: Validation, evaluation: Evaluation) -> str:
        """ "" where there is none that could be told."""
        if validation.message_expression is None:
            return ""
        found = evaluation.evaluate(validation.message_expression)
        if found.error or not isinstance(found.value, str):
            return ""
        text = found.value.strip(_SPACE)
        return "" if "\n" in text or len(text.encode("utf-8", "surrogatepass")) > _MESSAGE_BYTES_MAX else text

    def _annotate(self, verdict: _Verdict, evaluation: Evaluation) -> None:
        for key, compiled in self._policy.annotations:
            begin_s = now_s()
            found = evaluation.evaluate(compiled)
            if found.error:
                if not self._policy.is_ignorable:
                    verdict.faults.append(Denial(found.error, elapsed_s=now_s() - begin_s))
            elif isinstance(found.value, str) and (text := found.value.strip(_SPACE)):
                shown = text.encode()[:_ANNOTATION_BYTES_MAX].decode(errors="ignore")
                verdict.annotations.append((key, shown))


def _fallback(validation: Validation) -> str:
    message = validation.message.strip(_SPACE)
    return message or f"failed expression: {validation.condition.expression.strip(_SPACE)}"
