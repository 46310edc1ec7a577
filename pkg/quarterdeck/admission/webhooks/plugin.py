"""What both plugins of admission webhooks are built of, and which requests they look at.

Source: apiserver/pkg/admission/plugin/webhook/generic/webhook.go (ShouldCallHook).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from mypy_extensions import mypyc_attr

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import is_exempt
from quarterdeck.admission.webhooks.counts import WebhookCounts
from quarterdeck.admission.webhooks.hookmatcher import HookMatcher
from quarterdeck.admission.webhooks.hooks import Hook
from quarterdeck.webhook.client import WebhookClient


@mypyc_attr(allow_interpreted_subclasses=True)
class WebhookPlugin:
    """`hooks` gives the webhooks of the moment."""

    def __init__(
        self,
        hooks: Callable[[], tuple[Hook, ...]],
        client: WebhookClient,
        matcher: HookMatcher,
        counts: WebhookCounts,
    ) -> None:
        self._hooks = hooks
        self._client = client
        self._matcher = matcher
        self._counts = counts

    def _look_at(self, attributes: Attributes) -> Awaitable[None] | None:
        """Asks, where one of the webhooks may concern the request."""
        hooks = self._hooks()
        if not hooks or is_exempt(attributes) or not any(hook.selection.may_match(attributes) for hook in hooks):
            return None
        return self._ask(attributes, hooks)

    async def _ask(self, attributes: Attributes, hooks: tuple[Hook, ...]) -> None:
        raise NotImplementedError
