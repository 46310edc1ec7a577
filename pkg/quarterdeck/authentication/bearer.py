"""The Authorization header with a bearer token (upstream: authentication/request/bearertoken)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.authentication.interface import Identity, TokenMethod
from quarterdeck.transport.messages import Request

_EXTRA_SPACE: Final = "the provided Authorization header contains extra space before the bearer token, and is ignored"


class BearerMethod:
    """Asks each kind of token in turn. A token that none knows is an error, whether anonymous requests are allowed or
    not; a header without a token is no credential."""

    def __init__(self, kinds: Sequence[TokenMethod]) -> None:
        self._kinds = tuple(kinds)

    def authenticate(self, request: Request) -> Identity | None:
        header = request.headers.get("authorization", "").strip()
        parts = header.split(" ", 2)
        if len(parts) < 2 or parts[0].lower() != "bearer":
            return None
        token = parts[1]
        if not token:
            if len(parts) == 3:
                request.warnings.append(_EXTRA_SPACE)
            return None
        for kind in self._kinds:
            identity = kind.authenticate_token(token)
            if identity is not None:
                return identity
        raise errors.Unauthorized
