"""Counts of the audit. Source: apiserver/pkg/audit/metrics.go."""

from __future__ import annotations

from quarterdeck.audit.levels import LEVELS
from quarterdeck.metrics.registry import Registry


class AuditMetrics:
    """`levels`: counters by level."""

    def __init__(self, registry: Registry) -> None:
        self.events = registry.counter(
            "apiserver_audit_event_total",
            "[ALPHA] Counter of audit events generated and sent to the audit backend.",
        ).labels()
        self.rejected = registry.counter(
            "apiserver_audit_requests_rejected_total",
            "[ALPHA] Counter of apiserver requests rejected due to an error in audit logging backend.",
        ).labels()
        by_level = registry.counter(
            "apiserver_audit_level_total",
            "[ALPHA] Counter of policy levels for audit events (1 per request).",
            ("level",),
        )
        self.levels = [by_level.labels(name) for name in LEVELS]
        self._errors = registry.counter(
            "apiserver_audit_error_total",
            "[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected "
            "by the error.",
            ("plugin",),
        )

    def count_failures(self, plugin: str, events: int) -> None:
        self._errors.labels(plugin).add(events)
