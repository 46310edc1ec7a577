"""What a webhook says of a token, and how it is asked."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.cache import CacheMetrics
from quarterdeck.authentication.interface import BadToken, Identity
from quarterdeck.authentication.webhook import RememberedWebhook, WebhookTokens
from quarterdeck.metrics.registry import Registry
from quarterdeck.webhook.client import WebhookFailed


class Webhook:
    """Answers with these in turn, the last one ever after."""

    def __init__(self, *answers: dict[str, Any] | WebhookFailed, version: str = "v1") -> None:
        self.asked: list[dict[str, Any]] = []
        self._answers = list(answers)
        self._version = version

    async def __call__(self, body: bytes, timeout_s: float) -> bytes:
        self.asked.append(json.loads(body))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, WebhookFailed):
            raise answer
        review = {"apiVersion": f"authentication.k8s.io/{self._version}", "kind": "TokenReview", "status": answer}
        return json.dumps(review).encode()

    def ask(self, *audiences: str, ttl_s: float = 60.0, times: int = 1) -> Identity | None:
        tokens = RememberedWebhook(WebhookTokens(self._version, ["api"], self, 0.0), CacheMetrics(Registry()), ttl_s)

        async def run() -> Identity | None:
            found: Identity | None = None
            for _ in range(times):
                answer = tokens.authenticate_for("t", audiences or ("api",))
                found = answer if answer is None or isinstance(answer, Identity) else await answer
            return found

        return asyncio.run(run())


GOOD = {"authenticated": True, "user": {"username": "u", "uid": "1", "groups": ["g"], "extra": {"k": ["v", "w"]}}}


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_a_good_token(version: str) -> None:
    webhook = Webhook(GOOD, version=version)
    found = webhook.ask(times=3)
    assert found is not None
    assert found.user == User("u", "1", ("g",), {"k": ("v", "w")})
    assert found.audiences == ("api",)
    assert found.expires_at < float("inf")
    assert webhook.asked == [
        {
            "kind": "TokenReview",
            "apiVersion": f"authentication.k8s.io/{version}",
            "metadata": {},
            "spec": {"token": "t", "audiences": ["api"]},
            "status": {"user": {}},
        }
    ]


def test_nothing_is_remembered_without_a_time_to_live() -> None:
    webhook = Webhook(GOOD)
    webhook.ask(ttl_s=0, times=3)
    assert len(webhook.asked) == 3


@pytest.mark.parametrize(
    "told, wanted, common",
    [
        ([], ["api"], ("api",)),
        ([], ["other"], None),
        (["other", "api"], ["api", "other"], ("other", "api")),
        (["other"], ["api"], None),
    ],
)
def test_whom_a_token_is_for(told: list[str], wanted: list[str], common: tuple[str, ...] | None) -> None:
    found = Webhook({**GOOD, "audiences": told}).ask(*wanted)
    assert (None if found is None else found.audiences) == common


def test_others_are_refused() -> None:
    webhook = Webhook({"authenticated": False})
    assert webhook.ask(times=3) is None
    assert len(webhook.asked) == 1, "that is remembered"
    with pytest.raises(BadToken, match=r"^stolen$"):
        Webhook({"authenticated": False, "error": "stolen"}).ask()


def test_a_failure_is_tried_again_five_times_and_not_remembered() -> None:
    again = WebhookFailed("busy", may_be_repeated=True)
    assert Webhook(again, again, again, again, GOOD).ask() is not None
    for failure, count in ((again, 5), (WebhookFailed("gone"), 1)):
        webhook = Webhook(failure)
        with pytest.raises(BadToken, match=failure.text):
            webhook.ask()
        assert len(webhook.asked) == count
