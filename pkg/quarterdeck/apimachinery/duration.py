"""Durations as Go writes them: "300ms", "1h45m", "-1.5s". Source: Go's time.ParseDuration, whose errors these are."""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import gofmt

UNITS_NS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_INT64_MAX: Final = 2**63 - 1
# A number, then all that is neither of the next number.
_match_part = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^0-9.]*)").match


def parse_ns(text: str) -> int:
    """Raises ValueError with Go's text."""
    negative = text.startswith("-")
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0
    if not rest:
        raise _invalid(text)
    total = at = 0
    while at < len(rest):
        part = _match_part(rest, at)
        assert part is not None
        whole, fraction, unit = part[1], part[2] or "", part[3]
        if not (whole or fraction) or len(whole.lstrip("0")) > 19:
            raise _invalid(text)
        if not unit:
            raise ValueError(f"time: missing unit in duration {gofmt.quote(text)}")
        if unit not in UNITS_NS:
            raise ValueError(f"time: unknown unit {gofmt.quote(unit)} in duration {gofmt.quote(text)}")
        scale = UNITS_NS[unit]
        total += int(whole or "0") * scale + (int(float(f"0.{fraction}") * scale) if fraction else 0)
        if total > _INT64_MAX + negative:
            raise _invalid(text)
        at = part.end()
    return -total if negative else total


def _invalid(text: str) -> ValueError:
    return ValueError(f"time: invalid duration {gofmt.quote(text)}")


def format_ns(ns: int) -> str:
    """As Go's Duration.String: "1m30s", "300ms", "0s"."""
    if not ns:
        return "0s"
    sign, rest = ("-", -ns) if ns < 0 else ("", ns)
    for unit in ("ns", "µs", "ms"):
        if rest < 1000 * UNITS_NS[unit]:
            return f"{sign}{_format_part(rest, unit)}"
    hours, rest = divmod(rest, UNITS_NS["h"])
    minutes, rest = divmod(rest, UNITS_NS["m"])
    text = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{sign}{text}{_format_part(rest, 's')}"


def _format_part(ns: int, unit: str) -> str:
    whole, fraction = divmod(ns, UNITS_NS[unit])
    digits = f"{fraction:0{len(str(UNITS_NS[unit])) - 1}d}".rstrip("0") if fraction else ""
    return f"{whole}.{digits}{unit}" if digits else f"{whole}{unit}"
