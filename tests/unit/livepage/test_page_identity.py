"""What stands around requests passes over those of the page, and over no others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from quarterdeck.livepage import identity
from quarterdeck.transport.messages import ConnectionInfo, Request, Response


def test_a_filter_is_not_asked_of_the_page() -> None:
    asked: list[str] = []
    check: Any = identity.passing(lambda request, info: asked.append(request.user.name))
    for name in (identity.USER, "somebody"):
        check(SimpleNamespace(user=SimpleNamespace(name=name)), None)
    assert asked == ["somebody"]


def test_the_application_around_is_not_asked_of_the_page() -> None:
    inner, outer = Response(200, []), Response(201, [])
    application = identity.passing_around(lambda _: lambda _: outer)(lambda _: inner)

    def request() -> Request:
        return Request("GET", "/", "", {}, b"", ConnectionInfo("127.0.0.1", is_secure=False))

    marked = request()
    identity.mark(marked)
    assert application(marked) is inner
    assert application(request()) is outer
