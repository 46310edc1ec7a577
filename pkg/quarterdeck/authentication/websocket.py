"""A bearer token among the subprotocols of a WebSocket: browsers cannot send an Authorization header with one.

`Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.TOKEN, …`, where TOKEN is base64url without padding. Some
other protocol has to be named as well, for the server to choose it.
Upstream: apiserver/pkg/authentication/request/websocket/protocol.go.
"""

from __future__ import annotations

import base64
import dataclasses
import re
from collections.abc import Awaitable, Sequence
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.authentication import bearer
from quarterdeck.authentication.interface import AudienceTokenMethod, Identity, MaybeLater
from quarterdeck.transport.fields import asks_for_websocket
from quarterdeck.transport.messages import Request

HEADER: Final = "sec-websocket-protocol"
PREFIX: Final = "base64url.bearer.authorization.k8s.io."
_ENCODED: Final = re.compile("[A-Za-z0-9_-]*")


class WebSocketMethod:
    """As bearer.BearerMethod for what it finds. On success the token is taken out of the header, so that nothing behind
    this can leak it or answer with it."""

    def __init__(self, kinds: AudienceTokenMethod, audiences: Sequence[str]) -> None:
        self._kinds = kinds
        self._audiences = tuple(audiences)

    def authenticate(self, request: Request, warnings: list[str]) -> MaybeLater:
        named = request.headers.get(HEADER)
        if named is None or not asks_for_websocket(request.headers):
            return None
        protocols = [protocol.strip() for protocol in named.split(",")]
        tokens = [protocol for protocol in protocols if protocol.startswith(PREFIX)]
        if len(tokens) > 1:
            raise errors.Unauthorized
        token = _decode(tokens[0].removeprefix(PREFIX)) if tokens else ""
        if not token:
            return None
        others = [protocol for protocol in protocols if protocol is not tokens[0]]
        if not others:
            raise errors.Unauthorized
        found = bearer.ask(self._kinds, token, self._audiences, warnings)
        return _accept(request, others, found) if isinstance(found, Identity) else _wait(request, others, found)


async def _wait(request: Request, others: list[str], waiting: Awaitable[Identity]) -> Identity:
    return _accept(request, others, await waiting)


def _accept(request: Request, others: list[str], found: Identity) -> Identity:
    request.headers[HEADER] = ",".join(others)
    request.headers.pop(f"\n{HEADER}", None)  # the values of a header that came several times
    return dataclasses.replace(found, is_kept=False)  # the credential is this request's, not its connection's


def _decode(encoded: str) -> str:
    """Raises Unauthorized for what is no token."""
    if _ENCODED.fullmatch(encoded) is None:
        raise errors.Unauthorized
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except ValueError as error:
        raise errors.Unauthorized from error
