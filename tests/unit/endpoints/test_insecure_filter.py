"""The insecure port answers programs of this machine and refuses what a web page could make a browser send."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.insecure import check_insecure
from quarterdeck.transport.messages import ConnectionInfo, Request

ADDRESS = "/api/v1/secrets"


def check(headers: dict[str, str], body: bytes = b"", *, is_secure: bool = False) -> int:
    http = Request("POST", ADDRESS, "", headers, body, ConnectionInfo("127.0.0.1", is_secure=is_secure))
    request = RequestContext(http, "", 0.0)
    try:
        check_insecure(request, request.info)
    except APIStatus as refusal:
        return refusal.code
    return 200


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8080", "LOCALHOST.:1", "127.0.0.1:8080", "[::1]:8080", "[::1]"]
)
def test_names_of_this_machine(host: str) -> None:
    assert check({"host": host}) == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1:8080", "::1", "localhost:x"],
)
def test_other_names_are_refused(host: str) -> None:
    assert check({"host": host}) == 403
    assert check({"host": host}, is_secure=True) == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:8080"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_are_refused(headers: dict[str, str]) -> None:
    assert check({"host": "localhost:8080", **headers}) == 403
    assert check({"host": "localhost:8080", **headers}, is_secure=True) == 200


def test_an_address_that_was_typed_in_is_answered() -> None:
    assert check({"host": "localhost:8080", "sec-fetch-site": "none"}) == 200


def test_a_body_needs_its_type() -> None:
    assert check({"host": "localhost"}, b"{}") == 415
    assert check({"host": "localhost", "content-type": "application/json"}, b"{}") == 200
    assert check({"host": "localhost"}, b"{}", is_secure=True) == 200
