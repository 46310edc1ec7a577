"""What is told of a file of configuration that is read again: how often that went well, and the hash of the last one.

Source: apiserver/pkg/server/options/authorizationconfig/metrics/metrics.go, pkg/util/configmetrics.
"""

from __future__ import annotations

import time

from quarterdeck.metrics.digests import digest
from quarterdeck.metrics.registry import LabelValues, Registry


class ConfigMetrics:
    """`what` is configured (authorization); `identity` is the server's, whose hash is a label."""

    def __init__(self, registry: Registry, what: str, identity: str) -> None:
        prefix = f"apiserver_{what}_config_controller_"
        labels = ("status", "apiserver_id_hash")
        self._reloads = registry.counter(
            f"{prefix}automatic_reloads_total",
            f"[BETA] Total number of automatic reloads of {what} configuration split by status and apiserver identity.",
            labels,
        )
        self._last = registry.gauge(
            f"{prefix}automatic_reload_last_timestamp_seconds",
            f"[BETA] Timestamp of the last automatic reload of {what} configuration split by status and apiserver "
            "identity.",
            labels,
        )
        self._server = digest(identity.encode())
        self._data = ""
        registry.read_gauge(
            f"{prefix}last_config_info",
            f"[ALPHA] Information about the last applied {what} configuration with hash as label, split by apiserver "
            "identity.",
            self._info,
            ("apiserver_id_hash", "hash"),
        )

    def note(self, data: bytes) -> None:
        """What is in force."""
        self._data = digest(data)

    def count_success(self, data: bytes) -> None:
        self._count("success")
        self.note(data)

    def count_failure(self) -> None:
        self._count("failure")

    def _count(self, status: str) -> None:
        self._reloads.labels(status, self._server).inc()
        self._last.labels(status, self._server).set(time.time())

    def _info(self) -> tuple[tuple[LabelValues, float], ...]:
        return (((self._server, self._data), 1.0),)
