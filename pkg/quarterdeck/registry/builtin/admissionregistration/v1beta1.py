"""Webhook configurations as servers before 1.16 stored them: in admissionregistration.k8s.io/v1beta1, which nobody
serves any more. Its members are those of v1; what is left out means something else.

Source: pkg/apis/admissionregistration/v1beta1/defaults.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.strategy import Object

V1: Final = "admissionregistration.k8s.io/v1"
V1BETA1: Final = "admissionregistration.k8s.io/v1beta1"
# What v1 has by default too is added with its defaults.
_DEFAULTS: Final = {
    "failurePolicy": "Ignore",
    "matchPolicy": "Exact",
    "sideEffects": "Unknown",
    "timeoutSeconds": 30,
}


def from_v1beta1(configuration: Object) -> Object:
    """Decoded JSON, which is not changed."""
    made = {**configuration, "apiVersion": V1}
    if webhooks := made.get("webhooks"):
        made["webhooks"] = [_defaulted(webhook) for webhook in webhooks]
    return made


def _defaulted(webhook: Object) -> Object:
    absent = {name: value for name, value in _DEFAULTS.items() if webhook.get(name) is None}
    if not webhook.get("admissionReviewVersions"):
        absent["admissionReviewVersions"] = ["v1beta1"]
    return {**webhook, **absent}
