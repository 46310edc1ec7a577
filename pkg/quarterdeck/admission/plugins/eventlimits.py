"""EventRateLimit: so many events at once and in a second, of the server, of each namespace, user or source.

Events of events.k8s.io are not counted, as upstream.
Source: plugin/pkg/admission/eventratelimit/{admission,limitenforcer,cache}.go; golang.org/x/time/rate.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.pluginsettings import EventLimit
from quarterdeck.apimachinery import errors

Object = dict[str, Any]

SERVER: Final = "Server"
NAMESPACE: Final = "Namespace"
USER: Final = "User"
SOURCE_AND_OBJECT: Final = "SourceAndObject"
KINDS: Final = (NAMESPACE, SERVER, SOURCE_AND_OBJECT, USER)
_OF_OBJECT: Final = ("kind", "namespace", "name", "uid", "apiVersion")


class EventRateLimit:
    def __init__(self, limits: Sequence[EventLimit], now_s: Callable[[], float] = time.monotonic) -> None:
        self._limiters = [_Limiter(limit) for limit in limits]
        self._now_s = now_s

    def validate(self, attributes: Attributes) -> None:
        """Each limit counts the event, also where another one refuses it. Raises TooManyRequests."""
        if attributes.obj is None or attributes.dry_run or attributes.operation not in (CREATE, UPDATE):
            return
        now_s = self._now_s()
        texts = [text for limiter in self._limiters if (text := limiter.refuse(attributes, now_s))]
        if texts:
            raise errors.TooManyRequests(f"Too many requests: {errors.aggregate(texts)}")


class _Limiter:
    """One limit: a bucket of tokens for each key. Who has not been seen for the longest time is forgotten."""

    def __init__(self, limit: EventLimit) -> None:
        self._limit = limit
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when there were so many

    def refuse(self, attributes: Attributes, now_s: float) -> str:
        """Why the event is too much; "" where it is not."""
        limit, key = self._limit, _key(self._limit.kind, attributes)
        tokens, then_s = self._buckets.get(key, (float(limit.burst), now_s))
        tokens = min(float(limit.burst), tokens + (now_s - then_s) * limit.per_s)
        is_enough = tokens >= 1
        self._buckets[key] = (tokens - 1 if is_enough else tokens, now_s)
        self._buckets.move_to_end(key)
        if len(self._buckets) > limit.keys_max:
            self._buckets.popitem(last=False)
        return "" if is_enough else f"limit reached on type {limit.kind} for key {key}"


def _key(kind: str, attributes: Attributes) -> str:
    if kind == NAMESPACE:
        return attributes.namespace
    if kind == USER:
        return attributes.user.name
    if kind == SOURCE_AND_OBJECT:
        assert attributes.obj is not None
        source, involved = attributes.obj.get("source") or {}, attributes.obj.get("involvedObject") or {}
        host = (source.get(name, "") for name in ("component", "host"))
        return "".join((*host, *(involved.get(name, "") for name in _OF_OBJECT)))
    return ""
