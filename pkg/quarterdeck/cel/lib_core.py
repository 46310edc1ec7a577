"""Standard functions that are no operators: conversions and parts of times.

Each takes CEL values and gives one, or a CelErr. Source: cel-go's common/types and common/stdlib.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from datetime import UTC
from typing import Any, Final

from quarterdeck._kernels import celvalue
from quarterdeck.apimachinery import gofmt, timezones
from quarterdeck.cel import strfmt
from quarterdeck.cel.digits import read_int
from quarterdeck.cel.values import CelErr, Duration, Timestamp, UInt

_INT_MIN: Final = -(1 << 63)
_INT_MAX: Final = (1 << 63) - 1
_UINT_MAX: Final = (1 << 64) - 1
_INT_OVERFLOW: Final = CelErr("integer overflow")
_UINT_OVERFLOW: Final = CelErr("unsigned integer overflow")


def _conversion_error(value: object, wanted: str) -> CelErr:
    """Texts, and integers as durations, have an overload that refuses them; other types that come here have none."""
    if type(value) is not str and not (type(value) is int and wanted.endswith("Duration")):
        return CelErr(f"no such overload: {wanted.rpartition('.')[2].lower()}({celvalue.cel_type_name(value)})")
    return CelErr(f"type conversion error from '{celvalue.cel_type_name(value)}' to '{wanted}'")


def _is_decimal(text: str, signed: bool) -> bool:
    digits = text[1:] if signed and text[:1] in ("-", "+") else text
    return digits.isascii() and digits.isdigit()


def to_int(value: Any) -> object:
    kind = type(value)
    if kind is int:
        return value
    if kind is str:
        if _is_decimal(value, signed=True) and _INT_MIN <= (number := read_int(value)) <= _INT_MAX:
            return number
    elif kind is float:
        # The bounds themselves do not survive the way through float64, so they are refused.
        return int(value) if -9223372036854775808.0 < value < 9223372036854775808.0 else _INT_OVERFLOW
    elif kind is UInt:
        return int(value) if value <= _INT_MAX else _INT_OVERFLOW
    elif kind is Timestamp:
        return value.seconds
    elif kind is Duration:
        return value.ns
    return _conversion_error(value, "int")


def to_uint(value: Any) -> object:
    kind = type(value)
    if kind is UInt:
        return value
    if kind is int:
        return UInt(value) if value >= 0 else _UINT_OVERFLOW
    if kind is float:
        return UInt(int(value)) if 0 <= value < 18446744073709551616.0 else _UINT_OVERFLOW
    if kind is str and _is_decimal(value, signed=False) and (number := read_int(value)) <= _UINT_MAX:
        return UInt(number)
    return _conversion_error(value, "uint")


# Underscores stand between digits, and behind the prefix of hexadecimal ones.
_misplaced: Final = re.compile(r"(?<![0-9a-fA-FxX])_|_(?![0-9a-fA-F])|[a-fA-F]_(?!.*[pP])").search


def _parse_float(text: str) -> float | None:
    """strconv.ParseFloat: no surrounding space, no digit grouping by position, range errors."""
    body = text[1:] if text[:1] in ("-", "+") else text
    if body.lower() in ("inf", "infinity"):
        return -math.inf if text[0] == "-" else math.inf
    if text.lower() == "nan":
        return math.nan
    if "_" in text and not _misplaced(text):
        text = text.replace("_", "")
    if not text.isascii() or "_" in text or text.strip() != text or body.lower() == "nan":
        return None
    try:
        number = float.fromhex(text) if "x" in body[:2].lower() and "p" in body.lower() else float(text)
    except (ValueError, OverflowError):
        return None
    return None if math.isinf(number) else number


def to_double(value: Any) -> object:
    kind = type(value)
    if kind is float:
        return value
    if kind is int or kind is UInt:
        return float(value)
    if kind is str and (number := _parse_float(value)) is not None:
        return number
    return _conversion_error(value, "double")


def to_bool(value: Any) -> object:
    if type(value) is bool:
        return value
    if type(value) is str:
        if value in ("1", "t", "T", "TRUE", "true", "True"):
            return True
        if value in ("0", "f", "F", "FALSE", "false", "False"):
            return False
    return _conversion_error(value, "bool")


def show_double(value: float) -> str:
    """A double as strconv.FormatFloat('g', -1) prints it: an exponent below 1e-4 and from 1e21."""
    return gofmt.format_float(value)


def to_string(value: Any) -> object:
    kind = type(value)
    if kind is str:
        return value
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is UInt:
        return str(value)
    if kind is float:
        return show_double(value)
    if kind is bytes:
        try:
            return value.decode()
        except UnicodeDecodeError:
            return CelErr("invalid UTF-8 in bytes, cannot convert to string")
    if kind is Timestamp:
        return strfmt.show_timestamp(value)
    if kind is Duration:
        return strfmt.show_duration(value.ns)
    shown = getattr(value, "cel_string", None)
    return shown if shown is not None else _conversion_error(value, "string")


def to_bytes(value: Any) -> object:
    if type(value) is bytes:
        return value
    if type(value) is str:
        return value.encode("utf-8", "surrogatepass")
    return _conversion_error(value, "bytes")


def to_timestamp(value: Any) -> object:
    kind = type(value)
    if kind is Timestamp:
        return value
    if kind is int:
        return Timestamp(value) if strfmt.SECONDS_MIN <= value <= strfmt.SECONDS_MAX else CelErr("timestamp overflow")
    if kind is str:
        found = strfmt.parse_rfc3339(value)
        if found is not None:
            return found if strfmt.SECONDS_MIN <= found.seconds <= strfmt.SECONDS_MAX else CelErr("timestamp overflow")
    return _conversion_error(value, "google.protobuf.Timestamp")


def to_duration(value: Any) -> object:
    kind = type(value)
    if kind is Duration:
        return value
    if kind is str and (ns := strfmt.parse_duration(value)) is not None:
        return Duration(ns)
    return _conversion_error(value, "google.protobuf.Duration")


def to_dyn(value: object) -> object:
    return value


# --- parts of times


def _zone_offset(ts: Timestamp, zone: str) -> int | CelErr:
    """Seconds east of UTC at `ts`, in a zone given by name or as `+01:30`."""
    if ":" in zone:
        hours, _, minutes = zone.partition(":")
        for part in (hours, minutes):
            if not _is_decimal(part, signed=True):
                return CelErr(f"strconv.Atoi: parsing {gofmt.quote(part)}: invalid syntax")
            if not _INT_MIN <= read_int(part) <= _INT_MAX:
                return CelErr(f"strconv.Atoi: parsing {gofmt.quote(part)}: value out of range")
        signed = -read_int(minutes) if zone[0] == "-" else read_int(minutes)
        # Go's integers wrap around.
        return ((read_int(hours) * 60 + signed) * 60 - _INT_MIN & _UINT_MAX) + _INT_MIN
    if zone in ("", "UTC"):
        return 0
    if zone == "Local":
        return time.localtime(ts.seconds).tm_gmtoff
    try:
        found = timezones.load(zone)
    except timezones.WrongZone as error:
        return CelErr(str(error))
    day, second = strfmt.civil(ts, 0)
    from datetime import datetime  # only rules that name zones pay for it

    # Beyond what datetime holds, zones are as they are in the nearest year that the calendar repeats in.
    year = day.year if 2 <= day.year <= 9998 else (2 if day.year < 2 else 9598) + (day.year - 2) % 400
    moment = datetime(year, day.month, day.day, second // 3600, second % 3600 // 60, second % 60, tzinfo=UTC)
    offset = moment.astimezone(found).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


def _time_part(read: Callable[[Any, int, int], int], of_duration: Callable[[int], int] | None) -> Callable[..., object]:
    def part(value: Any, zone: str | None = None) -> object:
        if type(value) is Duration:
            return of_duration(value.ns) if of_duration is not None else celvalue.no_such_overload
        offset = 0 if zone is None else _zone_offset(value, zone)
        if isinstance(offset, CelErr):
            return offset
        day, second = strfmt.civil(value, offset)
        return read(day, second, value.nanos)

    return part


def _toward_zero(ns: int, unit: int) -> int:
    return -(-ns // unit) if ns < 0 else ns // unit


TIME_PARTS: Final[dict[str, Callable[..., object]]] = {
    "getFullYear": _time_part(lambda d, s, n: d.year, None),
    "getMonth": _time_part(lambda d, s, n: d.month - 1, None),
    "getDayOfYear": _time_part(lambda d, s, n: d.of_year, None),
    "getDayOfMonth": _time_part(lambda d, s, n: d.day - 1, None),
    "getDate": _time_part(lambda d, s, n: d.day, None),
    "getDayOfWeek": _time_part(lambda d, s, n: d.of_week, None),
    "getHours": _time_part(lambda d, s, n: s // 3600, lambda ns: strfmt.whole_by_float(ns, 3600 * strfmt.SECOND)),
    "getMinutes": _time_part(lambda d, s, n: s % 3600 // 60, lambda ns: strfmt.whole_by_float(ns, 60 * strfmt.SECOND)),
    "getSeconds": _time_part(lambda d, s, n: s % 60, lambda ns: strfmt.whole_by_float(ns, strfmt.SECOND)),
    "getMilliseconds": _time_part(lambda d, s, n: n // 1_000_000, lambda ns: _toward_zero(ns, 1_000_000)),
}
