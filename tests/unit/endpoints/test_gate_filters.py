"""What authentication and authorization count of the requests that pass them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import SYSTEM_MASTERS, User
from quarterdeck.authorization.authorizer import Attributes, Decision, Rules
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.authentication import AuthenticationFilter
from quarterdeck.endpoints.filters.authorization import AuthorizationFilter
from quarterdeck.metrics.registry import Family, Histogram, Registry
from quarterdeck.server import instruments
from quarterdeck.transport.messages import ConnectionInfo, Request, Response


def build_request(user: str = "", *groups: str) -> RequestContext:
    http = Request("GET", "/api/v1/pods", "", {}, b"", ConnectionInfo("", is_secure=True))
    request = RequestContext(http, "id", 0.0)
    request.user = User(user, groups=groups)
    return request


def counts(family: Family[Histogram]) -> dict[str, int]:
    return {values[0]: histogram.count for values, histogram in family.children() if histogram.count}


class Known:
    """By names: who is known at once or later, whose credentials are bad, and who has none."""

    def __init__(self, name: str, *, is_late: bool = False) -> None:
        self._name = name
        self._is_late = is_late

    def authenticate(
        self, request: Request, warnings: list[str], annotations: dict[str, str]
    ) -> User | Awaitable[User | None] | None:
        return self._later() if self._is_late else self._find()

    async def _later(self) -> User | None:
        return self._find()

    def _find(self) -> User | None:
        if self._name == "bad":
            raise errors.Unauthorized
        return User(self._name) if self._name else None


@pytest.mark.parametrize("is_late", [False, True])
def test_authentication_is_timed_by_its_result(is_late: bool) -> None:
    family = instruments.time_authentication(Registry())

    async def ask(name: str) -> tuple[int, int]:
        tested = AuthenticationFilter(Known(name, is_late=is_late), family)
        request = build_request()
        try:
            waiting = tested(request, request.info)
            if waiting is not None:
                await waiting
        except errors.Unauthorized:
            pass
        return tested.refusals, tested.bad

    assert [asyncio.run(ask(name)) for name in ("alice", "bob", "bad", "")] == [(0, 0), (0, 0), (1, 1), (1, 0)]
    assert counts(family) == {"success": 2, "error": 1, "failure": 1}


class Asked:
    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    def allows(self, user: User, attributes: Attributes) -> bool:
        return self._decision.is_allowed

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        return self._decision

    def rules_of(self, user: User, namespace: str) -> Rules:
        raise NotImplementedError


def test_authorization_is_timed_by_its_result() -> None:
    family = instruments.time_authorization(Registry())

    def ask(decision: Decision, *groups: str) -> object:
        tested, request = AuthorizationFilter(Asked(decision), family), build_request("alice", *groups)
        return tested(request, request.info)

    no_opinion = Decision(is_allowed=False)
    assert ask(Decision(is_allowed=True)) is None
    assert ask(no_opinion, SYSTEM_MASTERS) is None
    for decision in (no_opinion, Decision(is_allowed=False, is_denied=True)):
        with pytest.raises(errors.Forbidden):
            ask(decision)
    answer = ask(Decision(is_allowed=False, error="broken"))
    assert isinstance(answer, Response)
    assert answer.status == 500
    assert counts(family) == {"allowed": 2, "no-opinion": 1, "denied": 1, "error": 1}
