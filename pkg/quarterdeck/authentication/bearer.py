"""The Authorization header with a bearer token (upstream: authentication/request/bearertoken)."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.authentication.interface import AudienceTokenMethod, BadToken, Found, Identity, MaybeLater
from quarterdeck.transport import fields
from quarterdeck.transport.messages import Request

_EXTRA_SPACE: Final = "the provided Authorization header contains extra space before the bearer token, and is ignored"


class BearerMethod:
    """Asks all kinds of tokens whose this is; it has to be meant for one of `audiences`, the API's own. A token that
    none knows is an error, whether anonymous requests are allowed or not; a header without a token is no credential."""

    def __init__(self, kinds: AudienceTokenMethod, audiences: Sequence[str]) -> None:
        self._kinds = kinds
        self._audiences = tuple(audiences)

    def authenticate(self, request: Request, warnings: list[str]) -> MaybeLater:
        header = request.headers.get("authorization", "")
        if "," in header:  # several may have been sent
            header = _keep_first(request.headers)
        parts = header.strip().split(" ", 2)
        if len(parts) < 2 or parts[0].lower() != "bearer":
            return None
        token = parts[1]
        if not token:
            if len(parts) == 3:
                warnings.append(_EXTRA_SPACE)
            return None
        return ask(self._kinds, token, self._audiences, warnings)


def _keep_first(headers: dict[str, str]) -> str:
    """Of several headers the first counts; the others go."""
    header = headers["authorization"] = fields.first_of(headers, "authorization")
    headers.pop("\nauthorization", None)
    return header


def ask(
    kinds: AudienceTokenMethod, token: str, audiences: Sequence[str], warnings: list[str]
) -> Identity | Awaitable[Identity]:
    """Whose token this is. Raises Unauthorized, or what is to be waited for does."""
    try:
        found = kinds.authenticate_for(token, audiences)
    except BadToken as error:
        raise errors.Unauthorized from error
    return _check(found, warnings) if found is None or isinstance(found, Identity) else _wait(found, warnings)


async def _wait(waiting: Awaitable[Found], warnings: list[str]) -> Identity:
    try:
        return _check(await waiting, warnings)
    except BadToken as error:
        raise errors.Unauthorized from error


def _check(found: Found, warnings: list[str]) -> Identity:
    if found is None:
        raise errors.Unauthorized
    if found.warning:
        warnings.append(found.warning)
    return found
