"""Times as Go reads and writes them in objects' metadata: RFC 3339, UTC, whole seconds.

Parsing follows time.Parse for the layout `2006-01-02T15:04:05Z07:00` including the text of its errors, which name the
first part of the layout that does not fit. Sources: Go's time package, apimachinery/pkg/apis/meta/v1/time.go.
"""

from __future__ import annotations

import datetime
import re
from typing import Final

LAYOUT: Final = "2006-01-02T15:04:05Z07:00"
_COMMON = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})Z")
_PARTS: Final = (
    ("2006", re.compile("[0-9]{4}")),
    ("-", re.compile("-")),
    ("01", re.compile("[0-9]{2}")),
    ("-", re.compile("-")),
    ("02", re.compile("[0-9]{2}")),
    ("T", re.compile("T")),
    ("15", re.compile("[0-9]{1,2}")),
    (":", re.compile(":")),
    ("04", re.compile("[0-9]{2}")),
    (":", re.compile(":")),
    ("05", re.compile(r"[0-9]{2}(?:[.,][0-9]+)?")),
    ("Z07:00", re.compile(r"Z|[+-][0-9]{2}:[0-9]{2}")),
)
MICRO_LAYOUT: Final = "2006-01-02T15:04:05.000000Z07:00"
_COMMON_MICRO = re.compile(_COMMON.pattern[:-1] + r"\.[0-9]{6}Z")
_MICRO_PARTS: Final = (
    *_PARTS[:-2],
    ("05", re.compile("[0-9]{2}")),
    (".000000", re.compile(r"[.,][0-9]{6}")),
    _PARTS[-1],
)
_LIMITS: Final = {"01": (1, 12, "month"), "15": (0, 23, "hour"), "04": (0, 59, "minute"), "05": (0, 59, "second")}


class TimeError(ValueError):
    """The text is no time; the message is Go's."""


def _quote(text: str) -> str:
    """As Go's time package quotes: what is not ASCII byte by byte."""
    shown = "".join(f"\\{char}" if char in '"\\' else char if " " <= char < "\x80" else _hex(char) for char in text)
    return f'"{shown}"'


def _hex(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))


def normalize(text: str) -> str:
    """The same moment in UTC without fractions of a second."""
    match = _COMMON.fullmatch(text)
    if match and _is_ordinary(*map(int, match.groups())):
        return text
    return _parse(text)


def is_time(value: object) -> bool:
    """Whether a JSON value reads as metav1.Time, null as none."""
    try:
        return value is None or (isinstance(value, str) and bool(normalize(value)))
    except TimeError:
        return False


def check_micro(text: str) -> None:
    """Raises TimeError for what the layout of MicroTime does not take: its fraction has just six digits."""
    if _COMMON_MICRO.fullmatch(text) is None:
        _parse(text, _MICRO_PARTS, MICRO_LAYOUT)


def _is_ordinary(year: int, month: int, day: int, hour: int, minute: int, second: int) -> bool:
    return year > 0 and 1 <= month <= 12 and 1 <= day <= 28 and hour < 24 and minute < 60 and second < 60


def _parse(text: str, parts: tuple[tuple[str, re.Pattern[str]], ...] = (), layout_text: str = LAYOUT) -> str:
    rest = text
    values: dict[str, str] = {}
    for layout, pattern in parts or _PARTS:
        match = pattern.match(rest)
        if match is None:
            raise TimeError(
                f"parsing time {_quote(text)} as {_quote(layout_text)}: cannot parse {_quote(rest)} as {_quote(layout)}"
            )
        values[layout] = match[0]
        rest = rest[match.end() :]
        if layout in _LIMITS:
            least, most, name = _LIMITS[layout]
            if not least <= int(match[0][:2]) <= most:
                raise TimeError(f"parsing time {_quote(text)}: {name} out of range")
    if rest:
        raise TimeError(f"parsing time {_quote(text)}: extra text: {_quote(rest)}")
    return _to_utc(text, values)


def _to_utc(text: str, values: dict[str, str]) -> str:
    year = int(values["2006"])
    try:
        # Go has a year 0, which is a leap year; Python's calendar begins with 1.
        moment = datetime.datetime(
            year or 4, int(values["01"]), int(values["02"]), int(values["15"]), int(values["04"]), int(values["05"][:2])
        )
    except ValueError:
        raise TimeError(f"parsing time {_quote(text)}: day out of range") from None
    zone = values["Z07:00"]
    if zone != "Z":
        if int(zone[1:3]) > 24 or int(zone[4:6]) > 60:
            raise TimeError(f"parsing time {_quote(text)}: time zone offset out of range")
        offset = datetime.timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
        try:
            moment = moment - offset if zone[0] == "+" else moment + offset
        except OverflowError:
            raise TimeError("Time.MarshalJSON: year outside of range [0,9999]") from None
    shown = moment.strftime("-%m-%dT%H:%M:%SZ")
    return f"{moment.year if year else moment.year - 4:04d}{shown}"
