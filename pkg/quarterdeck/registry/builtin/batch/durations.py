"""Durations as Go writes them: `1h2m3.5s`. Source: time.ParseDuration."""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import gofmt

_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_NS_MAX: Final = 2**63
_DIGITS_MAX: Final = 20

_part = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^.0-9]*)", re.ASCII).match


def find_problem(text: str) -> str:
    """What is wrong with the text, "" for nothing."""
    wrong = f"time: invalid duration {gofmt.quote(text)}"
    body = text[1:] if text[:1] in ("-", "+") else text
    if body == "0":
        return ""
    if not body:
        return wrong
    total, at = 0, 0
    while at < len(body):
        found = _part(body, at)
        assert found is not None  # it matches nothing too
        whole, fraction, unit = found[1], found[2] or "", found[3]
        if not whole and not fraction:
            return wrong
        if not unit:
            return f"time: missing unit in duration {gofmt.quote(text)}"
        if unit not in _UNITS:
            return f"time: unknown unit {gofmt.quote(unit)} in duration {gofmt.quote(text)}"
        if len(whole.lstrip("0")) > _DIGITS_MAX:
            return wrong
        total += int(whole or "0") * _UNITS[unit]
        if total > _NS_MAX - (body is text):
            return wrong
        at = found.end()
    return ""
