"""Where Go's decoder of base64 stops.

Source: encoding/base64 (decodeQuantum).
"""

from __future__ import annotations

import re
from typing import Final

STANDARD: Final = re.compile(rb"[^A-Za-z0-9+/\r\n]")
URL: Final = re.compile(rb"[^A-Za-z0-9_\-\r\n]")
QUANTUM: Final = 4  # characters, which stand for three bytes
_PADDED_MIN: Final = 2  # of them before the first "="


def fault(text: str, foreign: re.Pattern[bytes]) -> str:
    """Go's words about a text that is not base64 with padding; "" for what is. `foreign` finds what the alphabet does
    not have: STANDARD, URL."""
    position = _position_of_fault(text.encode("utf-8", "surrogatepass"), foreign)
    return "" if position is None else f"illegal base64 data at input byte {position}"


def _position_of_fault(data: bytes, foreign: re.Pattern[bytes]) -> int | None:
    """In bytes. The decoder counts characters of a quantum, and finds its end and no more than that after padding; line
    breaks count as nothing."""
    found = foreign.search(data)
    end = found.start() if found is not None else len(data)
    characters = end - data.count(b"\n", 0, end) - data.count(b"\r", 0, end)
    rest = characters % QUANTUM
    if found is None:
        return end - rest if rest else None
    if found[0] != b"=" or rest < _PADDED_MIN:
        return end
    after = _skip_breaks(data, end + 1)
    if rest == _PADDED_MIN:
        if after == len(data):
            return after
        if data[after : after + 1] != b"=":
            return after - 1
        after = _skip_breaks(data, after + 1)
    return after if after < len(data) else None


def _skip_breaks(data: bytes, at: int) -> int:
    return len(data) - len(data[at:].lstrip(b"\r\n"))
