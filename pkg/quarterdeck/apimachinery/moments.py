"""Moments of any year, in whole seconds since 1970. Go's times have years before 1 and beyond 9999, which Python's have
not: those that a client sends with an offset may fall there, and a protobuf message holds any.

The calendar repeats itself every 400 years. Source: Go's time package.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

_CYCLE_YEARS: Final = 400
_CYCLE_S: Final = 146_097 * 86_400
_BASE: Final = datetime(2000, 1, 1, tzinfo=UTC)
_BASE_S: Final = int(_BASE.timestamp())
_STORED: Final = re.compile(r"(-?[0-9]{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{6}))?Z", re.ASCII)


def of(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int:
    """Of a moment in UTC. Raises ValueError where the calendar has none."""
    cycles, rest = divmod(year, _CYCLE_YEARS)
    moment = datetime(_BASE.year + rest, month, day, hour, minute, second, tzinfo=UTC)
    return int((moment - _BASE).total_seconds()) + _BASE_S + (cycles - _BASE.year // _CYCLE_YEARS) * _CYCLE_S


def show(seconds: int) -> str:
    """As Go writes it by the layout 2006-01-02T15:04:05, in UTC."""
    cycles, rest = divmod(seconds - _BASE_S, _CYCLE_S)
    moment = _BASE + timedelta(seconds=rest)
    year = moment.year + cycles * _CYCLE_YEARS
    return f"{'-' if year < 0 else ''}{abs(year):04d}{moment:-%m-%dT%H:%M:%S}"


def read(text: str) -> tuple[int, int] | None:
    """Seconds, and microseconds beside them, of what `show` wrote, which has a Z, and may have a fraction."""
    found = _STORED.fullmatch(text)
    if found is None:
        return None
    try:
        return of(*map(int, found.groups()[:6])), int(found[7] or 0)
    except ValueError:
        return None
