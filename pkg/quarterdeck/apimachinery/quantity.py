"""resource.Quantity: exact decimal amounts with a suffix, and the one canonical text that each has.

What is finer than a nano is rounded away from zero. The canonical form has no fraction, the largest suffix that
allows this, and the family of suffixes (1024 or 1000 based, or an exponent) that the text had. Like upstream, a text
that is taken for canonical by its digits is kept as it is: `1.001` and `+1` stay.

Source: apimachinery/pkg/api/resource/{quantity,suffix,amount,scale_int}.go.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Final

DECIMAL_EXPONENT: Final = "DecimalExponent"
BINARY_SI: Final = "BinarySI"
DECIMAL_SI: Final = "DecimalSI"

_DECIMAL_SUFFIXES: Final = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_BINARY_SUFFIXES: Final = {0: "", 1: "Ki", 2: "Mi", 3: "Gi", 4: "Ti", 5: "Pi", 6: "Ei"}
_DECIMAL_EXPONENTS: Final = {suffix: exponent for exponent, suffix in _DECIMAL_SUFFIXES.items()}
_BINARY_EXPONENTS: Final = {suffix: power for power, suffix in _BINARY_SUFFIXES.items() if suffix}

_NANO: Final = Fraction(1, 10**9)
_INTEGER_MAX: Final = 2**63 - 1
_MAX: Final = Fraction(_INTEGER_MAX)
_FAST_DIGITS_MAX: Final = 18
_EXPONENT_MAX: Final = 2000
_TEXT_CHARS_MAX: Final = 1024  # no such number has a use; work grows with the length

FORMAT_ERROR: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
SUFFIX_ERROR: Final = "unable to parse quantity's suffix"

_parts = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)\Z", re.DOTALL).match
_exponent = re.compile(r"[eE]([+-]?[0-9]+)\Z").match
_suffix_shape = re.compile(r"[eEinumkKMGTP]*[-+]?[0-9]*\Z").match


class ParseError(ValueError):
    """Upstream's text."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """`value` is exact; `format` is the family of suffixes; `text` the form it had, where that is kept."""

    value: Fraction
    format: str = DECIMAL_SI
    text: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.value == other.value

    def __lt__(self, other: Quantity) -> bool:
        return self.value < other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __str__(self) -> str:
        """The canonical form (upstream: CanonicalizeBytes)."""
        if self.text or not self.value:
            return self.text or "0"
        if self.format == BINARY_SI and abs(self.value) >= 1024 and self.value.denominator == 1:
            return _binary_form(int(self.value))
        # Upstream falls back from 1024 to 1000 where the amount is small or has a fraction.
        return _decimal_form(self.value, is_exponent=self.format == DECIMAL_EXPONENT)

    def whole(self) -> int:
        """The amount as an integer of 64 bits (upstream: Value)."""
        return _fit(self.value)

    def milli(self) -> int:
        """Thousandths as an integer of 64 bits (upstream: MilliValue)."""
        return _fit(self.value * 1000)

    def add(self, other: Quantity) -> Quantity:
        """The sum, in the family of this one; of the other where this one is zero."""
        return Quantity(self.value + other.value, self.format if self.value else other.format)

    def sub(self, other: Quantity) -> Quantity:
        return Quantity(self.value - other.value, self.format if self.value else other.format)


