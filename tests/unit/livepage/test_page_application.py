"""Who is let through to the API at the page's port: this machine, the page itself, with the token, to read."""

from __future__ import annotations

import json

import pytest

from quarterdeck.apimachinery.user import SYSTEM_MASTERS
from quarterdeck.livepage import files, identity
from quarterdeck.livepage.application import PageApplication
from quarterdeck.transport.messages import ConnectionInfo, Request, Response

TOKEN = "t" * 43
GOOD = {"host": "127.0.0.1:4000", "authorization": f"Bearer {TOKEN}", "sec-fetch-site": "same-origin"}


class Served:
    """What is behind the gate: it keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def __call__(self, http: Request) -> Response:
        self.asked.append(http)
        return Response(200, [], b"{}")


def ask(
    headers: dict[str, str], *, method: str = "GET", path: str = "/api", peer: str = "127.0.0.1", body: bytes = b""
) -> tuple[Response, list[Request]]:
    served = Served()
    http = Request(method, path, "", dict(headers), body, ConnectionInfo(peer, is_secure=False))
    answer = PageApplication(served, TOKEN, files.load())(http)
    assert isinstance(answer, Response)
    return answer, served.asked


@pytest.mark.parametrize("host", ["127.0.0.1:4000", "localhost:4000", "[::1]:4000", "LOCALHOST"])
def test_who_has_the_token_reads_as_the_page(host: str) -> None:
    forged = {"impersonate-user": "somebody", "impersonate-extra-a": "b"}
    answer, asked = ask(GOOD | {"host": host} | forged)
    assert answer.status == 200
    (http,) = asked
    named = {name: value for name, value in http.headers.items() if name.startswith("impersonate-")}
    assert named == {"impersonate-user": identity.USER, "impersonate-group": SYSTEM_MASTERS}
    assert "authorization" not in http.headers


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer \udcff",
        TOKEN,
    ],
)
def test_without_the_token_only_the_files_are_served(authorization: str | None) -> None:
    headers = {name: value for name, value in GOOD.items() if name != "authorization"}
    headers |= {} if authorization is None else {"authorization": authorization}
    answer, asked = ask(headers)
    assert (answer.status, asked) == (401, [])
    assert ask(headers, path="/")[0].status == 200


@pytest.mark.parametrize(
    "changed",
    [
        {"host": "example.com"},
        {"host": ""},
        {"host": "127.0.0.1.example.com:4000"},
        {"origin": "http://example.com"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:4001"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/", "/api"])
def test_other_hosts_and_other_pages_are_refused(changed: dict[str, str], path: str) -> None:
    answer, asked = ask(GOOD | changed, path=path)
    assert (answer.status, asked) == (403, [])


@pytest.mark.parametrize("peer", ["192.0.2.1", "10.0.0.1", "fe80::1", ""])
def test_other_interfaces_are_refused(peer: str) -> None:
    assert ask(GOOD, peer=peer)[0].status == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT"])
@pytest.mark.parametrize("path", ["/", "/api"])
def test_it_only_reads(method: str, path: str) -> None:
    answer, asked = ask(GOOD, method=method, path=path)
    assert (answer.status, asked) == (405, [])


def test_it_upgrades_nothing_and_takes_no_body() -> None:
    assert ask(GOOD | {"upgrade": "websocket"})[0].status == 405
    assert ask(GOOD, body=b"{}")[0].status == 405


def test_refusals_are_statuses_and_tell_no_token() -> None:
    answer, _ = ask(GOOD | {"authorization": f"Bearer {TOKEN}x"})
    assert isinstance(answer.body, bytes)
    assert json.loads(answer.body)["kind"] == "Status"
    assert TOKEN.encode() not in answer.body


def test_scripts_are_asked_for_with_the_origin_of_the_page() -> None:
    headers = {"host": "127.0.0.1:4000", "origin": "http://127.0.0.1:4000", "sec-fetch-site": "same-origin"}
    assert ask(headers, path="/main.js")[0].status == 200
    answer, asked = ask(headers | GOOD)
    assert answer.status == 200
    assert "origin" not in asked[0].headers
