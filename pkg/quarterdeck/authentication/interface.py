"""What one way of authentication is (upstream: apiserver/pkg/authentication/authenticator)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from quarterdeck.apimachinery.user import User
from quarterdeck.transport.messages import Request

FOREVER = float("inf")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a credential belongs to, and until when (seconds since the epoch) that may be believed unasked, as long as
    `is_current`, where there is one, says so at each request. `is_kept`: it may be believed of a connection's later
    requests at all."""

    user: User
    expires_at: float = FOREVER
    is_current: Callable[[], bool] | None = None
    is_kept: bool = True


class Method(Protocol):
    """One way to authenticate: None when the request has no credentials of this kind, `errors.Unauthorized` when it
    has bad ones."""

    def authenticate(self, request: Request) -> Identity | None: ...


class TokenMethod(Protocol):
    """One way to know a bearer token: None when it is not one of this kind."""

    def authenticate_token(self, token: str) -> Identity | None: ...
