"""All kinds of bearer tokens together: asked in order, local ones first, and the first that knows the token answers.

Upstream: authentication/token/union; authentication/authenticator/audagnostic.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from quarterdeck.apimachinery import errors
from quarterdeck.authentication.interface import (
    AudienceTokenMethod,
    BadToken,
    Found,
    Identity,
    MaybeLater,
    TokenMethod,
)
from quarterdeck.authentication.serviceaccounts.bindings import TokenError, Unmatched
from quarterdeck.authentication.serviceaccounts.tokens import ServiceAccountTokens


class TokenUnion:
    """Asks each kind in turn, whatever is wrong with the token for the ones before."""

    def __init__(self, kinds: Sequence[AudienceTokenMethod]) -> None:
        self._kinds = list(kinds)

    def add(self, kind: AudienceTokenMethod) -> None:
        """It is asked after all others."""
        self._kinds.append(kind)

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> MaybeLater:
        """Raises BadToken with what each kind said that knew it."""
        problems: list[str] = []
        for position, kind in enumerate(self._kinds):
            try:
                found = kind.authenticate_for(token, audiences)
            except BadToken as error:
                problems += error.texts
                continue
            if isinstance(found, Identity):
                return found
            if found is not None:
                return self._go_on(found, token, audiences, position + 1, problems)
        return _end(problems)

    async def _go_on(
        self, waiting: Awaitable[Found], token: str, audiences: Sequence[str], done: int, problems: list[str]
    ) -> Found:
        for kind in (None, *self._kinds[done:]):
            try:
                answer = waiting if kind is None else kind.authenticate_for(token, audiences)
                found = answer if answer is None or isinstance(answer, Identity) else await answer
            except BadToken as error:
                problems += error.texts
                continue
            if found is not None:
                return found
        return _end(problems)


def _end(problems: list[str]) -> Found:
    if problems:
        raise BadToken(*problems)
    return None


class Agnostic:
    """A kind of tokens without audiences: good for the API's own, `audiences`."""

    def __init__(self, kind: TokenMethod, audiences: Sequence[str]) -> None:
        self._kind = kind
        self._own = frozenset(audiences)

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> MaybeLater:
        common = tuple(audience for audience in audiences if audience in self._own)
        if not common:
            return None
        found = self._kind.authenticate_token(token)
        if found is None:
            return None
        if isinstance(found, Identity):
            return dataclasses.replace(found, audiences=common)
        return _await_for(found, common)


async def _await_for(waiting: Awaitable[Found], audiences: tuple[str, ...]) -> Found:
    found = await waiting
    return None if found is None else dataclasses.replace(found, audiences=audiences)


class AccountTokens:
    """Tokens of service accounts, as one of several kinds. `catch_up`: returns when what other servers have made is
    known; None where there are none."""

    def __init__(self, accounts: ServiceAccountTokens, catch_up: Callable[[], Awaitable[None]] | None = None) -> None:
        self._accounts = accounts
        self._catch_up = catch_up

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> MaybeLater:
        try:
            return self._accounts.authenticate_for(token, audiences)
        except Unmatched as error:
            if self._catch_up is None:
                raise BadToken(str(error)) from error
            return self._look_again(self._catch_up, token, audiences)
        except TokenError as error:
            raise BadToken(str(error)) from error

    async def _look_again(self, catch_up: Callable[[], Awaitable[None]], token: str, audiences: Sequence[str]) -> Found:
        """The account was made at another server a moment ago, perhaps. Raises BadToken."""
        with suppress(errors.APIStatus):
            await catch_up()
        try:
            return self._accounts.authenticate_for(token, audiences)
        except TokenError as error:
            raise BadToken(str(error)) from error
