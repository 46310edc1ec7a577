"""ImagePolicyWebhook: another server judges the images of pods.

Its verdicts are remembered for a while. Where it cannot be asked, the settings say whether pods are let in.
Source: plugin/pkg/admission/imagepolicy/admission.go; apimachinery/pkg/util/cache/lruexpirecache.go.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes, shown_name
from quarterdeck.admission.auditnotes import note
from quarterdeck.admission.pluginsettings import ImagePolicySettings
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json
from quarterdeck.schema.gotype import BOOL, STRING, Field, ListOf, MapOf, Struct
from quarterdeck.webhook import repeating, review
from quarterdeck.webhook.client import WebhookFailed

_LOG: Final = logging.getLogger(__name__)

Object = dict[str, Any]
Post = Callable[[bytes], Awaitable[bytes]]
"""What the webhook answers. Raises WebhookFailed."""

_GROUP: Final = "imagepolicy.k8s.io"
_VERSION: Final = "v1alpha1"
_KIND: Final = "ImageReview"
_SCHEME: Final = "pkg/api/legacyscheme/scheme.go:30"
_EPHEMERAL: Final = "ephemeralcontainers"
_AUDIT: Final = "imagepolicywebhook.image-policy.k8s.io/"
_PASSED_ON: Final = ".image-policy.k8s.io/"
_UNEXPECTED: Final = "UnexpectedServerResponse"
_VERDICTS_MAX: Final = 1024
_SPEC: Final = Struct(
    "ImageReviewSpec",
    {
        "containers": Field(ListOf(Struct("ImageReviewContainerSpec", {"image": Field(STRING)}, _VERSION))),
        "annotations": Field(MapOf(STRING)),
        "namespace": Field(STRING),
    },
    _VERSION,
)
_STATUS: Final = Struct(
    "ImageReviewStatus",
    {"allowed": Field(BOOL, always=True), "reason": Field(STRING), "auditAnnotations": Field(MapOf(STRING))},
    _VERSION,
)
_REVIEW: Final = Struct(
    _KIND,
    {"kind": Field(STRING), "apiVersion": Field(STRING), "spec": Field(_SPEC), "status": Field(_STATUS)},
    _VERSION,
)


class ImagePolicy:
    """`post` asks the webhook once."""

    def __init__(self, settings: ImagePolicySettings, post: Post, now_s: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._post = post
        self._now_s = now_s
        self._verdicts: OrderedDict[bytes, tuple[float, Object]] = OrderedDict()  # with the time when they end

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        if attributes.obj is None or attributes.operation not in (CREATE, UPDATE):
            return None
        return self._judge(attributes) if attributes.subresource in ("", _EPHEMERAL) else None

    async def _judge(self, attributes: Attributes) -> None:
        """Raises Forbidden."""
        spec = _describe(attributes)
        key = json.encode(spec)
        status = self._recall(key)
        if status is None:
            try:
                status = await repeating.call(partial(self._ask, spec), self._settings.delay_s)
            except WebhookFailed as failure:
                if not self._settings.is_open:
                    raise _tell(attributes, failure) from failure
                _LOG.warning("the webhook that judges images fails, pods are let in: %s", failure.text)
                note(attributes, f"{_AUDIT}failed-open", "true")
                return
            self._remember(key, status)
        for name, value in (status.get("auditAnnotations") or {}).items():
            note(attributes, f"{_AUDIT}{name}", value)
        if not status["allowed"]:
            reason = status.get("reason", "")
            told = f"image policy webhook backend denied one or more images: {reason}"
            raise _forbidden(attributes, told if reason else "one or more images rejected by webhook backend")

    async def _ask(self, spec: Object) -> Object:
        asked = {"kind": _KIND, "apiVersion": f"{_GROUP}/{_VERSION}", "metadata": {}, "spec": spec}
        answer = await self._post(json.encode({**asked, "status": {"allowed": False}}))
        status: Object = review.decode(answer, _GROUP, _VERSION, _REVIEW, (_VERSION,), _SCHEME)["status"]
        return status

    def _recall(self, key: bytes) -> Object | None:
        end_s, status = self._verdicts.get(key, (0.0, None))
        if status is None:
            return None
        if end_s <= self._now_s():
            del self._verdicts[key]
            return None
        self._verdicts.move_to_end(key)
        return status

    def _remember(self, key: bytes, status: Object) -> None:
        settings = self._settings
        lasts_s = settings.allowed_s if status["allowed"] else settings.denied_s
        if not lasts_s:
            return
        self._verdicts[key] = (self._now_s() + lasts_s, status)
        if len(self._verdicts) > _VERDICTS_MAX:
            self._verdicts.popitem(last=False)


def _describe(attributes: Attributes) -> Object:
    """The spec of the review."""
    obj = attributes.obj
    assert obj is not None
    kinds = ("ephemeralContainers",) if attributes.subresource else ("containers", "initContainers")
    images = [each.get("image", "") for kind in kinds for each in obj["spec"].get(kind) or ()]
    annotations = obj["metadata"].get("annotations") or {}
    passed_on = {name: value for name, value in sorted(annotations.items()) if _PASSED_ON in name}
    spec: Object = {"containers": [{"image": image} if image else {} for image in images]} if images else {}
    if passed_on:
        spec["annotations"] = passed_on
    if attributes.namespace:
        spec["namespace"] = attributes.namespace
    return spec


def _tell(attributes: Attributes, failure: WebhookFailed) -> errors.Forbidden:
    """What the client is told of a webhook that cannot be asked: one that forbids speaks for itself."""
    if failure.status != errors.Forbidden.code:
        return _forbidden(attributes, failure.text)
    return errors.Forbidden(failure.text, {"causes": [{"reason": _UNEXPECTED, "message": failure.text}]})


def _forbidden(attributes: Attributes, text: str) -> errors.Forbidden:
    return errors.Forbidden.of("", "pods", shown_name(attributes), text)
