"""Times as Go reads and writes them in objects' metadata: RFC 3339, UTC, whole seconds.

Sources: Go's time package, apimachinery/pkg/apis/meta/v1/time.go.
"""

from __future__ import annotations

import re

from quarterdeck._kernels import plainmeta
from quarterdeck.apimachinery import layouts, moments
from quarterdeck.apimachinery.layouts import TimeError as TimeError

_COMMON_MICRO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")


def normalize(text: str) -> str:
    """The same moment in UTC without fractions of a second. Raises TimeError."""
    if plainmeta.is_plain_moment(text):
        return text
    return _to_utc(layouts.read(text, layouts.RFC3339))


def is_time(value: object) -> bool:
    """Whether a JSON value reads as metav1.Time, null as none."""
    try:
        return value is None or (isinstance(value, str) and bool(normalize(value)))
    except TimeError:
        return False


def normalize_micro(text: str) -> str:
    """metav1.MicroTime: the same moment in UTC with six digits of a second. Raises TimeError for what its layout does
    not take, whose fraction has just six."""
    if _COMMON_MICRO.fullmatch(text) is not None:
        return f"{normalize(text)[:-1]}{text[-8:]}"
    values = layouts.read(text, layouts.MICRO)
    return f"{_to_utc(values)[:-1]}.{values['.000000'][1:]}Z"


def _to_utc(values: dict[str, str]) -> str:
    year, month, day, hour, minute = (int(values[name]) for name in ("2006", "01", "02", "15", "04"))
    seconds = moments.of(year, month, day, hour, minute, int(values["05"][:2]))
    zone = values["Z07:00"]
    if zone != "Z":
        offset_s = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
        seconds += offset_s if zone[0] == "-" else -offset_s
    return f"{moments.show(seconds)}Z"
