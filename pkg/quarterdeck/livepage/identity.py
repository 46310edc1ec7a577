"""Who the page is to the API, and how others pass over what it asks.

To look at a server must not change what is looked at: "the third request" of a fault is the operator's third, and its
roles are not those of the page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from quarterdeck.apimachinery.user import SYSTEM_MASTERS
from quarterdeck.endpoints.application import Filter
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.transport.messages import Application, Request, Response

USER: Final = "quarterdeck:live-page"
_USER_HEADER: Final = "impersonate-user"
_GROUP_HEADER: Final = "impersonate-group"
_PREFIX: Final = "impersonate-"


def mark(http: Request) -> None:
    """It is the page that asks, whoever it says it is."""
    headers = http.headers
    for name in [each for each in headers if each.startswith(_PREFIX)]:
        del headers[name]
    headers[_USER_HEADER], headers[_GROUP_HEADER] = USER, SYSTEM_MASTERS


def passing(inner: Filter) -> Filter:
    """A filter behind impersonation, for all others' requests."""

    def check(request: RequestContext, info: RequestInfo) -> Response | Awaitable[Response | None] | None:
        return None if request.user.name == USER else inner(request, info)

    return check


def passing_around(wrap: Callable[[Application], Application]) -> Callable[[Application], Application]:
    """What stands around the application, for all others' requests."""

    def around(application: Application) -> Application:
        wrapped = wrap(application)
        return lambda http: (application if http.headers.get(_USER_HEADER) == USER else wrapped)(http)

    return around
