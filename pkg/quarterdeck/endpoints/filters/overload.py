"""What a request is answered that the server has no room for. Source: apiserver/pkg/server/filters/maxinflight.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.transport.messages import Response

READS: Final = frozenset(("get", "list", "watch"))
_TOO_MANY: Final = 429
_TEXT: Final = "Too many requests, please try again later.\n"


def refuse(metrics: RequestMetrics, request: RequestContext, retry_after_s: int) -> Response:
    metrics.count_termination(request, _TOO_MANY)
    return build_refusal(retry_after_s)


def build_refusal(retry_after_s: int) -> Response:
    response = respond.text_response(_TOO_MANY, _TEXT, nosniff=True)
    response.headers.append(("Retry-After", str(retry_after_s)))
    return response
