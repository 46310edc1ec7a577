"""A front proxy's word is believed, and nobody else's."""

from __future__ import annotations

import pytest

from quarterdeck._kernels import http1
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.authenticator import Authenticator
from quarterdeck.authentication.requestheader import Headers, RequestHeaderMethod
from quarterdeck.authentication.x509 import CertificateMethod
from quarterdeck.transport.messages import ConnectionInfo, Request
from support.certificates import CLIENT, Certificate

PROXIES = Certificate("proxies", is_authority=True)
CLIENTS = Certificate("clients", is_authority=True)
PROXY = Certificate("proxy", issuer=PROXIES, usages=(CLIENT,))
OTHER = Certificate("other", issuer=PROXIES, usages=(CLIENT,))
ALICE = Certificate("alice", issuer=CLIENTS, usages=(CLIENT,))
HEADERS = Headers(uids=("x-remote-uid",), allowed_names=("proxy",))
SAYS_BOB = {
    "x-remote-user": "bob",
    "x-remote-group": "devs, ops",
    "\nx-remote-group": "devs\nops",
    "x-remote-extra-example.com%2fa": "1, 2",
    "\nx-remote-extra-example.com%2fa": "1\n2",
}


def connect(leaf: Certificate | None) -> ConnectionInfo:
    return ConnectionInfo("", is_secure=True, peer_certificates=[leaf.der] if leaf is not None else ())


def build(headers: Headers = HEADERS) -> Authenticator:
    methods = [RequestHeaderMethod(PROXIES.pem, headers), CertificateMethod(CLIENTS.pem)]
    return Authenticator(methods, naming_headers=headers.names)


def ask(authenticator: Authenticator, connection: ConnectionInfo, headers: dict[str, str]) -> User | None:
    return authenticator.authenticate(Request("GET", "/", "", headers, b"", connection), [])


def test_the_proxy_names_the_user_of_each_request() -> None:
    authenticator, connection = build(), connect(PROXY)
    sent = {**SAYS_BOB, "x-remote-uid": "b1", "accept": "*/*"}
    user = ask(authenticator, connection, sent)
    assert user == User("bob", "b1", ("devs", "ops", "system:authenticated"), {"example.com/a": ("1", "2")})
    assert sent == {"accept": "*/*"}
    named = ask(authenticator, connection, {"x-remote-user": "carol"})
    assert named is not None
    assert (named.name, named.groups) == ("carol", ("system:authenticated",))
    with pytest.raises(errors.Unauthorized):  # the proxy itself is no client
        ask(authenticator, connection, {})


def test_a_group_whose_name_holds_a_comma_is_one_group() -> None:
    """Else whoever may name a group at the proxy could join any."""
    text = b"GET / HTTP/1.1\r\nHost: h\r\nX-Remote-User: a\r\nX-Remote-Group: x, system:masters\r\n"
    text += b"X-Remote-Group: ops\r\nX-Remote-Extra-K: 1, 2\r\n\r\n"
    head = http1.parse_head(text, 0, 4096, 100)
    assert isinstance(head, tuple)
    user = ask(build(), connect(PROXY), head[3])
    assert user == User("a", "", ("x, system:masters", "ops", "system:authenticated"), {"k": ("1, 2",)})


def test_a_name_is_taken_whole() -> None:
    user = ask(build(), connect(PROXY), {"x-remote-user": "Doe, Jane", "x-remote-uid": "u, 1"})
    assert user == User("Doe, Jane", "u, 1", ("system:authenticated",))


@pytest.mark.parametrize("leaf", [OTHER, None], ids=["another name", "no certificate"])
def test_others_are_not_believed(leaf: Certificate | None) -> None:
    authenticator = build()
    if leaf is None:
        user = ask(authenticator, connect(None), dict(SAYS_BOB))
        assert user is not None
        assert user.name == "system:anonymous"
    else:
        with pytest.raises(errors.Unauthorized):
            ask(authenticator, connect(leaf), dict(SAYS_BOB))


def test_a_client_that_names_another_stays_itself() -> None:
    authenticator, connection = build(), connect(ALICE)
    for headers in ({}, dict(SAYS_BOB), {}):
        user = ask(authenticator, connection, headers)
        assert user is not None
        assert user.name == "alice"


def test_a_proxy_that_is_a_client_too_is_not_taken_for_the_users_that_it_names() -> None:
    both = Certificate("proxy", issuer=PROXIES, usages=(CLIENT,))
    methods = [RequestHeaderMethod(PROXIES.pem, HEADERS), CertificateMethod(PROXIES.pem)]
    authenticator, connection = Authenticator(methods, naming_headers=HEADERS.names), connect(both)
    for headers, name in (({}, "proxy"), (dict(SAYS_BOB), "bob"), ({}, "proxy"), (dict(SAYS_BOB), "bob")):
        user = ask(authenticator, connection, headers)
        assert user is not None
        assert user.name == name


def test_names_are_read_as_utf8() -> None:
    sent = {"x-remote-user": "\xc3\xbc", "x-remote-group": "g\xff", "x-remote-extra-%c3%bc": "\xc3\x9f"}
    user = ask(build(), connect(PROXY), sent)
    assert user == User("\u00fc", "", ("g\ufffd", "system:authenticated"), {"\u00fc": ("\u00df",)})


def test_without_names_any_proxy_of_the_authority_will_do() -> None:
    user = ask(build(Headers()), connect(OTHER), dict(SAYS_BOB))
    assert user is not None
    assert user.name == "bob"


def test_authorities_must_be_there() -> None:
    with pytest.raises(ValueError, match="no certificate"):
        RequestHeaderMethod(b"", HEADERS)
