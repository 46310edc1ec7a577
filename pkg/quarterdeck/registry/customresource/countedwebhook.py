"""A conversion webhook whose calls are counted (coverage/webhooks.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quarterdeck.coverage.webhooks import Calls
from quarterdeck.registry.customresource.callers import ConversionWebhooks
from quarterdeck.registry.customresource.conversion import ConversionError
from quarterdeck.registry.customresource.webhook import WebhookConverter
from quarterdeck.registry.strategy import Object


class CountedConverter(WebhookConverter):
    def __init__(
        self, config: Mapping[str, Any], versions: Sequence[str], webhooks: ConversionWebhooks, name: str, calls: Calls
    ) -> None:
        super().__init__(config, versions, webhooks, name)
        self._calls = calls

    async def _call(self, objs: list[Object], api_version: str) -> list[Object]:
        try:
            converted = await super()._call(objs, api_version)
        except ConversionError:
            self._calls.failed += 1
            raise
        self._calls.allowed += 1
        return converted
