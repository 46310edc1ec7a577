"""What is counted of webhooks that authorize.

Source: apiserver/plugin/pkg/authorizer/webhook/metrics/metrics.go, pkg/authorization/cel/metrics.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.metrics import bounds
from quarterdeck.metrics.registry import Registry

SUCCESS: Final = "success"
CANCELED: Final = "canceled"
TIMEOUT: Final = "timeout"
ERROR: Final = "error"

_PREFIX: Final = "apiserver_authorization_"
_EVALUATIONS_S: Final = (0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25)
_TYPE: Final = "Webhook"


class WebhookMetrics:
    """Of all webhooks; their names come from a configuration, so that there are few."""

    def __init__(self, registry: Registry) -> None:
        by_result, by_name = ("name", "result"), ("type", "name")
        self._calls = registry.counter(
            f"{_PREFIX}webhook_evaluations_total", "[ALPHA] Round-trips to authorization webhooks.", by_result
        )
        self._durations = registry.histogram(
            f"{_PREFIX}webhook_duration_seconds", "[ALPHA] Request latency in seconds.", bounds.DEFAULT, by_result
        )
        self._passed_over = registry.counter(
            f"{_PREFIX}webhook_evaluations_fail_open_total",
            "[ALPHA] NoOpinion results due to webhook timeout or error.",
            by_result,
        )
        self._faults = registry.counter(
            f"{_PREFIX}match_condition_evaluation_errors_total",
            "[ALPHA] Total number of errors when an authorization webhook encounters a match condition error split by "
            "authorizer type and name.",
            by_name,
        )
        self._exclusions = registry.counter(
            f"{_PREFIX}match_condition_exclusions_total",
            "[ALPHA] Total number of exclusions when an authorization webhook is skipped because match conditions "
            "exclude it.",
            by_name,
        )
        self._evaluations = registry.histogram(
            f"{_PREFIX}match_condition_evaluation_seconds",
            "[ALPHA] Authorization match condition evaluation time in seconds, split by authorizer type and name.",
            _EVALUATIONS_S,
            by_name,
        )

    def count_call(self, name: str, result: str, duration_s: float) -> None:
        self._calls.labels(name, result).inc()
        self._durations.labels(name, result).observe(duration_s)

    def count_passed_over(self, name: str, result: str) -> None:
        """Nobody answered, and the authorizers that follow are asked."""
        self._passed_over.labels(name, result).inc()

    def count_conditions(self, name: str, duration_s: float, *, fits: bool, has_failed: bool) -> None:
        self._evaluations.labels(_TYPE, name).observe(duration_s)
        if has_failed:
            self._faults.labels(_TYPE, name).inc()
        elif not fits:
            self._exclusions.labels(_TYPE, name).inc()
