"""Counts and times what policies find.

Of a validating policy those validations count that fail, or that cannot be evaluated; of a mutating one all mutations.
Source: apiserver/pkg/admission/plugin/policy/{validating,mutating}/{dispatcher,errors}.go, …/metrics/metrics.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from quarterdeck.metrics.registry import Registry

ALLOW: Final = "allow"
NO_ERROR: Final = "no_error"
_BUCKETS_S: Final[Iterable[float]] = (0.0000005, 0.001, 0.01, 0.1, 1.0)
_LABELS: Final = ("policy", "policy_binding", "error_type")
# Errors are told apart by how their texts begin, as upstream does; a validation that simply fails is "invalid" too.
_ERRORS: Final = (
    ("compilation", "compile_error"),
    ("validation failed due to running out of cost budget", "out_of_budget"),
)


class Check(NamedTuple):
    """`action`: what is done about it (`deny`, `audit`, `warn`, or ALLOW); "" of a mutation."""

    policy: str
    binding: str
    error: str
    elapsed_s: float
    action: str = ""


def error_of(text: str) -> str:
    """The kind of error that a refusal's text tells of."""
    for beginning, error in _ERRORS:
        if text.startswith(beginning):
            return error
    return "invalid_error"


class PolicyChecks:
    """Of policies of one kind. `labels`: those of a check that are told."""

    def __init__(self, registry: Registry, kind: str, texts: tuple[str, str], labels: tuple[str, ...]) -> None:
        name = f"apiserver_{kind}_admission_policy_check"
        self._count = len(labels)
        self._total = registry.counter(f"{name}_total", texts[0], labels)
        self._durations = registry.histogram(f"{name}_duration_seconds", texts[1], _BUCKETS_S, labels)

    def note(self, checks: Iterable[Check]) -> None:
        for check in checks:
            values = (check.policy, check.binding, check.error, check.action)[: self._count]
            self._total.labels(*values).inc()
            self._durations.labels(*values).observe(check.elapsed_s)


def of_validating(registry: Registry) -> PolicyChecks:
    texts = (
        "[BETA] Validation admission policy check total, labeled by policy and further identified by binding and "
        "enforcement action taken.",
        "[BETA] Validation admission latency for individual validation expressions in seconds, labeled by policy and "
        "further including binding and enforcement action taken.",
    )
    return PolicyChecks(registry, "validating", texts, (*_LABELS, "enforcement_action"))


def of_mutating(registry: Registry) -> PolicyChecks:
    texts = (
        "[ALPHA] Mutation admission policy check total, labeled by policy and further identified by binding.",
        "[ALPHA] Mutation admission latency for individual mutation expressions in seconds, labeled by policy and "
        "binding.",
    )
    return PolicyChecks(registry, "mutating", texts, _LABELS)
