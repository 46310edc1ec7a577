"""What browsers are told: answers for allowed origins, preflights, and that there is to be TLS."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest

from quarterdeck.endpoints.browserheaders import BrowserHeaders
from quarterdeck.transport.messages import Application, ConnectionInfo, Request, Response

GOOD = ("^https://good\\.example(:|$)", "//other\\.example$")
ALLOW_ORIGIN = "Access-Control-Allow-Origin"


def at_once(http: Request) -> Response:
    return Response(200, [("Content-Type", "text/plain")], b"ok")


def later(http: Request) -> Awaitable[Response]:
    async def run() -> Response:
        return at_once(http)

    return run()


async def ask(
    browsers: BrowserHeaders, method: str = "GET", application: Application = at_once, **headers: str
) -> tuple[int, dict[str, str]]:
    http = Request(method, "/api", "", headers, b"", ConnectionInfo("127.0.0.1", is_secure=True))
    answered = browsers.wrap(application)(http)
    answer = answered if isinstance(answered, Response) else await answered
    return answer.status, dict(answer.headers)


@pytest.mark.parametrize("application", [at_once, later])
@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        ("https://good.example", True),
        ("https://good.example:8443", True),
        ("http://other.example", True),
        ("https://good.example.evil", False),
        ("https://evil/?https://good.example", False),
        ("http://good.example", False),
        ("null", False),
        ("", False),
    ],
)
async def test_pages_of_allowed_origins_may_read(application: Application, origin: str, is_allowed: bool) -> None:
    status, headers = await ask(BrowserHeaders(GOOD, ()), application=application, origin=origin)
    assert status == 200 and headers["Content-Type"] == "text/plain"
    assert (headers.get(ALLOW_ORIGIN) == origin) is is_allowed
    assert (headers.get("Access-Control-Allow-Credentials") == "true") is is_allowed
    assert "Strict-Transport-Security" not in headers


async def test_a_preflight_is_answered_before_anybody_asks_who_it_is() -> None:
    def fail(http: Request) -> Response:
        raise AssertionError

    browsers = BrowserHeaders(GOOD, ("max-age=5", "preload"))
    sent = {"origin": "https://good.example", "audit-id": "abc"}
    status, headers = await ask(browsers, "OPTIONS", fail, **sent)
    assert status == 204
    assert headers == {
        "Audit-Id": "abc",
        "Cache-Control": "no-cache, private",
        "Strict-Transport-Security": "max-age=5; preload",
        ALLOW_ORIGIN: "https://good.example",
        "Access-Control-Allow-Methods": "POST, GET, OPTIONS, PUT, DELETE, PATCH",
        "Access-Control-Allow-Headers": "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, "
        "X-Requested-With, If-Modified-Since",
        "Access-Control-Expose-Headers": "Date",
        "Access-Control-Allow-Credentials": "true",
    }
    for stranger in ({"origin": "https://evil"}, {}):
        assert (await ask(browsers, "OPTIONS", **stranger))[0] == 200, "it is a request like others"


@pytest.mark.parametrize("application", [at_once, later])
async def test_browsers_are_told_to_use_tls(application: Application) -> None:
    browsers = BrowserHeaders((), ("max-age=5", "includeSubDomains"))
    _, headers = await ask(browsers, application=application, origin="https://good.example")
    assert headers["Strict-Transport-Security"] == "max-age=5; includeSubDomains"
    assert ALLOW_ORIGIN not in headers
