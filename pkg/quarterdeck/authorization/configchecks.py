"""What is wrong with an AuthorizationConfiguration that was decoded; match conditions are compiled on the way.

Durations are in nanoseconds. Source: apiserver/pkg/apis/apiserver/validation/validation.go
(ValidateAuthorizationConfiguration, ValidateWebhookConfiguration), whose errors these are.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from quarterdeck.apimachinery import duration, field, gotext, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.authorization.configuration import MODES, WEBHOOK
from quarterdeck.authorization.webhook.conditions import BadCondition, Condition, compile_condition

Object = dict[str, Any]

DURATIONS: Final = ("timeout", "authorizedTTL", "unauthorizedTTL")
IN_CLUSTER: Final = "InClusterConfig"
_OF_FILE: Final = "KubeConfigFile"
_OF_CONDITIONS: Final = "matchConditionSubjectAccessReviewVersion"
_CONDITIONS_MAX: Final = 64
_TIMEOUT_MAX_NS: Final = 30_000_000_000


class ConfigValidator:
    """Of one configuration. `conditions`: the compiled ones, by the name of their webhook."""

    def __init__(self) -> None:
        self.conditions: dict[str, list[Condition]] = {}

    def check(self, given: Sequence[Object]) -> list[FieldError]:
        if not given:
            return [field.required("authorizers", "at least one authorization mode must be defined")]
        problems: list[FieldError] = []
        types: set[str] = set()
        seen: set[str] = set()
        for position, each in enumerate(given):
            problems += self._check_one(field.index("authorizers", position), each, types, seen)
        return problems

    def _check_one(self, path: str, each: Object, types: set[str], seen: set[str]) -> list[FieldError]:
        kind, name = each.get("type") or "", each.get("name") or ""
        if not kind:
            return [field.required(f"{path}.type")]
        if kind not in MODES:
            return [field.not_supported(f"{path}.type", kind, sorted(MODES))]
        if kind in types and kind != WEBHOOK:
            return [field.duplicate(f"{path}.type", kind)]
        types.add(kind)
        problems = _check_name(f"{path}.name", name, seen)
        seen.add(name)
        webhook = each.get("webhook")
        if kind != WEBHOOK:
            if webhook is not None:
                text = "may only be specified when type=Webhook"
                problems.append(field.invalid(f"{path}.webhook", "non-null", text))
            return problems
        if webhook is None:
            return [*problems, field.required(f"{path}.webhook", "required when type=Webhook")]
        return problems + self._check_webhook(path, name, webhook)

    def _check_webhook(self, path: str, name: str, webhook: Object) -> list[FieldError]:
        return [
            *_check_durations(path, webhook),
            *_check_versions(path, webhook),
            *_check_choice(f"{path}.failurePolicy", webhook.get("failurePolicy") or "", ("NoOpinion", "Deny")),
            *_check_connection(f"{path}.connectionInfo", webhook["connectionInfo"]),
            *self._check_conditions(f"{path}.matchConditions", name, webhook.get("matchConditions") or []),
        ]

    def _check_conditions(self, path: str, name: str, given: Sequence[Object]) -> list[FieldError]:
        if len(given) > _CONDITIONS_MAX:
            return [field.too_many(path, len(given), _CONDITIONS_MAX)]
        problems: list[FieldError] = []
        compiled = self.conditions.setdefault(name, [])
        seen: set[str] = set()
        for position, each in enumerate(given):
            place = f"{field.index(path, position)}.expression"
            expression = each.get("expression") or ""
            if not gotext.strip(expression):
                problems.append(field.required(place))
            elif expression in seen:
                problems.append(field.duplicate(place, expression))
            else:
                seen.add(expression)
                try:
                    compiled.append(compile_condition(expression))
                except BadCondition as error:
                    problems.append(_refuse_condition(place, expression, error))
        return problems


def _refuse_condition(path: str, expression: str, error: BadCondition) -> FieldError:
    text = str(error)
    return field.internal(path, text) if error.is_internal else field.invalid(path, expression, text)


def _check_name(path: str, name: str, seen: set[str]) -> list[FieldError]:
    if not name:
        return [field.required(path)]
    if name in seen:
        return [field.duplicate(path, name)]
    if objections := names.dns1123_subdomain(name):
        return [field.invalid(path, name, f"authorizer name is invalid: {', '.join(objections)}")]
    return []


def _check_durations(path: str, webhook: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    for name in DURATIONS:
        given, place = webhook[name], f"{path}.{name}"
        shown = duration.format_ns(given)
        if not given:
            problems.append(field.required(place))
        elif name == "timeout" and not 0 < given <= _TIMEOUT_MAX_NS:
            problems.append(field.invalid(place, shown, "must be > 0s and <= 30s"))
        elif given < 0:
            problems.append(field.invalid(place, shown, "must be > 0s"))
    return problems


def _check_versions(path: str, webhook: Object) -> list[FieldError]:
    place = f"{path}.subjectAccessReviewVersion"
    problems = _check_choice(place, webhook.get("subjectAccessReviewVersion") or "", ("v1", "v1beta1"))
    given, place = webhook.get("matchConditionSubjectAccessReviewVersion") or "", f"{path}.{_OF_CONDITIONS}"
    if given:
        problems += _check_choice(place, given, ("v1",))
    elif webhook.get("matchConditions"):
        problems.append(field.required(place, "required if match conditions are specified"))
    return problems


def _check_choice(path: str, given: str, known: tuple[str, ...]) -> list[FieldError]:
    if not given:
        return [field.required(path)]
    return [] if given in known else [field.not_supported(path, given, list(known))]


def _check_connection(path: str, connection: Object) -> list[FieldError]:
    kind, file = connection.get("type") or "", connection.get("kubeConfigFile") or ""
    if not kind:
        return [field.required(f"{path}.type")]
    place = f"{path}.kubeConfigFile"
    if kind == IN_CLUSTER:
        return [field.invalid(place, file, f"can only be set when type={_OF_FILE}")] if file else []
    if kind != _OF_FILE:
        shown = {"Type": kind, "KubeConfigFile": file or None}
        return [field.not_supported(f"{path}.type", shown, [IN_CLUSTER, _OF_FILE])]
    if not file:
        return [field.required(place)]
    if not Path(file).is_absolute():
        return [field.invalid(place, file, "must be an absolute path")]
    try:
        mode = Path(file).stat().st_mode
    except OSError as error:
        reason = (error.strerror or "").lower()
        return [field.invalid(place, file, f"error loading file: stat {file}: {reason}")]
    return [] if stat.S_ISREG(mode) else [field.invalid(place, file, "must be a regular file")]
