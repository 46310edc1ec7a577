"""Texts of times against Go's layouts. What does not fit is told as time.Parse tells it, by the first part of the
layout that does not.

Source: Go's time package (format.go).
"""

from __future__ import annotations

import datetime
import re
from typing import Final, NamedTuple


class Layout(NamedTuple):
    text: str
    parts: tuple[tuple[str, re.Pattern[str]], ...]


_DAY_PARTS: Final = (
    ("2006", re.compile("[0-9]{4}")),
    ("-", re.compile("-")),
    ("01", re.compile("[0-9]{2}")),
    ("-", re.compile("-")),
    ("02", re.compile("[0-9]{2}")),
)
_MINUTE_PARTS: Final = (
    *_DAY_PARTS,
    ("T", re.compile("T")),
    ("15", re.compile("[0-9]{1,2}")),
    (":", re.compile(":")),
    ("04", re.compile("[0-9]{2}")),
    (":", re.compile(":")),
)
_SECOND: Final = ("05", re.compile(r"[0-9]{2}(?:[.,][0-9]+)?"))
_ZONE: Final = ("Z07:00", re.compile(r"Z|[+-][0-9]{2}:[0-9]{2}"))
DAY: Final = Layout("2006-01-02", _DAY_PARTS)
LOCAL: Final = Layout("2006-01-02T15:04:05", (*_MINUTE_PARTS, _SECOND))
RFC3339: Final = Layout("2006-01-02T15:04:05Z07:00", (*_MINUTE_PARTS, _SECOND, _ZONE))
MICRO: Final = Layout(
    "2006-01-02T15:04:05.000000Z07:00",
    (*_MINUTE_PARTS, ("05", re.compile("[0-9]{2}")), (".000000", re.compile(r"[.,][0-9]{6}")), _ZONE),
)
_LIMITS: Final = {"01": (1, 12, "month"), "15": (0, 23, "hour"), "04": (0, 59, "minute"), "05": (0, 59, "second")}
_ZONE_HOURS_MAX, _ZONE_MINUTES_MAX = 24, 60


class TimeError(ValueError):
    """The text is no time; the message is Go's."""


def quote(text: str) -> str:
    """As Go's time package quotes: what is not ASCII byte by byte."""
    shown = "".join(f"\\{char}" if char in '"\\' else char if " " <= char < "\x80" else _hex(char) for char in text)
    return f'"{shown}"'


def _hex(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))


def read(text: str, layout: Layout) -> dict[str, str]:
    """What stands for each part of the layout. Raises TimeError."""
    rest = text
    values: dict[str, str] = {}
    for part, pattern in layout.parts:
        match = pattern.match(rest)
        if match is None:
            told = f"parsing time {quote(text)} as {quote(layout.text)}"
            raise TimeError(f"{told}: cannot parse {quote(rest)} as {quote(part)}")
        values[part] = match[0]
        rest = rest[match.end() :]
        if name := _out_of_range(part, match[0]):
            raise TimeError(f"parsing time {quote(text)}: {name} out of range")
    if rest:
        raise TimeError(f"parsing time {quote(text)}: extra text: {quote(rest)}")
    try:
        # Go has a year 0, which is a leap year; Python's calendar begins with 1.
        datetime.date(int(values["2006"]) or 4, int(values["01"]), int(values["02"]))
    except ValueError:
        raise TimeError(f"parsing time {quote(text)}: day out of range") from None
    return values


def _out_of_range(part: str, value: str) -> str:
    """What Go calls a number that is none of its part's; "" for others."""
    if part in _LIMITS:
        least, most, name = _LIMITS[part]
        return "" if least <= int(value[:2]) <= most else name
    if part == "Z07:00" and value != "Z":
        if int(value[4:]) > _ZONE_MINUTES_MAX:
            return "time zone offset minute"
        if int(value[1:3]) > _ZONE_HOURS_MAX:
            return "time zone offset hour"
    return ""
