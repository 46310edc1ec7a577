"""`timeout` in a query: refused where it is no duration, and only there."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.deadline import DeadlineFilter
from quarterdeck.transport.messages import ConnectionInfo, Request

PATH = "/api/v1/configmaps"


def check(query: str, path: str = PATH, method: str = "GET") -> None:
    request = RequestContext(Request(method, path, query, {}, b"", ConnectionInfo("", is_secure=True)), "", 0.0)
    DeadlineFilter(60.0)(request, request.info)


@pytest.mark.parametrize("query", ["", "timeout=", "timeout=5s", "timeout=0s", "timeout=-1s", "watch=1&timeout=abc"])
def test_what_is_let_through(query: str) -> None:
    check(query)


def test_what_is_no_duration_is_refused() -> None:
    with pytest.raises(errors.BadRequest) as caught:
        check("limit=1&timeout=5")
    text = 'invalid timeout specified in the request URL - time: missing unit in duration "5"'
    assert caught.value.message == text


@pytest.mark.parametrize("method", ["GET", "POST", "ODD"])
@pytest.mark.parametrize("subresource", ["log", "exec", "attach", "portforward", "proxy"])
def test_what_lasts_as_long_as_its_client_likes_has_none(subresource: str, method: str) -> None:
    check("timeout=abc", f"/api/v1/namespaces/default/pods/a/{subresource}", method)


@pytest.mark.parametrize("path", ["/debug/pprof/profile", "/api/v1/proxy/namespaces/default/pods/a"])
def test_neither_have_profiles_and_the_old_paths_of_proxies(path: str) -> None:
    check("timeout=abc", path)
