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
_EXPONENT_DIGITS_MAX: Final = 19
_DIGITS_MAX: Final = 4000
_AT_ONCE: Final = frozenset({1, 2, 3, 6, 9})  # powers of 10 by which upstream multiplies in one step
_TEXT_CHARS_MAX: Final = 1024  # no such number has a use; work grows with the length

FORMAT_ERROR: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
SUFFIX_ERROR: Final = "unable to parse quantity's suffix"
_NUMERIC_ERROR: Final = "unable to parse numeric part of quantity"

_parts = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)\Z", re.DOTALL).match
_exponent = re.compile(r"[eE]([+-]?)([0-9]+)\Z").match
_suffix_shape = re.compile(r"[eEinumkKMGTP]*[-+]?[0-9]*\Z").match


class ParseError(ValueError):
    """Upstream's text."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """`value` is exact; `format` is the family of suffixes; `text` the form it had, where that is kept.

    Upstream counts it in units of 10^`scale`: in 64 bits (int64Amount), or in a number of any size where `is_wide`
    (inf.Dec). That shows where 64 bits do not hold what is asked for.
    """

    value: Fraction
    format: str = DECIMAL_SI
    text: str = ""
    scale: int = 0
    is_wide: bool = False

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
        return self._scaled(0)

    def milli(self) -> int:
        """Thousandths as an integer of 64 bits (upstream: MilliValue)."""
        return self._scaled(3)

    def units(self) -> int:
        """How many times 10^`scale` it is."""
        return _units(self.value, self.scale)

    def integer(self) -> int | None:
        """The amount, where upstream takes it for an integer of 64 bits (AsInt64)."""
        if self.is_wide or self.scale < 0 or not _fits(int(self.value)):
            return None
        return int(self.value)

    def _scaled(self, digits: int) -> int:
        return (_scaled_wide if self.is_wide else _scaled_narrow)(self.units(), self.scale + digits)

    def add(self, other: Quantity) -> Quantity:
        """The sum, in the family of this one; of the other where this one is zero."""
        return self._plus(other, other.value)

    def sub(self, other: Quantity) -> Quantity:
        return self._plus(other, -other.value)

    def _plus(self, other: Quantity, amount: Fraction) -> Quantity:
        family, total = self.format if self.value else other.format, self.value + amount
        scale = min(self.scale, other.scale)
        if not (self.is_wide or other.is_wide):
            if not amount or not self.value:
                return Quantity(total, family, scale=other.scale if amount else self.scale)
            if all(_fits(_units(each, scale)) for each in (self.value, amount, total)):
                return Quantity(total, family, scale=scale)
        return Quantity(total, family, scale=scale, is_wide=True)


def _scaled_narrow(unscaled: int, shift: int) -> int:
    """Upstream: AsScaledInt64. Rounded away from zero. What 64 bits do not hold keeps its lowest bits where upstream
    multiplies at once, and is 0 where it does so digit by digit."""
    if shift < 0:
        whole = -(-abs(unscaled) // _power(-shift))
        return whole if unscaled > 0 else -whole
    product = unscaled * _power(shift)
    return product if _fits(product) else _low_bits(product) if shift in _AT_ONCE else 0


def _scaled_wide(unscaled: int, shift: int) -> int:
    """Upstream: scaledValue. Rounded up; where the number or what comes of it is more than 64 bits hold, the lowest
    bits."""
    low = _low_bits(unscaled)
    if shift >= 0:
        return _low_bits(low * _power(shift))
    if unscaled < _INTEGER_MAX and -shift <= _FAST_DIGITS_MAX:
        found, rest = divmod(abs(low), _power(-shift))
        return (found if low >= 0 else -found) + (rest != 0)
    found, rest = divmod(unscaled, _power(-shift))
    return _low_bits(found) + (rest != 0)


def _units(amount: Fraction, scale: int) -> int:
    """How many times 10^`scale` it is, which it is a multiple of."""
    return int(amount / Fraction(10) ** scale)


def _power(exponent: int) -> int:
    """10^`exponent`, which is not negative."""
    return int(10**exponent)


def _fits(number: int) -> bool:
    return -(2**63) <= number <= _INTEGER_MAX


def _low_bits(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def _binary_form(number: int) -> str:
    power = 0
    while number % 1024 == 0:
        number //= 1024
        power += 1
    return f"{number}{_BINARY_SUFFIXES.get(power, '')}"


def _decimal_form(value: Fraction, *, is_exponent: bool) -> str:
    """An exponent that has no suffix is left out, as upstream does."""
    mantissa, exponent = _units(value, -9), -9
    while mantissa % 1000 == 0:
        mantissa //= 1000
        exponent += 3
    if is_exponent:
        return f"{mantissa}e{exponent}" if exponent else str(mantissa)
    return f"{mantissa}{_DECIMAL_SUFFIXES.get(exponent, '')}"


def parse(text: str) -> Quantity:
    """Raises ParseError. Digits may be missing where upstream does not miss them: `m` is 0."""
    if len(text) > _TEXT_CHARS_MAX:
        raise ParseError(FORMAT_ERROR)
    return read(text)


def read(text: str) -> Quantity:
    """As `parse`, of a text of any length: of very many digits the last ones only tell which way to round."""
    match = _parts(text)
    if not text or match is None or not _suffix_shape(match[4]):
        raise ParseError(FORMAT_ERROR)
    whole, fraction, suffix = match[2].lstrip("0") or "0", match[3] or "", match[4]
    factor, family, exponent = _parse_suffix(suffix)
    digits, sign = whole + fraction, -1 if match[1] == "-" else 1
    value = _read_digits(digits, len(fraction)) * factor
    if _is_narrow(digits, len(fraction), family, exponent):
        kept = text if _looks_canonical(digits, len(fraction), family, exponent) else ""
        if not kept and abs(exponent) > _EXPONENT_MAX:
            kept = match[1].strip("+") + _far_form(int(digits), exponent - len(fraction))
        scale = 0 if family == BINARY_SI else exponent - len(fraction)
        return Quantity(sign * value, family, kept, scale)
    if not match[2] and not fraction:
        raise ParseError(_NUMERIC_ERROR)
    if not value:  # which upstream does not round
        return Quantity(value, family, scale=(0 if family == BINARY_SI else exponent) - len(fraction), is_wide=True)
    value, scale = _round_up_to_nano(value), -9
    if family == BINARY_SI:
        value, scale = (_MAX, 0) if value > _MAX else (value, scale)
        family = family if value >= 1 else DECIMAL_SI
    return Quantity(sign * value, family, "", scale, is_wide=True)


def _read_digits(digits: str, fraction_digits: int) -> Fraction:
    dropped = max(0, len(digits) - _DIGITS_MAX)
    number = int(digits[:_DIGITS_MAX]) + bool(digits[_DIGITS_MAX:].strip("0"))
    return Fraction(number) * Fraction(10) ** (dropped - fraction_digits)


def _far_form(number: int, exponent: int) -> str:
    """The canonical form of an amount whose exponent is too large for it to be kept as it is."""
    while number and number % 10 == 0:
        number, exponent = number // 10, exponent + 1
    return f"{number * 10 ** (exponent % 3)}e{exponent - exponent % 3}" if number else "0"


def _is_narrow(digits: str, fraction_digits: int, family: str, exponent: int) -> bool:
    """Whether upstream counts it in 64 bits."""
    if family == BINARY_SI:
        whole_digits = len(digits) - fraction_digits
        return not fraction_digits and 15 - whole_digits - exponent * 3 // 10 - 1 >= 0
    return len(digits) <= _FAST_DIGITS_MAX and exponent - fraction_digits >= -9


def _looks_canonical(digits: str, fraction_digits: int, family: str, exponent: int) -> bool:
    """Upstream's test whether a text can be kept: cheap, and not quite right."""
    if family == BINARY_SI:
        return int(digits) & 7 != 0
    return (exponent - fraction_digits) % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _parse_suffix(suffix: str) -> tuple[Fraction, str, int]:
    """(factor, family, exponent of 10 or 2)."""
    if suffix in _DECIMAL_EXPONENTS:
        exponent = _DECIMAL_EXPONENTS[suffix]
        return Fraction(10) ** exponent, DECIMAL_SI, exponent
    if suffix in _BINARY_EXPONENTS:
        power = _BINARY_EXPONENTS[suffix]
        return Fraction(1024) ** power, BINARY_SI, power * 10
    match = _exponent(suffix)
    if match is None or len(match[2].lstrip("0")) > _EXPONENT_DIGITS_MAX or not _fits(int(match[1] + match[2][-20:])):
        raise ParseError(SUFFIX_ERROR)
    exponent = (int(match[1] + match[2][-20:]) + 2**31) % 2**32 - 2**31  # upstream takes its lowest 32 bits
    # Beyond these bounds every amount is nothing or more than there is.
    return Fraction(10) ** max(min(exponent, _EXPONENT_MAX), -_EXPONENT_MAX), DECIMAL_EXPONENT, exponent


def _round_up_to_nano(value: Fraction) -> Fraction:
    scaled = value / _NANO
    return -(-scaled.numerator // scaled.denominator) * _NANO


def compare(left: str, right: str) -> int:
    """-1, 0 or 1. Raises ParseError."""
    a, b = parse(left), parse(right)
    return (a > b) - (a < b)
