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


class ValidatingChecks:
    def __init__(self, registry: Registry) -> None:
        told = "labeled by policy and further"
        labels = (*_LABELS, "enforcement_action")
        self._total = registry.counter(
            "apiserver_validating_admission_policy_check_total",
            f"[BETA] Validation admission policy check total, {told} identified by binding and enforcement action "
            "taken.",
            labels,
        )
        self._durations = registry.histogram(
            "apiserver_validating_admission_policy_check_duration_seconds",
            "[BETA] Validation admission latency for individual validation expressions in seconds, "
            f"{told} including binding and enforcement action taken.",
            _BUCKETS_S,
            labels,
        )

    def note(self, checks: Iterable[Check]) -> None:
        for check in checks:
            values = (check.policy, check.binding, check.error, check.action)
            self._total.labels(*values).inc()
            self._durations.labels(*values).observe(check.elapsed_s)


class MutatingChecks:
    def __init__(self, registry: Registry) -> None:
        self._total = registry.counter(
            "apiserver_mutating_admission_policy_check_total",
            "[ALPHA] Mutation admission policy check total, labeled by policy and further identified by binding.",
            _LABELS,
        )
        self._durations = registry.histogram(
            "apiserver_mutating_admission_policy_check_duration_seconds",
            "[ALPHA] Mutation admission latency for individual mutation expressions in seconds, labeled by policy and "
            "binding.",
            _BUCKETS_S,
            _LABELS,
        )

    def note(self, checks: Iterable[Check]) -> None:
        for check in checks:
            values = (check.policy, check.binding, check.error)
            self._total.labels(*values).inc()
            self._durations.labels(*values).observe(check.elapsed_s)
