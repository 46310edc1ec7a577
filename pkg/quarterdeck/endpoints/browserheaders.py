"""What tells browsers how they may use the server: which pages of other origins may read its answers (CORS), and that
it is never to be asked without TLS (HSTS). Only where flags ask for it.

Browsers ask by OPTIONS, without credentials, whether a page may send what it wants to: that is answered before anybody
asks who it is. Source: apiserver/pkg/server/filters/{cors,hsts}.go, config.go (DefaultBuildHandlerChain).
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Final

from quarterdeck._kernels.uids import new_request_id
from quarterdeck.apimachinery import patterns
from quarterdeck.transport.messages import Application, Headers, Request, Response

_NO_CONTENT: Final = 204
_CACHE_CONTROL: Final = ("Cache-Control", "no-cache, private")
_OF_ALL_ORIGINS: Final = (
    ("Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE, PATCH"),
    (
        "Access-Control-Allow-Headers",
        "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, "
        "If-Modified-Since",
    ),
    ("Access-Control-Expose-Headers", "Date"),
    ("Access-Control-Allow-Credentials", "true"),
)


class BrowserHeaders:
    """`origins`: patterns in RE2's syntax, one of which has to match somewhere in the origin. `transport_security`: the
    directives of Strict-Transport-Security. Raises patterns.PatternError."""

    def __init__(self, origins: Sequence[str], transport_security: Sequence[str]) -> None:
        self._origins = [patterns.compile_pattern(origin) for origin in origins]
        self._always: Headers = (
            [("Strict-Transport-Security", "; ".join(transport_security))] if transport_security else []
        )

    def wrap(self, application: Application) -> Application:
        def answer(http: Request) -> Response | Awaitable[Response]:
            headers = self._headers_for(http.headers.get("origin", ""))
            if http.method == "OPTIONS" and len(headers) > len(self._always):
                audit_id = http.headers.get("audit-id") or new_request_id()
                return Response(_NO_CONTENT, [("Audit-Id", audit_id), _CACHE_CONTROL, *headers])
            if not headers:
                return application(http)
            answered = application(http)
            return _add(answered, headers) if isinstance(answered, Response) else _add_later(answered, headers)

        return answer

    def _headers_for(self, origin: str) -> Headers:
        if not origin or not self._allows(origin):
            return self._always
        return [*self._always, ("Access-Control-Allow-Origin", origin), *_OF_ALL_ORIGINS]

    def _allows(self, origin: str) -> bool:
        return any(patterns.search(each, origin) for each in self._origins)


def _add(answer: Response, headers: Headers) -> Response:
    answer.headers = [*answer.headers, *headers]
    return answer


async def _add_later(waiting: Awaitable[Response], headers: Headers) -> Response:
    return _add(await waiting, headers)
