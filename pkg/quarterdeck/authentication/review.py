"""Tokens as TokenReview asks for them: who they belong to, and for which audiences they are good.

Source: pkg/registry/authentication/tokenreview/storage.go, authentication/token/union, and the audience rules of
authentication/authenticator/audagnostic.go: what knows no audiences of its own is good for the API's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quarterdeck.apimachinery.user import ALL_AUTHENTICATED, User
from quarterdeck.authentication.interface import TokenMethod
from quarterdeck.authentication.serviceaccounts.tokens import ServiceAccountTokens, TokenError

_INVALID = "invalid bearer token"


class TokenReviewer:
    """`agnostic`: the kinds of tokens without audiences."""

    def __init__(self, agnostic: Sequence[TokenMethod], accounts: ServiceAccountTokens) -> None:
        self._agnostic = tuple(agnostic)
        self._accounts = accounts

    def judge(self, token: str, audiences: list[str]) -> tuple[User | None, list[str], str]:
        own = self._accounts.settings.audiences
        wanted = audiences or list(own)
        common = [audience for audience in wanted if audience in own]
        for kind in self._agnostic if common else ():
            identity = kind.authenticate_token(token)
            if identity is not None:
                return _with_group(identity.user), common, ""
        try:
            verdict = self._accounts.judge(token, wanted)
        except TokenError as error:
            return None, [], f"[{_INVALID}, {error}]"
        if verdict is None:
            return None, [], _INVALID
        return _with_group(verdict.user), list(verdict.audiences), ""


def _with_group(user: User) -> User:
    if ALL_AUTHENTICATED in user.groups:
        return user
    return replace(user, groups=(*user.groups, ALL_AUTHENTICATED))
