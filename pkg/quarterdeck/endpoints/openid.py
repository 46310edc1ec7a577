"""What OpenID clients ask before they trust a service account's token: the issuer, and its public keys.

Source: pkg/routes/openidmetadata.go.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import Final

from quarterdeck.apimachinery import accept, errors
from quarterdeck.authentication.serviceaccounts.tokens import ServiceAccountTokens
from quarterdeck.transport.messages import Request, Response

_CONFIGURATION: Final = "/.well-known/openid-configuration"
_JWKS: Final = "/openid/v1/jwks"
_TYPES: Final = {_CONFIGURATION: "application/json", _JWKS: "application/jwk-set+json"}
PATHS: Final = tuple(_TYPES)


class OpenIDPaths:
    """`address` is the host and port that clients reach the server by."""

    def __init__(self, tokens: ServiceAccountTokens, address: str) -> None:
        self._tokens = tokens
        self._address = address

    def __call__(self, request: Request) -> Awaitable[Response] | None:
        path = request.path.rstrip("/")
        media_type = _TYPES.get(path)
        if media_type is None:
            return None
        if request.method != "GET":
            raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
        if not accept.names_one_of(request.headers.get("accept", ""), (media_type,)):
            raise errors.NotAcceptable(f"406: Not Acceptable\n\nAvailable representations: {media_type}", {})
        return self._respond(path, media_type)

    async def _respond(self, path: str, media_type: str) -> Response:
        if not self._tokens.keys.is_loaded:
            await asyncio.to_thread(self._tokens.keys.load)
        if path == _JWKS:
            document = self._tokens.to_jwks()
        else:
            document = self._tokens.to_openid_configuration(f"https://{self._address}{_JWKS}")
        headers = [("Content-Type", media_type), ("Cache-Control", "public, max-age=3600")]
        return Response(200, headers, json.dumps(document, separators=(",", ":")).encode())
