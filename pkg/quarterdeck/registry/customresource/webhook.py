"""spec.conversion.strategy Webhook: a server of the definition's author converts.

Source: apiextensions-apiserver/pkg/apiserver/conversion/{converter,webhook_converter}.go.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.meta import split_api_version
from quarterdeck.registry.awaited import ConversionNeeded
from quarterdeck.registry.customresource import conversion_counts, conversion_review
from quarterdeck.registry.customresource.callers import ConversionWebhooks
from quarterdeck.registry.customresource.conversion import ConversionError, check_versions
from quarterdeck.registry.customresource.conversion_review import BadAnswer
from quarterdeck.registry.strategy import Object
from quarterdeck.webhook.client import WebhookFailed
from quarterdeck.webhook.config import is_blank

# Upstream gives a conversion webhook as long as it takes; its documents say 30 s.
TIMEOUT_S: Final = 30.0
# Objects of one review: a list of 1,000 takes 10 calls. Differs from upstream: it asks for each object by itself.
BATCH: Final = 100


class _Result:
    """What became of one conversion, and how many wait for it or work with it."""

    __slots__ = ("data", "error", "users")

    def __init__(self) -> None:
        self.data = b""
        self.error: ConversionError | None = None
        self.users = 0


class _Conversion:
    """One object on its way to another version (awaited.Conversion)."""

    __slots__ = ("_api_version", "_converter", "_key", "_obj")

    def __init__(self, converter: WebhookConverter, key: tuple[bytes, str], obj: Object, api_version: str) -> None:
        self._converter = converter
        self._key = key
        self._obj = obj
        self._api_version = api_version

    async def fetch(self) -> None:
        result = self._converter.results.setdefault(self._key, _Result())
        result.users += 1
        try:
            (converted,) = await self._converter.fetch([self._obj], self._api_version)
        except ConversionError as error:
            result.error = error
        else:
            result.data = json_codec.encode(converted)

    def forget(self) -> None:
        result = self._converter.results[self._key]
        result.users -= 1
        if not result.users:
            del self._converter.results[self._key]


def _without_blank_bundle(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """One of white space is as good as none; admission webhooks are not called with such a one."""
    return {**config, "caBundle": ""} if is_blank(config.get("caBundle") or "") else config


class WebhookConverter:
    """Of the definition `name`, whose apiVersions are `versions`. `results` holds what steps work with right now."""

    waits = True

    def __init__(
        self, config: Mapping[str, Any], versions: Sequence[str], webhooks: ConversionWebhooks, name: str
    ) -> None:
        self._client_config = _without_blank_bundle(config.get("clientConfig") or {})
        self._review_versions: Sequence[str] = config.get("conversionReviewVersions") or ()
        self._versions = frozenset(versions)
        self._webhooks = webhooks
        self._name = name
        self.results: dict[tuple[bytes, str], _Result] = {}

    def convert(self, obj: Object, api_version: str) -> Object:
        """Raises ConversionError; ConversionNeeded where the webhook has not been asked yet."""
        have = obj.get("apiVersion") or ""
        check_versions(self._versions, have, api_version)
        if have == api_version:
            return obj
        if len(obj) == 2 and "kind" in obj:  # nothing is in it
            return {**obj, "apiVersion": api_version}
        key = (json_codec.encode(obj), api_version)
        result = self.results.get(key)
        if result is None or not (result.data or result.error):
            raise ConversionNeeded(_Conversion(self, key, obj, api_version))
        if result.error is not None:
            raise ConversionError(result.error.message)
        return json_codec.load(result.data)

    async def fetch(self, objs: list[Object], api_version: str) -> list[Object]:
        """Objects of other versions, converted, in their order, many in one call. Raises ConversionError, for the first
        that cannot be had."""
        converted: list[Object] = []
        for begin in range(0, len(objs), BATCH):
            batch = objs[begin : begin + BATCH]
            try:
                converted += await self._call(batch, api_version)
            except ConversionError:
                if len(batch) == 1:
                    raise
                # Upstream converts one by one: its error is that of the first.
                for obj in batch:
                    converted += await self._call([obj], api_version)
        return converted

    async def _call(self, objs: list[Object], api_version: str) -> list[Object]:
        review_version = conversion_review.choose_version(self._review_versions)
        if review_version is None:
            raise ConversionError("no supported conversion review versions")
        group, version = split_api_version(objs[0].get("apiVersion") or "")
        shown = f"conversion webhook for {group}/{version}, Kind={objs[0].get('kind', '')}"
        end = partial(self._webhooks.counts.end, self._name, (version, split_api_version(api_version)[1]), now_s())
        uid = str(uuid.uuid4())
        review = conversion_review.build(review_version, uid, objs, api_version)
        about = partial(self._tell, api_version, len(objs), uid)
        try:
            answer = await self._webhooks.caller.call(self._client_config, review, TIMEOUT_S, about)
            answered = conversion_review.read(answer, review_version, uid)
        except (WebhookFailed, BadAnswer) as error:
            end(conversion_counts.MALFORMED if isinstance(error, BadAnswer) else conversion_counts.CALL)
            raise ConversionError(f"{shown} failed: {error}") from error
        if len(answered) != len(objs):
            end(conversion_counts.PARTIAL)
            raise ConversionError(f"{shown} returned {len(answered)} objects, expected {len(objs)}")
        converted = []
        try:
            for position, (obj, given) in enumerate(zip(objs, answered, strict=True)):
                spell = partial(conversion_review.spelling, answer, position, given)
                converted.append(conversion_review.accept(obj, given, api_version, spell))
        except BadAnswer as error:
            end(conversion_counts.INVALID_OBJECT)
            raise ConversionError(error.describe(shown)) from error
        end()
        return converted

    def _tell(self, api_version: str, count: int, uid: str) -> tuple[str, dict[str, str | int]]:
        """What a call is for (webhook.client.About)."""
        return "Call conversion webhook", {
            "custom-resource-definition": self._name,
            "desired-api-version": api_version,
            "object-count": count,
            "UID": uid,
        }
