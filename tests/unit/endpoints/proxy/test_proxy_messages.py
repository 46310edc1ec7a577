"""What is changed of a request on its way to another server, and of its answer on the way back."""

from __future__ import annotations

import pytest

from quarterdeck.aggregator.remotes import escape_key, identity_fields
from quarterdeck.apimachinery.user import User
from quarterdeck.endpoints.proxy import messages
from quarterdeck.endpoints.proxy.messages import Links
from quarterdeck.transport.brokenbodies import BrokenBody
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.messages import ConnectionInfo, Request

CONNECTION = ConnectionInfo("192.0.2.7", is_secure=True)


def build(
    user: User, target: str = "/apis/g/v1", body: bytes = b"", *, is_upgrade: bool = False, **headers: str
) -> list[str]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request("POST" if body else "GET", "/", "", sent, body, CONNECTION)
    data = messages.build_request(request, target, "10.0.0.1:443", identity_fields(user), is_upgrade=is_upgrade)
    head, _, rest = data.partition(b"\r\n\r\n")
    assert rest == body
    return head.decode().split("\r\n")


def test_the_user_is_told_field_by_field() -> None:
    user = User("jane", "u1", ("a, b", "c"), {"example.com/Some Key%": ("x", "y")})
    lines = build(user)
    assert [line for line in lines if line.startswith("X-Remote")] == [
        "X-Remote-User: jane",
        "X-Remote-Uid: u1",
        "X-Remote-Group: a, b",
        "X-Remote-Group: c",
        "X-Remote-Extra-example.com%2FSome%20Key%25: x",
        "X-Remote-Extra-example.com%2FSome%20Key%25: y",
    ]


def test_names_that_are_not_latin_are_sent_as_utf_8() -> None:
    assert "X-Remote-User: Jürgen 李" in build(User("Jürgen 李"))
    assert escape_key("ü") == "%C3%BC"


@pytest.mark.parametrize("name", ["a\r\nX-Remote-Group: system:masters", "a\nb", "a\0b"])
def test_no_name_can_hold_another_field(name: str) -> None:
    with pytest.raises(CallFailed, match='net/http: invalid header field value for "X-Remote-User"'):
        build(User(name))


def test_fields_kept_apart_by_the_parser_do_not_pass() -> None:
    lines = build(User("a"), **{"x-remote-group": "a", "\nx-remote-group": "a\nb", "x-remote-extra-scopes": "all"})
    assert not [line for line in lines if "Group" in line or "Extra" in line or not line]


def test_a_request_whose_body_came_broken_is_not_handed_on() -> None:
    with pytest.raises(CallFailed, match="malformed chunked encoding"):
        build(User("a"), body=BrokenBody.of("malformed chunked encoding"))


def test_impersonation_and_credentials_stay_here() -> None:
    lines = build(User("a"), authorization="Bearer b", impersonate_user="c", impersonate_extra_d="e", accept="f")
    assert lines[:3] == ["GET /apis/g/v1 HTTP/1.1", "Host: 10.0.0.1:443", "Accept: f"]
    assert not [line for line in lines if line.startswith(("Authorization", "Impersonate"))]


def test_a_body_has_its_length() -> None:
    assert "Content-Length: 2" in build(User("a"), body=b"{}", content_length="2", expect="100-continue")
    assert not [line for line in build(User("a")) if line.startswith(("Content-Length", "Expect"))]


def test_a_path_is_spelled_as_it_was_authorized() -> None:
    path = messages.encode_path("/apis/g/v1/namespaces%2Fa/things/b%20c%C3%A9:d")
    assert path == "/apis/g/v1/namespaces/a/things/b%20c%C3%A9:d"
    assert build(User("a"), f"{path}?x=%2F")[0] == f"GET {path}?x=%2F HTTP/1.1"


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ("", ""),
        ("b=2&a=1&b=1", "a=1&b=2&b=1"),
        ("a", "a="),
        ("&&", ""),
        ("x=%zz&a;b&c=%2f+%20d%ff", "c=%2F++d%FF"),
        ("%c3%a9=~._-*&%41=b#c", "A=b%23c&%C3%A9=~._-%2A"),
        ("b&" * 5000, "b&" * 5000),
    ],
)
def test_a_query_is_sorted_and_spelled_as_go_does(sent: str, told: str) -> None:
    assert messages.encode_query(sent) == told


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/apis/g/v1/a/../b", "/apis/g/v1/b"),
        ("/apis//g/./v1/", "/apis/g/v1/"),
        ("//", "/"),
        ("/a b%2fc", "/a%20b/c"),
    ],
)
def test_other_servers_are_told_the_clean_path(path: str, told: str) -> None:
    assert messages.forwarded_uri(path) == told


