"""Integers from digits of any number: Python refuses to read more than some thousand digits, and would be slow at it.

Nobody here keeps integers of more than 64 bits; all that is asked of larger ones is that they are too large.
"""

from __future__ import annotations

from typing import Final

_DIGITS_MAX: Final = 40


def read_int(text: str) -> int:
    """What int() reads of decimal digits, with a sign or without; beyond 40 digits any integer of that sign that is
    too large for everything."""
    if len(text) <= _DIGITS_MAX:
        return int(text)
    sign = text[0] if text[0] in "+-" else ""
    digits = text[len(sign) :].lstrip("0")
    return int(sign + ((digits or "0") if len(digits) <= _DIGITS_MAX else "9" * _DIGITS_MAX))
