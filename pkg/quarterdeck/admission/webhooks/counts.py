"""Counts and times calls of admission webhooks.

Source: apiserver/pkg/admission/metrics/metrics.go (ObserveWebhook, ObserveWebhookRejection, ObserveWebhookFailOpen),
plugin/webhook/{mutating,validating}/dispatcher.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.admission.webhooks.hooks import Hook
from quarterdeck.admission.webhooks.reviews import Denied
from quarterdeck.apimachinery import errors
from quarterdeck.metrics.registry import Registry
from quarterdeck.webhook.client import WebhookFailed

MUTATING: Final = "admit"
VALIDATING: Final = "validating"
_CODE_MAX: Final = 600
_NO_ANSWER: Final = 503
_ANSWERED: Final = 200
_BUCKETS_S: Final = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10, 25)
_EACH: Final = "identified by name and broken out for each"
_BOUNDED: Final = "Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded."


class WebhookCounts:
    """Of webhooks of one kind: MUTATING or VALIDATING."""

    def __init__(self, registry: Registry, kind: str) -> None:
        self._kind = kind
        self._durations = registry.histogram(
            "apiserver_admission_webhook_admission_duration_seconds",
            f"[STABLE] Admission webhook latency histogram in seconds, {_EACH} operation and API resource and type "
            "(validate or admit).",
            _BUCKETS_S,
            ("name", "type", "operation", "rejected"),
        )
        self._requests = registry.counter(
            "apiserver_admission_webhook_request_total",
            f"[ALPHA] Admission webhook request total, {_EACH} admission type (validating or admit) and operation. "
            f"Additional labels specify whether the request was rejected or not and an HTTP status code. {_BOUNDED}",
            ("name", "type", "operation", "code", "rejected"),
        )
        self._rejections = registry.counter(
            "apiserver_admission_webhook_rejection_count",
            f"[ALPHA] Admission webhook rejection count, {_EACH} admission type (validating or admit) and operation. "
            "Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error "
            "occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request "
            f"with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). {_BOUNDED}",
            ("name", "type", "operation", "error_type", "rejection_code"),
        )
        self._failed_open = registry.counter(
            "apiserver_admission_webhook_fail_open_count",
            f"[ALPHA] Admission webhook fail open count, {_EACH} admission type (validating or admit).",
            ("name", "type"),
        )

    @contextmanager
    def counting(self, hook: Hook, operation: str) -> Iterator[None]:
        """Around one call; what it raises is passed on. A call that is given up is not counted."""
        begin_s = now_s()
        try:
            yield
        except WebhookFailed as failure:
            code = min(failure.status or _NO_ANSWER, _CODE_MAX)
            if hook.is_ignorable:
                self._failed_open.labels(hook.name, self._kind).inc()
            else:
                self._reject(hook, operation, "calling_webhook_error", code)
            self._end(hook, operation, begin_s, code, rejected=not hook.is_ignorable)
            raise
        except Denied as denial:
            code = min(denial.http_code, _CODE_MAX)
            self._reject(hook, operation, "no_error", code)
            self._end(hook, operation, begin_s, code, rejected=True)
            raise
        except errors.APIStatus:
            self._reject(hook, operation, "apiserver_internal_error", 0)
            self._end(hook, operation, begin_s, 0, rejected=True)
            raise
        self._end(hook, operation, begin_s, _ANSWERED, rejected=False)

    def note_change(self, hook: Hook) -> None:
        """The webhook has changed the object. Upstream has no metric of that."""

    def _reject(self, hook: Hook, operation: str, error: str, code: int) -> None:
        self._rejections.labels(hook.name, self._kind, operation, error, str(code)).inc()

    def _end(self, hook: Hook, operation: str, begin_s: float, code: int, *, rejected: bool) -> None:
        told = "true" if rejected else "false"
        self._requests.labels(hook.name, self._kind, operation, str(code), told).inc()
        self._durations.labels(hook.name, self._kind, operation, told).observe_since(begin_s)
