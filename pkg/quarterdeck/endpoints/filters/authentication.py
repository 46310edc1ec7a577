"""Says who sends the request, or refuses it with 401. Source: apiserver/pkg/endpoints/filters/authentication.go."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.metrics.registry import Family, Histogram
from quarterdeck.transport.messages import Request


class Authenticator(Protocol):
    def authenticate(
        self, request: Request, warnings: list[str], annotations: dict[str, str]
    ) -> User | Awaitable[User | None] | None:
        """None where the request brings no credentials and needs some; raises Unauthorized for bad ones. Texts for the
        client go to `warnings`, what the request's audit is told to `annotations`."""


class AuthenticationFilter:
    """`refusals` counts what was answered 401, `bad` those of them that came with credentials. `durations` by result:
    seconds since the request was received. Nothing that waits comes before."""

    def __init__(self, authenticator: Authenticator, durations: Family[Histogram]) -> None:
        self.refusals = 0
        self.bad = 0
        self._authenticator = authenticator
        self._durations = durations
        self._took = durations.labels("success")

    def __call__(self, request: RequestContext, info: RequestInfo) -> Awaitable[None] | None:
        try:
            user = self._authenticator.authenticate(request.http, request.warnings, request.annotations)
        except errors.Unauthorized:
            self._refuse("error", request)
            raise
        if user is not None and not isinstance(user, User):
            return self._wait(request, user)
        self._set(request, user)
        return None

    async def _wait(self, request: RequestContext, waiting: Awaitable[User | None]) -> None:
        try:
            user = await waiting
        except errors.Unauthorized:
            self._refuse("error", request)
            raise
        self._set(request, user)

    def _set(self, request: RequestContext, user: User | None) -> None:
        if user is None:
            self._refuse("failure", request)
            raise errors.Unauthorized
        request.user = request.original_user = user
        self._took.observe_since(request.received_s)

    def _refuse(self, result: str, request: RequestContext) -> None:
        self.refusals += 1
        self.bad += result == "error"
        self._durations.labels(result).observe_since(request.received_s)
