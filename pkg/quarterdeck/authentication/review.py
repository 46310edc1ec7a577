"""Tokens as TokenReview asks for them: who they belong to, and for which audiences they are good.

The same kinds are asked as for requests. Source: pkg/registry/authentication/tokenreview/storage.go; what is wrong is
told as upstream tells it, where a token of the server's own is looked for before all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from inspect import iscoroutine

from quarterdeck.apimachinery import errors, gotext, questions
from quarterdeck.apimachinery.user import ALL_AUTHENTICATED, ANONYMOUS, User
from quarterdeck.authentication.interface import AudienceTokenMethod, BadToken, Identity

_INVALID = "invalid bearer token"

Verdict = tuple[User | None, list[str], str]


class TokenReviewer:
    """`audiences` are the API's own, for reviews that name none. Where everybody may come without a token
    (`is_anonymous_allowed`), blanks are somebody's: nobody's."""

    def __init__(
        self, kinds: AudienceTokenMethod, audiences: Sequence[str], *, is_anonymous_allowed: bool = False
    ) -> None:
        self._kinds = kinds
        self._audiences = tuple(audiences)
        self._is_anonymous_allowed = is_anonymous_allowed

    def judge(self, token: str, audiences: list[str]) -> Verdict:
        """Raises Unanswered where another server has to be asked whose the token is."""
        parts = gotext.strip(f"Bearer {token}").split(" ", 2)  # upstream puts it into a header, and reads that
        wanted = tuple(audiences or self._audiences)
        if len(parts) < 2 or not parts[1]:
            return (ANONYMOUS, list(wanted), "") if self._is_anonymous_allowed else (None, [], "")
        key = (TokenReviewer, token, wanted)
        told: Verdict | None = questions.answer_to(key)
        if told is not None:
            return told
        try:
            found = self._kinds.authenticate_for(parts[1], wanted)
        except BadToken as error:
            return _refuse(error)
        if found is None or isinstance(found, Identity):
            return _accept(found)
        if iscoroutine(found):
            found.close()  # it is asked for where there is somebody to wait
        raise questions.Unanswered(key, partial(self._ask, parts[1], wanted))

    async def _ask(self, token: str, audiences: tuple[str, ...]) -> Verdict:
        try:
            found = self._kinds.authenticate_for(token, audiences)
            return _accept(found if found is None or isinstance(found, Identity) else await found)
        except BadToken as error:
            return _refuse(error)


def _accept(found: Identity | None) -> Verdict:
    if found is None:
        return None, [], _INVALID
    return _with_group(found.user), list(found.audiences), ""


def _refuse(error: BadToken) -> Verdict:
    return None, [], errors.aggregate((_INVALID, *error.texts))


def _with_group(user: User) -> User:
    if ALL_AUTHENTICATED in user.groups:
        return user
    return replace(user, groups=(*user.groups, ALL_AUTHENTICATED))
