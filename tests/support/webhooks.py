"""What calls conversion webhooks, for tests that have none, or one of their own in the process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.customresource.callers import Caller, ConversionWebhooks
from quarterdeck.registry.customresource.conversion_counts import ConversionCounts
from quarterdeck.webhook.client import WebhookFailed

Review = dict[str, Any]


class NoWebhooks:
    """Every call fails."""

    async def call(self, config: Mapping[str, Any], review: bytes, timeout_s: float, about: object = None) -> bytes:
        raise WebhookFailed("there are no webhooks here")


def converting(caller: Caller, metrics: Registry | None = None) -> ConversionWebhooks:
    return ConversionWebhooks(caller, ConversionCounts(metrics or Registry()))


class LocalWebhook:
    """`answer` gives the response to the request of a review. `requests` are those that were made."""

    def __init__(self, answer: Callable[[Review], Review]) -> None:
        self.requests: list[Review] = []
        self._answer = answer

    async def call(self, config: Mapping[str, Any], review: bytes, timeout_s: float, about: object = None) -> bytes:
        asked = json.loads(review)
        await asyncio.sleep(0)
        self.requests.append(asked["request"])
        answered = {name: asked[name] for name in ("kind", "apiVersion")}
        return json.dumps({**answered, "response": self._answer(asked["request"])}).encode()
