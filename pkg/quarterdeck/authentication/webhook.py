"""A webhook that knows whose a token is: asked with a TokenReview, where no other kind of token has known it.

Its answers are remembered by a cache of their own, for as long as flags say. A connection believes them for ten
seconds, as it believes the other tokens.

Source: apiserver/plugin/pkg/authenticator/token/webhook/webhook.go.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

from quarterdeck.apimachinery import clock
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.cache import SUCCESS_S, CacheMetrics, TokenCache
from quarterdeck.authentication.interface import BadToken, Found, Identity, MaybeLater
from quarterdeck.schema.gotype import BOOL, STRING, Field, ListOf, MapOf, Struct
from quarterdeck.webhook import repeating, review
from quarterdeck.webhook.client import WebhookFailed

_LOG: Final = logging.getLogger(__name__)
_GROUP: Final = "authentication.k8s.io"
_KIND: Final = "TokenReview"
_TIMEOUT_S: Final = 30.0


def _review(version: str) -> Struct:
    texts = ListOf(STRING)
    user = Struct(
        "UserInfo",
        {
            "username": Field(STRING),
            "uid": Field(STRING),
            "groups": Field(texts),
            "extra": Field(MapOf(ListOf(STRING, f"{version}.ExtraValue"))),
        },
        version,
    )
    status = Struct(
        "TokenReviewStatus",
        {
            "authenticated": Field(BOOL),
            "user": Field(user, always=True),
            "audiences": Field(texts),
            "error": Field(STRING),
        },
        version,
    )
    fields = {"kind": Field(STRING), "apiVersion": Field(STRING), "status": Field(status, always=True)}
    return Struct(_KIND, fields, version)


_REVIEWS: Final = {version: _review(version) for version in ("v1", "v1beta1")}


class Post(Protocol):
    async def __call__(self, body: bytes, timeout_s: float) -> bytes:
        """What the webhook answers. Raises WebhookFailed."""


class WebhookTokens:
    """`audiences` are the API's own: whom a token is for of which the webhook does not say. `delay_s`: how long the
    first repetition waits."""

    def __init__(self, version: str, audiences: Sequence[str], post: Post, delay_s: float = repeating.DELAY_S) -> None:
        self._version = version
        self._audiences = tuple(audiences)
        self._post = post
        self._delay_s = delay_s

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> MaybeLater:
        return self._ask(token, tuple(audiences))

    async def _ask(self, token: str, audiences: tuple[str, ...]) -> Found:
        spec: dict[str, Any] = {"token": token}
        if audiences:
            spec["audiences"] = list(audiences)
        asked = {
            "kind": _KIND,
            "apiVersion": f"{_GROUP}/{self._version}",
            "metadata": {},
            "spec": spec,
            "status": {"user": {}},
        }
        try:
            status = await repeating.call(partial(self._call, json.encode(asked)), self._delay_s)
        except WebhookFailed as failure:
            _LOG.error("Failed to make webhook authenticator request: %s", failure.text)
            raise BadToken(failure.text) from failure
        return self._read(status, audiences)

    async def _call(self, body: bytes) -> Mapping[str, Any]:
        data = await self._post(body, _TIMEOUT_S)
        found: Mapping[str, Any] = review.decode(data, _GROUP, self._version, _REVIEWS[self._version])["status"]
        return found

    def _read(self, status: Mapping[str, Any], audiences: tuple[str, ...]) -> Found:
        told = status.get("audiences") or self._audiences
        common = tuple(audience for audience in told if audience in audiences)
        if not common:
            return None
        if not status.get("authenticated"):
            if error := status.get("error"):
                raise BadToken(error)
            return None
        user = status["user"]
        extra = {name: tuple(values or ()) for name, values in (user.get("extra") or {}).items()}
        found = User(user.get("username", ""), user.get("uid", ""), tuple(user.get("groups") or ()), extra)
        return Identity(found, audiences=common)


class RememberedWebhook:
    """`ttl_s`: how long answers are remembered, of good tokens and of others; 0: not at all."""

    def __init__(self, tokens: WebhookTokens, metrics: CacheMetrics, ttl_s: float) -> None:
        self._cache = TokenCache(tokens, metrics, success_s=ttl_s, failure_s=ttl_s, keeps_errors=False)

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> MaybeLater:
        found = self._cache.authenticate_for(token, audiences)
        return _limit(found) if found is None or isinstance(found, Identity) else _limit_later(found)


async def _limit_later(waiting: Awaitable[Found]) -> Found:
    return _limit(await waiting)


def _limit(found: Found) -> Found:
    return None if found is None else dataclasses.replace(found, expires_at=clock.wall_s() + SUCCESS_S)
