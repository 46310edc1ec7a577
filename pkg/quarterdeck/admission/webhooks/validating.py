"""ValidatingAdmissionWebhook: all webhooks that a request concerns are asked at once; all of them have to agree.

Source: apiserver/pkg/admission/plugin/webhook/validating/dispatcher.go.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import Matched
from quarterdeck.admission.webhooks import calls, versioned
from quarterdeck.admission.webhooks.hooks import Hook
from quarterdeck.admission.webhooks.plugin import WebhookPlugin
from quarterdeck.admission.webhooks.versioned import VersionedAttributes
from quarterdeck.apimachinery import errors, questions
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.webhook.client import WebhookFailed

_PREFIX: Final = "validating.webhook.admission.k8s.io/"


class ValidatingWebhooks(WebhookPlugin):
    """A plugin of the chain."""

    validate = WebhookPlugin._look_at  # no call more than it takes: every write comes here

    async def _ask(self, attributes: Attributes, hooks: tuple[Hook, ...]) -> None:
        versions: dict[GroupVersionKind, VersionedAttributes] = {}
        asked: list[tuple[Hook, VersionedAttributes, Matched]] = []
        for hook in hooks:
            matched = hook.selection.match(attributes, attributes.obj, self._matcher.labels_of)
            if matched is None:
                continue
            shown = versions.get(matched.kind)
            if shown is None:
                shown = versions[matched.kind] = await _show(attributes, matched.kind)
            if hook.conditions.is_empty or await questions.settle(partial(self._matcher.fit_conditions, hook, shown)):
                asked.append((hook, shown, matched))
        refusals: list[errors.APIStatus] = []
        calling = [self._ask_one(index, *each, refusals) for index, each in enumerate(asked)]
        if len(calling) == 1:
            await calling[0]
        else:
            await asyncio.gather(*calling)
        if refusals:
            raise refusals[0]

    async def _ask_one(
        self, index: int, hook: Hook, shown: VersionedAttributes, matched: Matched, refusals: list[errors.APIStatus]
    ) -> None:
        """The refusal that comes first is the one that the client is told."""
        try:
            with self._counts.counting(hook, shown.attributes.operation):
                await calls.call(self._client, hook, shown, matched, is_mutating=False)
        except WebhookFailed as failure:
            if hook.is_ignorable:
                calls.pass_over(hook, failure, shown.attributes, f"{_PREFIX}round_0_index_{index}")
            else:
                refusals.append(calls.describe_failure(hook, failure))
        except errors.APIStatus as refusal:
            refusals.append(refusal)


async def _show(attributes: Attributes, kind: GroupVersionKind) -> VersionedAttributes:
    try:
        return await versioned.see(attributes, kind)
    except errors.APIStatus as error:
        raise errors.InternalError.of(error.message) from error
