"""What is wrong with a webhook configuration.

An update is forgiven what the stored object has already.
Source: pkg/apis/admissionregistration/validation/validation.go, apiserver/pkg/util/webhook/validation.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.admissionregistration.conditions import validate_match_conditions
from quarterdeck.registry.builtin.admissionregistration.rules import (
    FAILURE_POLICIES,
    MATCH_POLICIES,
    REINVOCATION_POLICIES,
    validate_rule,
    validate_unique,
)
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.webhookclient import (
    REVIEW_VERSIONS,
    validate_review_versions,
    validate_webhook_service,
    validate_webhook_url,
)

_WITHOUT_EFFECTS: Final = ("None", "NoneOnDryRun")
_ALL_EFFECTS: Final = ("None", "NoneOnDryRun", "Some", "Unknown")
_TIMEOUT_S_MAX: Final = 30
_SEGMENTS_MIN: Final = 3


@dataclass(frozen=True, slots=True)
class _Demands:
    """What is asked of the webhooks; an update asks only for what the old object fulfils."""

    conditions: bool = True
    no_side_effects: bool = True
    known_versions: bool = True
    unique_names: bool = True
    good_label_values: bool = True


def validate_webhooks(obj: Object, old: Object | None) -> list[FieldError]:
    webhooks = obj.get("webhooks") or []
    demands = _Demands() if old is None else _demands_of_update(webhooks, old.get("webhooks") or [])
    check = partial(_validate_webhook, demands=demands)
    if demands.unique_names:
        return validate_unique(webhooks, "webhooks", "name", check)
    problems: list[FieldError] = []
    for position, webhook in enumerate(webhooks):
        problems += check(webhook, field.index("webhooks", position))
    return problems


def _demands_of_update(new: Sequence[Object], old: Sequence[Object]) -> _Demands:
    conditions = [webhook.get("matchConditions") or [] for webhook in new]
    given_names = [webhook.get("name", "") for webhook in old]
    return _Demands(
        conditions=conditions != [webhook.get("matchConditions") or [] for webhook in old],
        no_side_effects=all(webhook.get("sideEffects") in _WITHOUT_EFFECTS for webhook in old),
        known_versions=all(
            not versions or not set(versions).isdisjoint(REVIEW_VERSIONS)
            for versions in (webhook.get("admissionReviewVersions") or [] for webhook in old)
        ),
        unique_names=len(set(given_names)) == len(given_names),
        good_label_values=not any(_validate_selectors(webhook, "") for webhook in old),
    )


def _validate_webhook(webhook: Object, path: str, *, demands: _Demands) -> list[FieldError]:
    problems = _validate_name(webhook.get("name") or "", f"{path}.name")
    for position, rule in enumerate(webhook.get("rules") or []):
        problems += validate_rule(rule, field.index(f"{path}.rules", position))
    problems += _validate_choice(webhook, path, "failurePolicy", FAILURE_POLICIES)
    problems += _validate_choice(webhook, path, "matchPolicy", MATCH_POLICIES)
    problems += _validate_side_effects(webhook.get("sideEffects"), f"{path}.sideEffects", demands)
    timeout_s = webhook.get("timeoutSeconds")
    if timeout_s is not None and not 1 <= timeout_s <= _TIMEOUT_S_MAX:
        detail = "the timeout value must be between 1 and 30 seconds"
        problems.append(field.invalid(f"{path}.timeoutSeconds", timeout_s, detail))
    selectors = _validate_selectors(webhook, path)
    problems += selectors if demands.good_label_values else [each for each in selectors if not _is_of_value(each)]
    problems += _validate_choice(webhook, path, "reinvocationPolicy", REINVOCATION_POLICIES)
    problems += _validate_client(webhook.get("clientConfig") or {}, f"{path}.clientConfig")
    if demands.conditions:
        conditions = webhook.get("matchConditions") or []
        problems += validate_match_conditions(conditions, f"{path}.matchConditions", has_params=False)
    versions = webhook.get("admissionReviewVersions") or []
    return problems + _validate_versions(versions, f"{path}.admissionReviewVersions", demands)


def _validate_name(name: str, path: str) -> list[FieldError]:
    if not name:
        return [field.required(path)]
    if texts := names.dns1123_subdomain(name):
        return [field.invalid(path, name, ",".join(texts))]
    if name.count(".") < _SEGMENTS_MIN - 1:
        return [field.invalid(path, name, "should be a domain with at least three segments separated by dots")]
    return []


def _validate_choice(webhook: Object, path: str, member: str, supported: tuple[str, ...]) -> list[FieldError]:
    given = webhook.get(member)
    return [] if given is None else checks.one_of(f"{path}.{member}", given, supported)


def _validate_side_effects(given: str | None, path: str, demands: _Demands) -> list[FieldError]:
    allowed = _WITHOUT_EFFECTS if demands.no_side_effects else _ALL_EFFECTS
    if given is None:
        return [field.required(path, f"must specify one of {', '.join(allowed)}")]
    return checks.one_of(path, given, allowed)


def _validate_selectors(webhook: Object, path: str) -> list[FieldError]:
    problems = checks.label_selector(f"{path}.namespaceSelector", webhook.get("namespaceSelector"))
    return problems + checks.label_selector(f"{path}.objectSelector", webhook.get("objectSelector"))


def _is_of_value(problem: FieldError) -> bool:
    """Whether it is about one of the values that an expression of a selector lists."""
    return problem.path.endswith("]") and ".values[" in problem.path


def _validate_client(client: Object, path: str) -> list[FieldError]:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        return [field.required(path, "exactly one of url or service is required")]
    if service is None:
        return validate_webhook_url(f"{path}.url", url or "")
    # Upstream hands name and namespace over the wrong way round; the causes name the other one.
    namespace, name = service.get("name") or "", service.get("namespace") or ""
    return validate_webhook_service(f"{path}.service", namespace, name, service)


def _validate_versions(versions: list[str], path: str, demands: _Demands) -> list[FieldError]:
    if not versions:
        return [field.required(path, f"must specify one of {', '.join(REVIEW_VERSIONS)}")]
    return validate_review_versions(path, versions, requires_known=demands.known_versions)
