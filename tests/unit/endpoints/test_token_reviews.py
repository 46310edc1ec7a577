"""What a TokenReview is answered that brings a status along."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.endpoints.handlers.reviews import TokenReviews

SENT = {"authenticated": True, "user": {"username": "sent", "uid": "u"}, "audiences": ["sent"], "error": "sent"}
BOB = User("bob", groups=("devs",))


class Tokens:
    def __init__(self, user: User | None) -> None:
        self._user = user

    def judge(self, _token: str, audiences: list[str]) -> Any:
        return (None, [], "invalid") if self._user is None else (self._user, audiences, "")


def answer(user: User | None, **members: Any) -> Any:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "metadata": {}}
    spec = {"token": "t", "audiences": ["a"]}
    return TokenReviews(Tokens(user)).answer(User("asks"), {**review, "spec": spec, **members})["status"]


@pytest.mark.parametrize("sent", [{}, {"status": {}}])
def test_an_answer_without_a_status_of_its_own(sent: dict[str, Any]) -> None:
    user = {"username": "bob", "groups": ["devs"]}
    assert answer(BOB, **sent) == {"authenticated": True, "user": user, "audiences": ["a"]}
    assert answer(None, **sent) == {"user": {}, "error": "invalid"}


def test_what_the_review_says_stands_where_the_answer_says_nothing() -> None:
    user = {"username": "bob", "groups": ["devs"]}
    assert answer(BOB, status=SENT) == {"authenticated": True, "user": user, "audiences": ["a"], "error": "sent"}
    assert answer(None, status=SENT) == {"user": SENT["user"], "audiences": ["sent"], "error": "invalid"}
