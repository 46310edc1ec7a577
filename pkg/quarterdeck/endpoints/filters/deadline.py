"""The `timeout` of a request's query, which has to be a duration. Watches have `timeoutSeconds` and do not look at it,
and neither does what lasts as long as its client likes.

Before authentication, as upstream. Source: apiserver/pkg/endpoints/filters/request_deadline.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import duration
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.longrunning import is_long_running
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo


def check_timeout(request: RequestContext, info: RequestInfo) -> None:
    """Raises BadRequest."""
    if "timeout=" not in request.query or is_long_running(info):
        return
    text = first(parse_query(request.query), "timeout")
    if text:
        try:
            request.http.timeout_s = max(duration.parse_ns(text) / 1e9, 0.0)
        except ValueError as error:
            raise BadRequest(f"invalid timeout specified in the request URL - {error}") from error
