"""Times as Go reads and writes them in objects' metadata: RFC 3339, UTC, whole seconds.

Sources: Go's time package, apimachinery/pkg/apis/meta/v1/time.go.
"""

from __future__ import annotations

import datetime
import re

from quarterdeck._kernels import plainmeta
from quarterdeck.apimachinery import layouts
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


def check_micro(text: str) -> None:
    """Raises TimeError for what the layout of MicroTime does not take: its fraction has just six digits."""
    if _COMMON_MICRO.fullmatch(text) is None:
        _to_utc(layouts.read(text, layouts.MICRO))


def _to_utc(values: dict[str, str]) -> str:
    year = int(values["2006"])
    moment = datetime.datetime(
        year or 4, int(values["01"]), int(values["02"]), int(values["15"]), int(values["04"]), int(values["05"][:2])
    )
    zone = values["Z07:00"]
    if zone != "Z":
        offset = datetime.timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
        try:
            moment = moment - offset if zone[0] == "+" else moment + offset
        except OverflowError:
            raise TimeError("Time.MarshalJSON: year outside of range [0,9999]") from None
    shown = moment.strftime("-%m-%dT%H:%M:%SZ")
    return f"{moment.year if year else moment.year - 4:04d}{shown}"
