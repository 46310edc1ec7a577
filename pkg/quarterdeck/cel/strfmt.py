"""Times, durations and base64 as Go reads and prints them.

Sources: Go's time package (ParseDuration, RFC3339), kube-openapi's strfmt (which also knows `1 day`), and cel-go's
conversions between strings and these types.
"""

from __future__ import annotations

import base64
import re
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from quarterdeck.apimachinery import gobase64, layouts
from quarterdeck.cel.digits import read_int
from quarterdeck.cel.values import CelErr, Duration, Timestamp

_INT64_MAX: Final = (1 << 63) - 1
SECOND: Final = 1_000_000_000
# What timestamps of CEL are between.
SECONDS_MIN: Final = -62135596800
SECONDS_MAX: Final = 253402300799
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_CYCLE_DAYS: Final = 146_097  # of 400 years

_RFC3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_UNITS: Final = {
    "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND,
}  # fmt: skip
_PART = re.compile(r"(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_WORDED = re.compile(r"(\d+)\s*([A-Za-zµ]+)", re.ASCII)
# Each unit's spellings; a longer word may begin with the last one (`minutes`, `days`).
_WORDS: Final = (
    (("ns", "nano"), 1),
    (("us", "µs", "micro"), 1_000),
    (("ms", "milli"), 1_000_000),
    (("s", "sec"), SECOND),
    (("m", "min"), 60 * SECOND),
    (("h", "hr", "hour"), 3600 * SECOND),
    (("d", "day"), 86400 * SECOND),
    (("w", "wk", "week"), 7 * 86400 * SECOND),
)


def _days_of(year: int, month: int, day: int) -> int:
    """Days since 1970. Go knows a year 0, which has as many days as any that 400 divides."""
    return date(year or 400, month, day).toordinal() - _EPOCH_DAY - (0 if year else _CYCLE_DAYS)


def parse_rfc3339(text: str) -> Timestamp | None:
    found = _RFC3339.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, sign, zone_hour, zone_minute = found.groups()
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59:
        return None
    offset = 0
    if sign:
        if int(zone_hour) > 24 or int(zone_minute) > 60:  # Go's bounds
            return None
        offset = (int(zone_hour) * 3600 + int(zone_minute) * 60) * (-1 if sign == "-" else 1)
    try:
        days = _days_of(int(year), int(month), int(day))
    except ValueError:
        return None
    seconds = days * 86400 + int(hour) * 3600 + int(minute) * 60 + int(second) - offset
    return Timestamp(seconds, int((fraction or "0").ljust(9, "0")[:9]), offset)


def parse_duration(text: str) -> int | None:
    """Nanoseconds of `1h2m3.5s`, or None."""
    negative = text.startswith("-")
    body = text[1:] if text[:1] in ("-", "+") else text
    if body == "0":
        return 0
    if not body:
        return None
    total = 0
    at = 0
    while at < len(body):
        part = _PART.match(body, at)
        if part is None or not (part.group(1) or part.group(2)):
            return None
        unit = _UNITS[part.group(3)]
        total += read_int(part.group(1) or "0") * unit
        if fraction := part.group(2):
            total += int(Decimal(f"0.{fraction}") * unit)
        at = part.end()
    if negative:
        total = -total
    return total if -_INT64_MAX - 1 <= total <= _INT64_MAX else None


def parse_worded_duration(text: str) -> int | None:
    """The same, and spelled units (`1 day`, `3 weeks`), as `format: duration` allows."""
    ns = parse_duration(text)
    if ns is not None:
        return ns
    total = 0
    known = False
    for factor, word in _WORDED.findall(text):
        unit = word.lower()
        for spellings, size in _WORDS:
            for spelling in spellings:
                if unit == spelling or (spelling is spellings[-1] and unit.startswith(spelling)):
                    known = True
                    total += read_int(factor) * size
    return total if known and abs(total) <= _INT64_MAX else None


# --- what Readers of formatted strings call


def read_duration(text: str) -> Duration | CelErr:
    ns = parse_worded_duration(text)
    if ns is None:
        return CelErr(f"Invalid duration {text}: unable to parse {text} as duration")
    return Duration(ns)


def read_date(text: str) -> Timestamp | CelErr:
    found = _DATE.fullmatch(text)
    if found is not None:
        try:
            return Timestamp(_days_of(*map(int, found.groups())) * 86400)
        except ValueError:
            pass
    return CelErr(f"Invalid date formatted string {text}: {_fault(text, layouts.DAY)}")


def read_datetime(text: str) -> Timestamp | CelErr:
    """The layouts of strfmt end with one without a zone, whose error is told."""
    if not text:
        return Timestamp(0)
    found = parse_rfc3339(text)
    if found is not None:
        return found
    fault = _fault(text, layouts.LOCAL)
    if fault:
        return CelErr(f"Invalid date-time formatted string {text}: {fault}")
    in_utc = parse_rfc3339(f"{text}Z")
    assert in_utc is not None
    return in_utc


def _fault(text: str, layout: layouts.Layout) -> str:
    try:
        layouts.read(text, layout)
    except layouts.TimeError as error:
        return str(error)
    return ""


def read_bytes(text: str) -> bytes | CelErr:
    """The alphabet is that of URLs, though the format's check takes the other one."""
    if fault := gobase64.fault(text, gobase64.URL):
        return CelErr(f"Invalid byte formatted string {text}: {fault}")
    return base64.urlsafe_b64decode(text)


# --- printing


def show_duration(ns: int) -> str:
    """Seconds, as cel-go prints a duration: `5400s`, `0.1s`."""
    seconds = abs(ns) // SECOND + (abs(ns) % SECOND) / 1e9
    text = format(Decimal(repr(seconds)), "f").removesuffix(".0")
    return f"{'-' if ns < 0 else ''}{text}s"


class Day(NamedTuple):
    """A day of any year: zones move times across the years that Python's dates end at, and Go's dates do not end."""

    year: int
    month: int
    day: int
    of_year: int  # from 0
    of_week: int  # from 0, Sunday


def civil(ts: Timestamp, offset_s: int) -> tuple[Day, int]:
    """The day and the second of the day in a zone."""
    days, second = divmod(ts.seconds + offset_s, 86400)
    # The calendar repeats every 400 years: the day is looked up in the cycle of the years 401 to 800.
    cycles, day_of_cycle = divmod(days + _EPOCH_DAY - 1, _CYCLE_DAYS)
    found = date.fromordinal(_CYCLE_DAYS + 1 + day_of_cycle)
    of_year = found.toordinal() - date(found.year, 1, 1).toordinal()
    return Day(found.year + 400 * (cycles - 1), found.month, found.day, of_year, found.isoweekday() % 7), second


def whole_by_float(ns: int, unit: int) -> int:
    """The whole of Go's Duration.Hours() and the like, which are rounded to a float64."""
    whole, rest = divmod(abs(ns), unit)
    units = int(whole + rest / unit)
    return -units if ns < 0 else units


def show_timestamp(ts: Timestamp) -> str:
    """RFC 3339 in the zone it was written in, nanoseconds without trailing zeros."""
    day, second = civil(ts, ts.offset_s)
    fraction = f".{ts.nanos:09d}".rstrip("0") if ts.nanos else ""
    zone = "Z"
    if ts.offset_s:
        minutes = abs(ts.offset_s) // 60
        zone = f"{'-' if ts.offset_s < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
    hour, rest = divmod(second, 3600)
    year = f"{day.year:04d}" if day.year >= 0 else f"-{-day.year:04d}"
    return f"{year}-{day.month:02d}-{day.day:02d}T{hour:02d}:{rest // 60:02d}:{rest % 60:02d}{fraction}{zone}"
