"""Says who sends the request, or refuses it with 401. Source: apiserver/pkg/endpoints/filters/authentication.go."""

from __future__ import annotations

from typing import Protocol

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.transport.messages import Request


class Authenticator(Protocol):
    def authenticate(self, request: Request) -> User | None:
        """None where the request brings no credentials and needs some; raises Unauthorized for bad ones."""


class AuthenticationFilter:
    """`refusals` counts what was answered 401."""

    def __init__(self, authenticator: Authenticator) -> None:
        self.refusals = 0
        self._authenticator = authenticator

    def __call__(self, request: Request, info: RequestInfo) -> None:
        try:
            user = self._authenticator.authenticate(request)
        except errors.Unauthorized:
            self.refusals += 1
            raise
        if user is None:
            self.refusals += 1
            raise errors.Unauthorized
        request.user = user