def _fit(amount: Fraction) -> int:
    """Rounded away from zero; 0 where 64 bits do not hold it, as upstream has it of up to 18 digits."""
    whole = -(-abs(amount.numerator) // amount.denominator)
    signed = whole if amount > 0 else -whole
    return signed if -(2**63) <= signed <= _INTEGER_MAX else 0


def _binary_form(number: int) -> str:
    power = 0
    while power < 6 and number % 1024 == 0:
        number //= 1024
        power += 1
    return f"{number}{_BINARY_SUFFIXES[power]}"


def _decimal_form(value: Fraction, *, is_exponent: bool) -> str:
    scaled = value / _NANO
    mantissa, exponent = int(scaled), -9
    while mantissa % 1000 == 0:
        mantissa //= 1000
        exponent += 3
    if is_exponent or exponent not in _DECIMAL_SUFFIXES:
        return f"{mantissa}e{exponent}" if exponent else str(mantissa)
    return f"{mantissa}{_DECIMAL_SUFFIXES[exponent]}"


def parse(text: str) -> Quantity:
    """Raises ParseError. Digits may be missing: `m` is 0."""
    match = _parts(text)
    if not text or match is None or len(text) > _TEXT_CHARS_MAX or not _suffix_shape(match[4]):
        raise ParseError(FORMAT_ERROR)
    whole, fraction, suffix = match[2].lstrip("0") or "0", match[3] or "", match[4]
    factor, family, exponent = _parse_suffix(suffix)
    digits = whole + fraction
    value = _round_up_to_nano(Fraction(int(digits), 10 ** len(fraction)) * factor)
    is_kept = _looks_canonical(digits, len(fraction), family, exponent)
    if family == BINARY_SI:
        value = min(value, _MAX)
        family = family if value >= 1 else DECIMAL_SI
    return Quantity(-value if match[1] == "-" else value, family, text if is_kept else "")


def _looks_canonical(digits: str, fraction_digits: int, family: str, exponent: int) -> bool:
    """Upstream's test whether a text can be kept: cheap, and not quite right."""
    if family == BINARY_SI:
        precision = 15 - len(digits) - exponent * 3 // 10 - 1
        return precision >= 0 and not fraction_digits and int(digits) & 7 != 0
    scale = exponent - fraction_digits
    if len(digits) > _FAST_DIGITS_MAX or scale < -9 or scale % 3:
        return False
    return not digits.endswith("000") and digits[0] != "0"


def _parse_suffix(suffix: str) -> tuple[Fraction, str, int]:
    """(factor, family, exponent of 10 or 2)."""
    if suffix in _DECIMAL_EXPONENTS:
        exponent = _DECIMAL_EXPONENTS[suffix]
        return Fraction(10) ** exponent, DECIMAL_SI, exponent
    if suffix in _BINARY_EXPONENTS:
        power = _BINARY_EXPONENTS[suffix]
        return Fraction(1024) ** power, BINARY_SI, power * 10
    match = _exponent(suffix)
    if match is None or len(match[1]) > 19:
        raise ParseError(SUFFIX_ERROR)
    # Beyond these bounds every amount is nothing or more than there is.
    exponent = max(min(int(match[1]), _EXPONENT_MAX), -_EXPONENT_MAX)
    return Fraction(10) ** exponent, DECIMAL_EXPONENT, exponent


def _round_up_to_nano(value: Fraction) -> Fraction:
    scaled = value / _NANO
    return -(-scaled.numerator // scaled.denominator) * _NANO


def whole_of(text: str) -> int:
    """`Quantity.whole` where a refusal shows the number. Of more than 18 digits, what 64 bits do not hold is told by
    the lowest bits of what upstream counts in, which hangs on how the amount is written. Raises ParseError."""
    amount, match = parse(text), _parts(text)
    assert match is not None
    _, family, exponent = _parse_suffix(match[4])
    fraction = match[3] or ""
    digits = (match[2].lstrip("0") or "0") + fraction
    scale = exponent - len(fraction)
    if family == BINARY_SI:
        is_small = not fraction and 15 - len(digits) - exponent * 3 // 10 - 1 >= 0
    else:
        is_small = len(digits) <= _FAST_DIGITS_MAX and scale >= -9
    if is_small:
        return amount.whole()
    if family == BINARY_SI and abs(amount.value) == _MAX:
        return int(amount.value)
    nanos = int(amount.value / _NANO)
    if nanos >= _MAX:
        found, rest = divmod(nanos, 10**9)
        return _low_bits(found) + (rest != 0)
    low = _low_bits(abs(nanos)) * (1 if nanos >= 0 else -1)
    found, rest = divmod(abs(low), 10**9)
    return (found if low >= 0 else -found) + (rest != 0)


def _low_bits(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def compare(left: str, right: str) -> int:
    """-1, 0 or 1. Raises ParseError."""
    a, b = parse(left), parse(right)
    return (a > b) - (a < b)
