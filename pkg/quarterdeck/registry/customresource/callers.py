"""What calls conversion webhooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from quarterdeck.registry.customresource.conversion_counts import ConversionCounts
from quarterdeck.webhook.client import About


class Caller(Protocol):
    """webhook.client.WebhookClient."""

    async def call(
        self, config: Mapping[str, Any], review: bytes, timeout_s: float, about: About | None = None
    ) -> bytes: ...


class ConversionWebhooks(NamedTuple):
    """Who calls them, and where their calls are counted."""

    caller: Caller
    counts: ConversionCounts
