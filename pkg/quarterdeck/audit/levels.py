"""Levels and stages of audit events. Source: apiserver/pkg/apis/audit/{types,helpers}.go."""

from __future__ import annotations

from typing import Final

NONE: Final = 0
METADATA: Final = 1
REQUEST: Final = 2
REQUEST_RESPONSE: Final = 3
LEVELS: Final = ("None", "Metadata", "Request", "RequestResponse")  # a level is its index

REQUEST_RECEIVED: Final = "RequestReceived"
RESPONSE_STARTED: Final = "ResponseStarted"
RESPONSE_COMPLETE: Final = "ResponseComplete"
PANIC: Final = "Panic"
STAGES: Final = (REQUEST_RECEIVED, RESPONSE_STARTED, RESPONSE_COMPLETE, PANIC)
