"""What one way of authentication is (upstream: apiserver/pkg/authentication/authenticator)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from quarterdeck.apimachinery.user import User
from quarterdeck.transport.messages import Request

FOREVER = float("inf")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a credential belongs to, and until when (seconds since the epoch) that may be believed unasked."""

    user: User
    expires_at: float = FOREVER


class Method(Protocol):
    """One way to authenticate: None when the request has no credentials of this kind, `errors.Unauthorized` when it
    has bad ones."""

    def authenticate(self, request: Request) -> Identity | None: ...


class TokenMethod(Protocol):
    """One way to know a bearer token: None when it is not one of this kind."""

    def authenticate_token(self, token: str) -> Identity | None: ...
