"""Tokens among the subprotocols of WebSockets."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Sequence

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import ANONYMOUS, User
from quarterdeck.authentication import websocket
from quarterdeck.authentication.authenticator import Authenticator
from quarterdeck.authentication.interface import BadToken, Identity, MaybeLater
from quarterdeck.authentication.tokenfile import TokenFile
from quarterdeck.authentication.union import Agnostic
from quarterdeck.authentication.websocket import WebSocketMethod
from quarterdeck.transport.messages import ConnectionInfo, Request

TOKEN = "tökén?>-1"


def encode(data: bytes) -> str:
    return websocket.PREFIX + base64.urlsafe_b64encode(data).decode().rstrip("=")


GOOD = encode(TOKEN.encode())


def method() -> WebSocketMethod:
    return WebSocketMethod(Agnostic(TokenFile({TOKEN: User("alice")}), ["api"]), ["api"])


def request_with(
    protocols: str | None, known: ConnectionInfo | None = None, headers: dict[str, str] | None = None
) -> Request:
    sent = {"upgrade": "websocket", "connection": "keep-alive, Upgrade", **(headers or {})}
    if protocols is not None:
        sent["sec-websocket-protocol"] = protocols
    return Request("GET", "/", "", sent, b"", known or ConnectionInfo("", is_secure=True))


@pytest.mark.parametrize(
    ("protocols", "left"),
    [
        (f"{GOOD}, v4.channel.k8s.io", "v4.channel.k8s.io"),
        (f"a.k8s.io ,{GOOD},b.k8s.io, c", "a.k8s.io,b.k8s.io,c"),
        (f"{GOOD},", ""),
    ],
)
def test_the_token_is_believed_and_taken_out(protocols: str, left: str) -> None:
    request = request_with(protocols)
    request.headers["\nsec-websocket-protocol"] = "as it came"
    identity = method().authenticate(request, [])
    assert isinstance(identity, Identity)
    assert identity.user == User("alice")
    assert request.headers["sec-websocket-protocol"] == left
    assert not any("base64url" in value or value == "as it came" for value in request.headers.values())


@pytest.mark.parametrize("protocols", [None, "", "v4.channel.k8s.io", f"{websocket.PREFIX}, a", websocket.PREFIX])
def test_without_a_token_there_is_no_credential(protocols: str | None) -> None:
    assert method().authenticate(request_with(protocols), []) is None


@pytest.mark.parametrize(
    "headers",
    [{"upgrade": "h2c"}, {"upgrade": ""}, {"connection": "keep-alive"}, {"connection": ""}],
)
def test_only_websockets_bring_tokens(headers: dict[str, str]) -> None:
    request = request_with(f"{GOOD}, a", headers=headers)
    assert method().authenticate(request, []) is None
    assert request.headers["sec-websocket-protocol"] == f"{GOOD}, a"


@pytest.mark.parametrize(
    "protocols",
    [
        GOOD,
        f"{GOOD}, {GOOD}, a",
        f"{GOOD}, {websocket.PREFIX}, a",
        f"{GOOD}=, a",
        f"{websocket.PREFIX}A, a",
        f"{websocket.PREFIX}a+b/, a",
        f"{encode(bytes([0xC3, 0x28]))}, a",
        f"{encode(b'unknown')}, a",
    ],
)
def test_a_bad_token_is_refused_and_stays(protocols: str) -> None:
    request = request_with(protocols)
    with pytest.raises(errors.Unauthorized):
        method().authenticate(request, [])
    assert request.headers["sec-websocket-protocol"] == protocols


def test_the_credential_is_of_one_request_alone() -> None:
    connection = ConnectionInfo("", is_secure=True)
    authenticator = Authenticator([method()], naming_headers=[websocket.HEADER])
    alice = User("alice", groups=("system:authenticated",))
    for protocols, user in ((None, ANONYMOUS), (f"{GOOD}, a", alice), ("a", ANONYMOUS), (None, ANONYMOUS)):
        assert authenticator.authenticate(request_with(protocols, connection), []) == user


class Elsewhere:
    """Knows what has to be asked for."""

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> MaybeLater:
        async def answer() -> Identity:
            if token != TOKEN:
                raise BadToken("no")
            return Identity(User("bob"), audiences=tuple(audiences))

        return answer()


def test_a_token_that_has_to_be_asked_for_is_waited_for() -> None:
    async def ask(protocols: str) -> tuple[Identity | None, str]:
        request = request_with(protocols)
        found = WebSocketMethod(Elsewhere(), ["api"]).authenticate(request, [])
        assert isinstance(found, Awaitable)
        return await found, request.headers["sec-websocket-protocol"]

    identity, left = asyncio.run(ask(f"{GOOD}, a"))
    assert identity is not None
    assert (identity.user.name, left) == ("bob", "a")
    with pytest.raises(errors.Unauthorized):
        asyncio.run(ask(f"{encode(b'other')}, a"))
