"""Integers in decimal as Go's strconv reads them, with its words for what is none.

Python's int() would take more (underscores, spaces, other scripts' digits), and no more than some thousand digits.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import gofmt

_SYNTAX: Final = "invalid syntax"
_RANGE: Final = "value out of range"

_SIGNED: Final = re.compile(r"[+-]?[0-9]+", re.ASCII).fullmatch
_UNSIGNED: Final = re.compile(r"[0-9]+", re.ASCII).fullmatch


class NumError(ValueError):
    """`call` names Go's function and its argument, `reason` what is wrong with that."""

    def __init__(self, function: str, text: str, reason: str) -> None:
        self.call = f"strconv.{function}: parsing {gofmt.quote(text)}"
        self.reason = reason
        super().__init__(f"{self.call}: {reason}")


def parse_int(text: str, function: str = "ParseInt") -> int:
    """ParseInt(text, 10, 64), or Atoi where `function` says so. Raises NumError."""
    if not _SIGNED(text):
        raise NumError(function, text, _SYNTAX)
    value = _read(text.lstrip("+-"), 63)
    if text[0] == "-":
        value = -value
    if not -(2**63) <= value < 2**63:
        raise NumError(function, text, _RANGE)
    return value


def parse_uint(text: str, bits: int = 64) -> int:
    """ParseUint(text, 10, bits). Raises NumError."""
    if not _UNSIGNED(text):
        raise NumError("ParseUint", text, _SYNTAX)
    value = _read(text, bits)
    if value >= 2**bits:
        raise NumError("ParseUint", text, _RANGE)
    return value


def _read(digits: str, bits: int) -> int:
    """More than fits, where there are more digits than any number of so many bits has."""
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= 20 else 2 ** (bits + 1)
