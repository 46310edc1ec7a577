"""Numbers or percentages of pods that are replaced at the same time.

Source: pkg/apis/apps/validation/validation.go (ValidatePositiveIntOrPercent, IsNotMoreThan100Percent).
"""

from __future__ import annotations

import re

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks

_percent = re.compile(r"([0-9]+)%\Z", re.ASCII).match
_number = re.compile(r"[+-]?[0-9]+\Z", re.ASCII).match


def count_or_percent(path: str, value: int | str) -> list[FieldError]:
    if isinstance(value, int):
        return checks.not_negative(path, value)
    if _percent(value):
        return []
    text = "a valid percent string must be a numeric string followed by an ending '%'"
    return [field.invalid(path, field.named(value), names.regex_text(text, "[0-9]+%", "1%", "93%"))]


def not_more_than_all(path: str, value: int | str) -> list[FieldError]:
    if isinstance(value, str) and _percent(value) and amount(value) > 100:
        return [field.invalid(path, value, "must not be greater than 100%")]
    return []


def amount(value: int | str) -> int:
    """What counts of a number or a percentage."""
    if isinstance(value, int):
        return value
    if match := _percent(value):
        return _read(match[1])
    return _read(value) if _number(value) else 0


def _read(text: str) -> int:
    """Of more digits than any number of 64 bits has, the first ones, which are more than anything asked for."""
    digits = int(text.lstrip("+-").lstrip("0")[:20] or 0)
    return -digits if text[0] == "-" else digits
