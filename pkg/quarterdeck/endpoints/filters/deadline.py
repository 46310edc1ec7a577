"""When a request ends: after the `timeout` of its query, which has to be a duration, and after the time that all have.
Watches have `timeoutSeconds` and do not look at it, and neither does what lasts as long as its client likes.

Before authentication, as upstream. Source: apiserver/pkg/endpoints/filters/request_deadline.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import duration
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.longrunning import is_long_running
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo


class DeadlineFilter:
    """`longest_s` is what a request has that asks for no less."""

    def __init__(self, longest_s: float) -> None:
        self._longest_s = longest_s

    def __call__(self, request: RequestContext, info: RequestInfo) -> None:
        """Raises BadRequest."""
        has_s = self._longest_s
        if "timeout=" in request.query and not is_long_running(info):
            asked_s = request.http.timeout_s = _read(request.query)
            if asked_s:
                has_s = min(asked_s, has_s)
        request.ends_s = request.received_s + has_s


def _read(query: str) -> float:
    """0: the client asks for nothing."""
    text = first(parse_query(query), "timeout")
    if not text:
        return 0.0
    try:
        return max(duration.parse_ns(text) / 1e9, 0.0)
    except ValueError as error:
        raise BadRequest(f"invalid timeout specified in the request URL - {error}") from error