def test_trailers_are_asked_for_on_the_next_hop_too() -> None:
    assert "Te: trailers" in build(User("jane"), te="gzip, trailers")
    assert not [line for line in build(User("jane"), te="gzip") if line.startswith("Te:")]


def test_texts_of_answers_are_read_as_utf_8() -> None:
    fields = [("warning", '299 - "\xc3\xbc"'), ("x-a", "caf\xe9")]
    assert messages.answer_fields(fields, Links(())) == [("Warning", '299 - "\xfc"'), ("X-A", "caf\ufffd")]


def test_octets_of_values_pass_unchanged() -> None:
    request = Request("GET", "/apis/g/v1", "", {"x-a": "\xc3\xa9\xff"}, b"", CONNECTION)
    assert b"X-A: \xc3\xa9\xff\r\n" in messages.build_request(request, "/", "a:1", ())


def test_all_values_of_a_field_are_handed_on() -> None:
    headers = {"accept": "a, b", "\naccept": "a, b\nc", "x-a": "d, e", "\nx-a": "d\ne"}
    sent = messages.build_request(Request("GET", "/", "", headers, b"", CONNECTION), "/", "a:1", ())
    assert b"Accept: a, b, c\r\n" in sent
    assert b"X-A: d, e\r\n" in sent


def test_fields_of_the_hop_back_stay_there() -> None:
    fields = [
        ("connection", "keep-alive, X-Hop"),
        ("keep-alive", "timeout=5"),
        ("x-hop", "1"),
        ("transfer-encoding", "chunked"),
        ("date", "today"),
        ("access-control-allow-origin", "*"),
        ("warning", "one"),
        ("warning", "two"),
        ("etag", '"a"'),
    ]
    assert messages.answer_fields(fields, Links(("a:1",))) == [("Warning", "one"), ("Warning", "two"), ("Etag", '"a"')]


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("/b?c=d", "https://10.0.0.1:443/b?c=d"),
        ("https://10.0.0.1:443/b", "https://10.0.0.1:443/b"),
        ("https://other/b", "https://other/b"),
        ("b", "b"),
        ("//[", "//["),
    ],
)
def test_where_a_redirect_leads(told: str, shown: str) -> None:
    links = Links(("10.0.0.1:443",), "https", "10.0.0.1:443")
    assert messages.answer_fields([("location", told)], links) == [("Location", shown)]


@pytest.mark.parametrize(
    ("told", "shown"),
    [("/b?c", "/proxy/b?c"), ("http://10.0.0.1/b", "/proxy/b"), ("/proxy/b", "/proxy/b"), ("http://a/b", "http://a/b")],
)
def test_a_redirect_of_a_proxied_server_leads_through_the_proxy(told: str, shown: str) -> None:
    assert Links(("10.0.0.1", "here"), prefix="/proxy").rewrite(told) == shown


@pytest.mark.parametrize(("value", "wants"), [("Upgrade", True), ("keep-alive, upgrade", True), ("close", False)])
def test_upgrades_are_seen(value: str, wants: bool) -> None:
    assert messages.wants_upgrade({"connection": value}) == wants


def test_requests_do_not_hide_in_an_upgrade() -> None:
    headers = {"connection": "Upgrade, HTTP2-Settings", "upgrade": "h2c", "http2-settings": "AAMAAABk"}
    assert not messages.wants_upgrade(headers)
    named = {name.replace("-", "_"): value for name, value in headers.items()}
    assert not [line for line in build(User("a"), **named) if line.startswith(("Upgrade", "Http2", "Connection"))]


def test_an_upgrade_keeps_its_fields_and_no_credentials() -> None:
    sent = {"connection": "Upgrade", "upgrade": "SPDY/3.1", "authorization": "Bearer b", "transfer_encoding": "chunked"}
    lines = build(User("a"), is_upgrade=True, **sent, x_stream_protocol_version="v4.channel.k8s.io")
    assert lines[2:5] == ["Connection: Upgrade", "Upgrade: SPDY/3.1", "X-Stream-Protocol-Version: v4.channel.k8s.io"]
    assert not [line for line in lines if line.startswith(("Authorization", "Transfer"))]
    fields = [("connection", "Upgrade"), ("upgrade", "SPDY/3.1"), ("sec-websocket-accept", "x"), ("date", "today")]
    shown = [("Connection", "Upgrade"), ("Upgrade", "SPDY/3.1"), ("Sec-Websocket-Accept", "x")]
    assert messages.answer_fields(fields, Links(()), is_upgrade=True) == shown
