"""Counts and times conversions by webhooks.

Source: apiextensions-apiserver/pkg/apiserver/conversion/{metrics,webhook_converter}.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.metrics import bounds
from quarterdeck.metrics.registry import Registry

# What a call can fail with; "" where it does not.
CALL: Final = "conversion_webhook_call_failure"
MALFORMED: Final = "conversion_webhook_malformed_response_failure"
PARTIAL: Final = "conversion_webhook_partial_response_failure"
INVALID_OBJECT: Final = "conversion_webhook_invalid_converted_object_failure"

_CALL_BOUNDS_S: Final[Iterable[float]] = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60)


class ConversionCounts:
    def __init__(self, registry: Registry) -> None:
        labels = ("result", "failure_type")
        self._requests = registry.counter(
            "apiserver_conversion_webhook_request_total",
            "[ALPHA] Counter for conversion webhook requests with success/failure and failure error type",
            labels,
        )
        self._calls = registry.histogram(
            "apiserver_conversion_webhook_duration_seconds",
            "[ALPHA] Conversion webhook request latency",
            _CALL_BOUNDS_S,
            labels,
        )
        self._conversions = registry.histogram(
            "apiserver_crd_conversion_webhook_duration_seconds",
            "[ALPHA] CRD webhook conversion duration in seconds",
            bounds.DOUBLING_S,
            ("crd_name", "from_version", "to_version", "succeeded"),
        )

    def end(self, definition: str, versions: tuple[str, str], begin_s: float, failure: str = "") -> None:
        """A call for objects of the first version, which are to be of the second, has ended."""
        elapsed_s = now_s() - begin_s
        values = ("failure" if failure else "success", failure)
        self._requests.labels(*values).inc()
        self._calls.labels(*values).observe(elapsed_s)
        self._conversions.labels(definition, *versions, "false" if failure else "true").observe(elapsed_s)
