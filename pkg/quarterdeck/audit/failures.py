"""Events that could not be kept: counted, and told in the server's log once a second at most.

Differs from upstream: it writes each of them into its log. What an audit holds stands in the audit alone, and a full
disk is not filled from a second side. Source: apiserver/pkg/audit/metrics.go (HandlePluginError).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

_LOG: Final = logging.getLogger(__name__)
_PAUSE_S: Final = 1.0

LOG: Final = "log"
WEBHOOK: Final = "webhook"
BUFFERED: Final = "buffered"
TRUNCATE: Final = "truncate"


class Failures:
    """Called from any thread. `count` is given a plugin and how many events."""

    def __init__(self, count: Callable[[str, int], None]) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._untold: dict[str, int] = {}
        self._told_at: dict[str, float] = {}

    def add(self, plugin: str, events: int, reason: str) -> None:
        with self._lock:
            self._count(plugin, events)
            untold = self._untold.get(plugin, 0) + events
            now = time.monotonic()
            if now - self._told_at.get(plugin, float("-inf")) < _PAUSE_S:
                self._untold[plugin] = untold
                return
            self._untold[plugin] = 0
            self._told_at[plugin] = now
        _LOG.error("Error in audit plugin '%s' affecting %d audit events: %s", plugin, untold, reason)
