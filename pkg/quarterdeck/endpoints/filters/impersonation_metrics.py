"""What is counted and timed of requests as somebody else: each of them, and each question whether it is allowed.

Source: apiserver/pkg/endpoints/filters/impersonation/metrics/metrics.go, constrained_impersonation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.metrics import bounds
from quarterdeck.metrics.registry import Family, Histogram, Registry

_LABELS: Final = ("mode", "decision")
_ALLOWED: Final = "allowed"
_DENIED: Final = "denied"
_OLD_WAY: Final = "legacy"


class ImpersonationMetrics:
    """Times are those of now_s. What is timed is counted thereby."""

    def __init__(self, registry: Registry) -> None:
        self._attempts = _time(registry, "attempts", "impersonation attempts")
        self._checks = _time(
            registry, "authorization_attempts", "authorization checks made by the impersonation handler"
        )

    def note_allowed(self, mode: str, begin_s: float) -> None:
        """`mode`: the name of the way that was allowed, "" for the old one."""
        self._attempts.labels(mode or _OLD_WAY, _ALLOWED).observe_since(begin_s)

    def note_denied(self, begin_s: float) -> None:
        self._attempts.labels("", _DENIED).observe_since(begin_s)

    def note_check(self, mode: str, begin_s: float, *, is_allowed: bool) -> None:
        self._checks.labels(mode or _OLD_WAY, _ALLOWED if is_allowed else _DENIED).observe_since(begin_s)


def _time(registry: Registry, name: str, what: str) -> Family[Histogram]:
    split = "split by mode and decision."
    durations = registry.histogram(
        f"apiserver_impersonation_{name}_duration_seconds",
        f"[ALPHA] Latency of {what} in seconds {split}",
        bounds.DOUBLING_S,
        _LABELS,
    )
    registry.read_counter(
        f"apiserver_impersonation_{name}_total",
        f"[ALPHA] Total number of {what} {split}",
        lambda: [(labels, timed.count) for labels, timed in durations.children()],
        _LABELS,
    )
    return durations
