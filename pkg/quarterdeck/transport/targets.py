"""Targets of requests that are no paths: absolute URIs, authorities, and `*`.

Source: net/http of Go 1.26 (readRequest, serverHandler, globalOptionsHandler).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from quarterdeck.transport.messages import Request, Response

_SERVER: Final = "*"


class Server(Protocol):
    application: Callable[[Request], Response | Awaitable[Response]]


def read(request: Request) -> bool:
    """Put path and query in place of the target, which stands where the path belongs. False: it cannot be read."""
    from quarterdeck.apimachinery import gourl

    target = request.path
    try:
        url = gourl.parse_request_uri("http://" + target if request.method == "CONNECT" else target)
    except gourl.URLError:
        return False
    request.path, request.query = url.escaped_path(), url.raw_query
    return True


def answer(server: Server, request: Request) -> Response | Awaitable[Response]:
    """What a request for such a target is answered, once it is read. What the server can do at all (`OPTIONS *`) no
    application is asked for."""
    if request.method == "OPTIONS" and request.path == _SERVER:
        return Response(200, [])
    return server.application(request)
