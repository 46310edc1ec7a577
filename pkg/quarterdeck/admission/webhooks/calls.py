"""One call of an admission webhook, from the request to the verdict.

Source: apiserver/pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go (callAttrMutatingHook, callHook).
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.admission import auditnotes
from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import Matched
from quarterdeck.admission.webhooks.hooks import Hook
from quarterdeck.admission.webhooks.reviews import Verdict, build_denial, build_review, read_answer
from quarterdeck.admission.webhooks.versioned import VersionedAttributes
from quarterdeck.apimachinery import errors, gofmt, meta
from quarterdeck.webhook.client import Call, WebhookClient, WebhookFailed

_LOG: Final = logging.getLogger(__name__)


async def call(
    client: WebhookClient,
    hook: Hook,
    seen: VersionedAttributes,
    matched: Matched,
    *,
    is_mutating: bool,
) -> Verdict:
    """A verdict that allows. Its warnings and annotations have been noted. Raises WebhookFailed where there is none,
    APIStatus where the webhook refuses, or does not know dry runs."""
    attributes = seen.attributes
    if attributes.dry_run and hook.has_side_effects:
        raise errors.BadRequest(f"admission webhook {gofmt.quote(hook.name)} does not support dry run")
    if not hook.review_version:
        raise WebhookFailed(
            "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
            status=400,
        )
    if hook.target is None:
        raise WebhookFailed(f"could not get REST client: {hook.bad_target}", status=500)
    uid = meta.new_uid()
    review = build_review(hook.review_version, uid, seen, matched)
    about = partial(_tell, hook, attributes, uid, is_mutating=is_mutating)
    told_s = _measure_time(hook, attributes)
    try:
        answer = await client.ask(Call(hook.target, review, hook.timeout_s, about=about, told_s=told_s))
    except WebhookFailed as failure:
        text = f"failed to call webhook: {failure.text}"
        raise WebhookFailed(text, is_timeout=failure.is_timeout, status=failure.status) from failure
    verdict = read_answer(answer, hook.review_version, uid, is_mutating=is_mutating)
    for key, value in verdict.annotations.items():
        auditnotes.note(attributes, f"{hook.name}/{key}", value)
    attributes.warnings += verdict.warnings
    if not verdict.is_allowed:
        raise build_denial(hook.name, verdict.status)
    return verdict


def _measure_time(hook: Hook, attributes: Attributes) -> float:
    """How long the webhook has: its own time, or what the request has left where that is less. Whoever answers the
    request ends it when its time is over, and the call with it."""
    if not attributes.ends_s:
        return hook.timeout_s
    left_s = attributes.ends_s - now_s()
    return left_s if 0 < left_s < hook.timeout_s else hook.timeout_s


def _tell(hook: Hook, attributes: Attributes, uid: str, *, is_mutating: bool) -> tuple[str, dict[str, str | int]]:
    """What the call is for (webhook.client.About)."""
    resource = attributes.resource
    return f"Call {'mutating' if is_mutating else 'validating'} webhook", {
        "configuration": hook.configuration,
        "webhook": hook.name,
        "resource": f"{resource.group}/{resource.version}, Resource={resource.name}",
        "subresource": attributes.subresource,
        "operation": attributes.operation,
        "UID": uid,
    }


def describe_failure(hook: Hook, failure: WebhookFailed) -> errors.InternalError:
    """What the client is told of a webhook that must not fail."""
    return errors.InternalError.of(f"failed calling webhook {gofmt.quote(hook.name)}: {failure.text}")


def pass_over(hook: Hook, failure: WebhookFailed, attributes: Attributes, key: str) -> None:
    """A webhook that may fail has failed."""
    _LOG.warning("failed calling webhook, failing open %s: %s", hook.name, failure.text)
    auditnotes.note(attributes, f"failed-open.{key}", hook.name)
