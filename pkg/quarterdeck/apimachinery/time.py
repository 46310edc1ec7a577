"""Times as Kubernetes writes, reads and shows them. No clock here: callers hand in the time.

Sources: apimachinery/pkg/apis/meta/v1/time.go, apimachinery/pkg/util/duration/duration.go (HumanDuration), Go's
time.Parse for RFC 3339.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from quarterdeck.apimachinery import moments

# Go is content with one digit of an hour.
_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)([.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_FRACTION: Final = re.compile(r"[^.,]*[.,]([0-9]{1,9})").match

ZERO_S: Final = -62135596800.0
"""Go's zero time, which stands for "not set"."""

ZERO: Final = "0001-01-01T00:00:00Z"

DURATION_MAX_S: Final = (2**63 - 1) / 1e9
"""Go's longest duration, about 292 years: time.Since goes no further."""

_SECOND_NS: Final = 10**9
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE_S: Final = 60
_HOUR_S: Final = 3600


def parse_rfc3339(text: str) -> float | None:
    """Seconds since 1970, or None when `text` is no RFC 3339 time as Go reads it."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, sign, offset_hours, offset_minutes = match.groups()
    try:
        moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=UTC)
    except ValueError:
        return None
    time_s = (moment - _EPOCH).total_seconds()
    if fraction:
        time_s += float("0." + fraction[1:])
    if sign:
        if int(offset_hours) > 24 or int(offset_minutes) > 60:  # Go's own, generous bounds
            return None
        offset_s = int(offset_hours) * _HOUR_S + int(offset_minutes) * _MINUTE_S
        time_s += offset_s if sign == "-" else -offset_s
    return time_s


def fraction_of(text: str) -> str:
    """The digits of a time's fraction of a second that Go keeps, without zeros at the end: "" for a whole second."""
    found = _FRACTION(text)
    return found[1].rstrip("0") if found is not None else ""


def format_rfc3339(time_s: float) -> str:
    """metav1.Time on the wire: UTC, whole seconds."""
    return (_EPOCH + timedelta(seconds=int(time_s // 1))).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def format_micro(time_s: float) -> str:
    """metav1.MicroTime on the wire."""
    moment = _EPOCH + timedelta(microseconds=round(time_s * 1e6))
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def as_duration_s(seconds: int) -> float:
    """What Go's time.Second * time.Duration(seconds) is: nanoseconds of 64 bits, which wrap around."""
    return ((seconds * _SECOND_NS + 2**63) % 2**64 - 2**63) / 1e9


def human_duration(duration_s: float) -> str:
    """How long something lasts, in two units at most: `5s`, `2m30s`, `3h5m`, `4d`, `2y40d`.

    A little below zero is 0s (clocks differ), more is `<invalid>`.
    """
    duration_s = min(duration_s, DURATION_MAX_S)
    seconds = int(duration_s)
    if seconds < -1:
        return "<invalid>"
    if seconds < 0:
        return "0s"
    if seconds < 2 * _MINUTE_S:
        return f"{seconds}s"
    if seconds < 10 * _MINUTE_S:
        return _two_units(seconds // _MINUTE_S, "m", seconds % _MINUTE_S, "s")
    if seconds < 3 * _HOUR_S:
        return f"{seconds // _MINUTE_S}m"
    hours = seconds // _HOUR_S
    if hours < 8:
        return _two_units(hours, "h", seconds // _MINUTE_S % 60, "m")
    return _human_days(hours)


def _human_days(hours: int) -> str:
    days = hours // 24
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two_units(days, "d", hours % 24, "h")
    if days < 365 * 2:
        return f"{days}d"
    if days < 365 * 8:
        return _two_units(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def _two_units(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"


def human_age(timestamp: str, now_s: float) -> str:
    """The age shown for a timestamp of the API: `<unknown>` when not set, `<invalid>` when it cannot be read."""
    if timestamp in ("", "null"):
        return "<unknown>"
    time_s: float | None = parse_rfc3339(timestamp)
    if time_s is None and timestamp.startswith("0000-"):  # a year that Python does not have; this one is as long
        time_s = parse_rfc3339(timestamp.replace("0000", "0400", 1))
    if time_s is None:
        if (found := moments.read(timestamp)) is None:  # of a year that no client can write
            return "<invalid>"
        time_s = found[0]
    return "<unknown>" if time_s == ZERO_S else human_duration(now_s - time_s)
