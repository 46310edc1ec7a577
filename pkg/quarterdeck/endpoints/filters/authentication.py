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
    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator

    def __call__(self, request: Request, info: RequestInfo) -> None:
        user = self._authenticator.authenticate(request)
        if user is None:
            raise errors.Unauthorized
        request.user = user
