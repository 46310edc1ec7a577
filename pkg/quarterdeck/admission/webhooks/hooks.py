"""The webhooks of configurations, compiled once for each change of one.

Source: apiserver/pkg/admission/plugin/webhook/accessors.go, pkg/admission/configuration/*_webhook_manager.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from quarterdeck.admission.matching import Selection
from quarterdeck.admission.webhooks.conditions import Conditions
from quarterdeck.webhook.config import BadConfig, Target, read_target

_DEFAULT_TIMEOUT_S = 10


class Hook:
    """One webhook. `uid` tells it from all others. `bad_target`: why it has no target."""

    __slots__ = (
        "bad_target",
        "conditions",
        "configuration",
        "has_side_effects",
        "is_ignorable",
        "is_reinvocable",
        "name",
        "review_version",
        "selection",
        "target",
        "timeout_s",
        "uid",
    )

    def __init__(self, configuration: str, webhook: Mapping[str, Any], uid: str) -> None:
        self.configuration = configuration
        self.name: str = webhook.get("name") or ""
        self.uid = uid
        self.selection = Selection(
            webhook.get("rules"),
            webhook.get("namespaceSelector"),
            webhook.get("objectSelector"),
            webhook.get("matchPolicy") or "Equivalent",
        )
        self.is_ignorable = webhook.get("failurePolicy") == "Ignore"
        self.conditions = Conditions(webhook.get("matchConditions") or (), is_ignorable=self.is_ignorable)
        self.has_side_effects = webhook.get("sideEffects") not in ("None", "NoneOnDryRun")
        self.is_reinvocable = webhook.get("reinvocationPolicy") == "IfNeeded"
        self.timeout_s = float(webhook.get("timeoutSeconds") or _DEFAULT_TIMEOUT_S)
        self.review_version = next(
            (version for version in webhook.get("admissionReviewVersions") or () if version in ("v1", "v1beta1")), ""
        )
        self.target: Target | None = None
        self.bad_target = ""
        try:
            self.target = read_target(webhook.get("clientConfig") or {})
        except BadConfig as error:
            self.bad_target = str(error)


def compile_hooks(configuration: Mapping[str, Any]) -> tuple[Hook, ...]:
    """The webhooks of one configuration. Raises SelectorError."""
    return tuple(_compile(configuration))


def _compile(configuration: Mapping[str, Any]) -> Iterator[Hook]:
    name, seen = str(configuration["metadata"]["name"]), Counter[str]()
    for webhook in configuration.get("webhooks") or ():
        own = webhook.get("name") or ""
        yield Hook(name, webhook, f"{name}/{own}/{seen[own]}")
        seen[own] += 1
