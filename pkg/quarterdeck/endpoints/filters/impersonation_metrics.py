"""What is counted and timed of requests as somebody else: each of them, and each question whether it is allowed.

Source: apiserver/pkg/endpoints/filters/impersonation/metrics/metrics.go, constrained_impersonation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.metrics import bounds
from quarterdeck.metrics.registry import Registry

_LABELS: Final = ("mode", "decision")
_ALLOWED: Final = "allowed"
_DENIED: Final = "denied"
_OLD_WAY: Final = "legacy"


class ImpersonationMetrics:
    """Times are those of now_s."""

    def __init__(self, registry: Registry) -> None:
        self._attempts = registry.counter(
            "apiserver_impersonation_attempts_total",
            "[ALPHA] Total number of impersonation attempts split by mode and decision.",
            _LABELS,
        )
        self._durations = registry.histogram(
            "apiserver_impersonation_attempts_duration_seconds",
            "[ALPHA] Latency of impersonation attempts in seconds split by mode and decision.",
            bounds.DOUBLING_S,
            _LABELS,
        )
        self._checks = registry.counter(
            "apiserver_impersonation_authorization_attempts_total",
            "[ALPHA] Total number of authorization checks made by the impersonation handler split by mode and "
            "decision.",
            _LABELS,
        )
        self._check_durations = registry.histogram(
            "apiserver_impersonation_authorization_attempts_duration_seconds",
            "[ALPHA] Latency of authorization checks made by the impersonation handler in seconds split by mode and "
            "decision.",
            bounds.DOUBLING_S,
            _LABELS,
        )

    def note_allowed(self, mode: str, begin_s: float) -> None:
        """`mode`: the name of the way that was allowed, "" for the old one."""
        self._note(mode or _OLD_WAY, _ALLOWED, now_s() - begin_s)

    def note_denied(self, begin_s: float) -> None:
        self._note("", _DENIED, now_s() - begin_s)

    def note_check(self, mode: str, begin_s: float, *, is_allowed: bool) -> None:
        labels = mode or _OLD_WAY, _ALLOWED if is_allowed else _DENIED
        self._checks.labels(*labels).inc()
        self._check_durations.labels(*labels).observe(now_s() - begin_s)

    def _note(self, mode: str, decision: str, duration_s: float) -> None:
        self._attempts.labels(mode, decision).inc()
        self._durations.labels(mode, decision).observe(duration_s)
