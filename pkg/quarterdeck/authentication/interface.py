"""What one way of authentication is (upstream: apiserver/pkg/authentication/authenticator)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from quarterdeck.apimachinery.user import User
from quarterdeck.transport.messages import Request

FOREVER = float("inf")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a credential belongs to, and until when (seconds since the epoch) that may be believed unasked, as long as
    `is_current`, where there is one, says so at each request. `is_kept`: it may be believed of a connection's later
    requests at all. `warning`: a text for the client, for the use of this credential. `audiences`: of those that were
    asked for, whom a token is meant for. `annotations`: what the audit of each such request is told (names, values)."""

    user: User
    expires_at: float = FOREVER
    is_current: Callable[[], bool] | None = None
    is_kept: bool = True
    warning: str = ""
    audiences: tuple[str, ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()


Found = Identity | None
MaybeLater = Found | Awaitable[Found]
"""What is known at once, or what to wait for where another server has to be asked."""


class BadToken(Exception):
    """A token of a kind that is known, which is not good: why, in upstream's words, for logs and TokenReview."""

    def __init__(self, *texts: str) -> None:
        super().__init__(*texts)
        self.texts = texts


class Method(Protocol):
    """One way to authenticate: None when the request has no credentials of this kind, `errors.Unauthorized` when it
    has bad ones. Texts for the client go to `warnings`."""

    def authenticate(self, request: Request, warnings: list[str]) -> MaybeLater: ...


class TokenMethod(Protocol):
    """One way to know a bearer token: None when it is not one of this kind. Raises BadToken."""

    def authenticate_token(self, token: str) -> MaybeLater: ...


class AudienceTokenMethod(Protocol):
    """Likewise, of tokens that are meant for somebody: the answer holds those of `audiences` that the token is good
    for, one at least."""

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> MaybeLater: ...
