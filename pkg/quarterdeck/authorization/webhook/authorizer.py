"""A webhook as an authorizer: what it decided is remembered for a while, anything else is asked.

Source: apiserver/plugin/pkg/authorizer/webhook/webhook.go.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Protocol

from quarterdeck.apimachinery import questions
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import NO_OPINION, Attributes, Decision, Rules
from quarterdeck.authorization.configuration import Webhook
from quarterdeck.authorization.webhook import metrics, spec
from quarterdeck.authorization.webhook.cache import DecisionCache
from quarterdeck.authorization.webhook.conditions import Condition, Verdict, evaluate
from quarterdeck.authorization.webhook.metrics import WebhookMetrics
from quarterdeck.schema.gotype import BOOL, STRING, Field, Struct
from quarterdeck.webhook import repeating, review
from quarterdeck.webhook.client import WebhookFailed

Object = dict[str, Any]

# What the requester chooses may make a key this long, for a decision to be remembered.
_CHOSEN_CHARS_MAX: Final = 10_000
_BOTH: Final = "webhook subject access review returned both allow and deny response"
_STATUS: Final = Struct(
    "SubjectAccessReviewStatus",
    {
        "allowed": Field(BOOL, always=True),
        "denied": Field(BOOL),
        "reason": Field(STRING),
        "evaluationError": Field(STRING),
    },
)


def _review(version: str) -> Struct:
    return Struct(
        spec.KIND,
        {"kind": Field(STRING), "apiVersion": Field(STRING), "status": Field(_STATUS, always=True)},
        version,
    )


_REVIEWS: Final = {version: _review(version) for version in ("v1", "v1beta1")}


class Post(Protocol):
    async def __call__(self, body: bytes, timeout_s: float) -> bytes:
        """What the webhook answers. Raises WebhookFailed."""


class WebhookAuthorizer:
    """`conditions` are those of `settings`, compiled."""

    def __init__(
        self,
        name: str,
        settings: Webhook,
        conditions: Sequence[Condition],
        post: Post,
        counts: WebhookMetrics,
    ) -> None:
        self._name = name
        self._settings = settings
        self._conditions = tuple(conditions)
        self._post = post
        self._counts = counts
        self._cache = DecisionCache()
        self._checked: tuple[float, Verdict] | None = None  # what the conditions came to, and in which time

    def quick(self, user: User, attributes: Attributes) -> Decision:
        return self.authorize(user, attributes)

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        asked = spec.build(user, attributes)
        if self._conditions:
            verdict = self._check_conditions(asked)
            if verdict.error:
                return self._undecided(verdict.error)
            if not verdict.fits:
                return NO_OPINION
        key = json.encode(asked)
        known = self._cache.find(key)
        if known is not None:
            return known
        question = (self, key)
        answered: Decision | None = questions.answer_to(question)
        if answered is not None:
            return answered
        raise questions.Unanswered(question, partial(self._ask, key, asked, _chosen_chars(attributes)))

    def rules_of(self, _user: User, _namespace: str) -> Rules:
        return Rules([], [], "webhook authorizer does not support user rule resolution", is_incomplete=True)

    def tell(self) -> None:
        """Count what the conditions came to. A decision that waits for answers is begun again, with its checks."""
        checked, self._checked = self._checked, None
        if checked is not None:
            passed_s, verdict = checked
            self._counts.count_conditions(self._name, passed_s, fits=verdict.fits, has_failed=bool(verdict.error))

    def _check_conditions(self, asked: Object) -> Verdict:
        begin = time.perf_counter()
        verdict = evaluate(self._conditions, asked)
        self._checked = time.perf_counter() - begin, verdict
        return verdict

    def _undecided(self, error: str) -> Decision:
        return Decision(False, "", error, is_denied=self._settings.is_denied_on_failure)

    async def _ask(self, key: bytes, asked: Object, chosen_chars: int) -> Decision:
        settings = self._settings
        body = json.encode(spec.build_review(asked, settings.version))
        try:
            status = await repeating.call(partial(self._call, body))
        except WebhookFailed as failure:
            if not settings.is_denied_on_failure:
                self._counts.count_passed_over(self._name, _result_of(failure))
            return self._undecided(failure.text)
        decision = _interpret(status)
        if chosen_chars < _CHOSEN_CHARS_MAX:
            ttl_s = settings.authorized_ttl_s if status["allowed"] else settings.unauthorized_ttl_s
            self._cache.put(key, decision, ttl_s)
        return decision

    async def _call(self, body: bytes) -> Object:
        version = self._settings.version
        begin = time.perf_counter()
        result = metrics.SUCCESS
        try:
            data = await self._post(body, self._settings.timeout_s)
            found: Object = review.decode(data, spec.GROUP, version, _REVIEWS[version])["status"]
        except WebhookFailed as failure:
            result = _result_of(failure)
            raise
        except asyncio.CancelledError:
            result = metrics.CANCELED
            raise
        finally:
            self._counts.count_call(self._name, result, time.perf_counter() - begin)
        return found


def _result_of(failure: WebhookFailed) -> str:
    return metrics.TIMEOUT if failure.is_timeout or failure.status == 504 else metrics.ERROR


def _interpret(status: Object) -> Decision:
    is_denied, reason = bool(status.get("denied")), status.get("reason") or ""
    is_allowed = bool(status["allowed"]) and not is_denied
    return Decision(is_allowed, reason, _BOTH if is_denied and status["allowed"] else "", is_denied=is_denied)


def _chosen_chars(asked: Attributes) -> int:
    texts = (asked.namespace, asked.verb, asked.group, asked.version, asked.resource)
    return sum(map(len, (*texts, asked.subresource, asked.name, asked.path)))
