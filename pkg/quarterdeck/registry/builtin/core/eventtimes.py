"""Which times of an event are set.

Go's zero time is set, as far as upstream's validation looks, where a client writes it out (`0001-01-01T00:00:00Z`):
reading it gives it a time zone, and it is compared with a time that has none. What is stored holds no such time.
Both groups ask for this by the names of the core one. What else decoding loses of times, parts of a second, is in
senttimes.py.

Source: pkg/apis/core/validation/events.go, apimachinery/pkg/apis/meta/v1/{time,micro_time}.go.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final

from quarterdeck.apimachinery import time

OLD_TIMES: Final = {"firstTimestamp": "deprecatedFirstTimestamp", "lastTimestamp": "deprecatedLastTimestamp"}
"""Core names of times → names in events.k8s.io."""

_SERIES: Final = "series.lastObservedTime"
_NONE: Final[frozenset[str]] = frozenset()
# As in written.py: between decoding and validation no other object is decoded.
_zeros: ContextVar[frozenset[str]] = ContextVar("zero times that were written out, by their core names", default=_NONE)


def note(body: dict[str, Any], *, is_core: bool) -> None:
    """Of an event that is about to be decoded."""
    sent = {core: body.get(core if is_core else newer) for core, newer in OLD_TIMES.items()}
    series = body.get("series")
    sent["eventTime"] = body.get("eventTime")
    sent[_SERIES] = series.get("lastObservedTime") if isinstance(series, dict) else None
    found = frozenset(name for name, value in sent.items() if isinstance(value, str) and _is_zero(value))
    if found != _zeros.get():
        _zeros.set(found)


def is_set(event: dict[str, Any], name: str) -> bool:
    """Of a core event that was decoded last, or of what was made of one."""
    return bool(event.get(name)) or name in _zeros.get()


def was_observed(series: dict[str, Any]) -> bool:
    """Whether the series of the event that was decoded last tells when it was seen last."""
    return bool(series.get("lastObservedTime")) or _SERIES in _zeros.get()


def _is_zero(text: str) -> bool:
    time_s = time.parse_rfc3339(text)
    return time_s is not None and time.ZERO_S <= time_s < time.ZERO_S + 1
