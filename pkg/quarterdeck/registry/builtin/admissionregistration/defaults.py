"""What is set where an object says nothing. Source: pkg/apis/admissionregistration/v1/defaults.go."""

from __future__ import annotations

from collections.abc import Iterable

from quarterdeck.registry.strategy import Object


def default_mutating_webhooks(obj: Object) -> None:
    default_webhooks(obj)
    for webhook in obj.get("webhooks") or ():
        webhook.setdefault("reinvocationPolicy", "Never")


def default_webhooks(obj: Object) -> None:
    for webhook in obj.get("webhooks") or ():
        webhook.setdefault("failurePolicy", "Fail")
        webhook.setdefault("timeoutSeconds", 10)
        _default_selection(webhook)
        _default_scopes(webhook.get("rules") or ())
        service = webhook["clientConfig"].get("service")
        if service is not None:
            service.setdefault("port", 443)


def default_policy(obj: Object) -> None:
    spec = obj["spec"]
    spec.setdefault("failurePolicy", "Fail")
    _default_match_resources(spec.get("matchConstraints"))


def default_binding(obj: Object) -> None:
    _default_match_resources(obj["spec"].get("matchResources"))


def default_binding_v1alpha1(obj: Object) -> None:
    """Source: pkg/apis/admissionregistration/v1alpha1/defaults.go."""
    default_binding(obj)
    if (parameters := obj["spec"].get("paramRef")) is not None:
        parameters.setdefault("parameterNotFoundAction", "Deny")


def _default_match_resources(match: Object | None) -> None:
    if match is not None:
        _default_selection(match)
        for member in ("resourceRules", "excludeResourceRules"):
            _default_scopes(match.get(member) or ())


def _default_selection(match: Object) -> None:
    match.setdefault("matchPolicy", "Equivalent")
    match.setdefault("namespaceSelector", {})
    match.setdefault("objectSelector", {})


def _default_scopes(rules: Iterable[Object]) -> None:
    for rule in rules:
        rule.setdefault("scope", "*")
