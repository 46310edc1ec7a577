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
from typing import Final, Self

DECIMAL_EXPONENT: Final = "DecimalExponent"
BINARY_SI: Final = "BinarySI"
DECIMAL_SI: Final = "DecimalSI"

_DECIMAL_SUFFIXES: Final = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_BINARY_SUFFIXES: Final = {0: "", 1: "Ki", 2: "Mi", 3: "Gi", 4: "Ti", 5: "Pi", 6: "Ei"}
_DECIMAL_EXPONENTS: Final = {suffix: exponent for exponent, suffix in _DECIMAL_SUFFIXES.items()}
_BINARY_EXPONENTS: Final = {suffix: power for power, suffix in _BINARY_SUFFIXES.items() if suffix}

MILLI: Final = -3  # of 10, as all scales
_NANO: Final = -9  # nothing is finer
_INTEGER_MAX: Final = 2**63 - 1
_FAST_DIGITS_MAX: Final = 18
_SCALE_MAX: Final = 6000  # beyond it an amount is nothing or more than there is
_EXPONENT_DIGITS_MAX: Final = 19
_DIGITS_MAX: Final = 4000
_AT_ONCE: Final = frozenset({1, 2, 3, 6, 9})  # powers of 10 by which upstream multiplies in one step
# Differs from upstream: it reads texts of any length.
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
@dataclass(slots=True, eq=False)
class Quantity:
    """`unscaled` times 10^`scale`, which nobody changes. `format` is the family of suffixes, `text` the form it had,
    where that is kept.

    Upstream has `unscaled` in 64 bits (int64Amount), or in a number of any size where it `is_wide` (inf.Dec). That
    shows where 64 bits do not hold what is asked for.
    """

    unscaled: int
    scale: int = 0
    format: str = DECIMAL_SI
    text: str = ""
    is_wide: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.compare_to(other) == 0

    def __lt__(self, other: Quantity) -> bool:
        return self.compare_to(other) < 0

    def __hash__(self) -> int:
        return hash(self.value)

    def __str__(self) -> str:
        """The canonical form (upstream: CanonicalizeBytes)."""
        if self.text or not self.unscaled:
            return self.text or "0"
        if self.format == BINARY_SI and (number := self._binary_number()):
            return _binary_form(number)
        # Upstream falls back from 1024 to 1000 where the amount is small or has a fraction.
        return _decimal_form(self.unscaled, self.scale, is_exponent=self.format == DECIMAL_EXPONENT)

    @property
    def value(self) -> Fraction:
        return Fraction(self.unscaled) * Fraction(10) ** self.scale

    def _binary_number(self) -> int:
        """The amount where 1024 based suffixes are for it, else 0."""
        number, rest = self.unscaled, 0
        if self.scale > 0:
            number *= 10**self.scale
        elif self.scale:
            number, rest = divmod(number, _power(-self.scale))
        return 0 if rest or -1024 < number < 1024 else number

    def is_finer(self, scale: int) -> bool:
        """Whether it is no multiple of 10^`scale`."""
        return self.scale < scale and self.unscaled % _power(scale - self.scale) != 0

    def round_up(self, scale: int) -> Quantity:
        """A multiple of 10^`scale`, which is not below its own, away from zero (upstream: RoundUp)."""
        number = -(-abs(self.unscaled) // _power(scale - self.scale))
        return Quantity(number if self.unscaled > 0 else -number, scale, self.format)

    def compare_to(self, other: Quantity) -> int:
        """-1, 0 or 1."""
        one, two, _ = _aligned(self, other)
        return (one > two) - (one < two)

    def whole(self) -> int:
        """The amount as an integer of 64 bits (upstream: Value)."""
        return self._scaled(0)

    def milli(self) -> int:
        """Thousandths as an integer of 64 bits (upstream: MilliValue)."""
        return self._scaled(3)

    def integer(self) -> int | None:
        """The amount, where upstream takes it for an integer of 64 bits (AsInt64)."""
        if self.is_wide or self.scale < 0:
            return None
        number = self.unscaled * _power(self.scale)
        return number if _fits(number) else None

    def _scaled(self, digits: int) -> int:
        return (_scaled_wide if self.is_wide else _scaled_narrow)(self.unscaled, self.scale + digits)

    def add(self, other: Quantity) -> Self:
        """The sum, in the family of this one; of the other where this one is zero."""
        return self._plus(other, 1)

    def sub(self, other: Quantity) -> Self:
        return self._plus(other, -1)

    def _plus(self, other: Quantity, sign: int) -> Self:
        family = self.format if self.unscaled else other.format
        if not (self.is_wide or other.is_wide):
            if not other.unscaled:
                return type(self)(self.unscaled, self.scale, family)
            if not self.unscaled:
                return type(self)(sign * other.unscaled, other.scale, family)
        one, two, scale = _aligned(self, other)
        two *= sign
        is_wide = self.is_wide or other.is_wide or not (_fits(one) and _fits(two) and _fits(one + two))
        return type(self)(one + two, scale, family, is_wide=is_wide)


def _aligned(one: Quantity, other: Quantity) -> tuple[int, int, int]:
    """Both unscaled, at the smaller of their scales."""
    if one.scale == other.scale:
        return one.unscaled, other.unscaled, one.scale
    if one.scale < other.scale:
        return one.unscaled, other.unscaled * _power(other.scale - one.scale), one.scale
    return one.unscaled * _power(one.scale - other.scale), other.unscaled, other.scale


def _scaled_narrow(unscaled: int, shift: int) -> int:
    """Upstream: AsScaledInt64. Rounded away from zero. What 64 bits do not hold keeps its lowest bits where upstream
    multiplies at once, and is 0 where it does so digit by digit."""
    if shift < 0:
        whole = -(-abs(unscaled) // _power(-shift))
        return whole if unscaled > 0 else -whole
    product = unscaled * _power(shift)
    return product if _fits(product) else low_bits(product) if shift in _AT_ONCE else 0


def _scaled_wide(unscaled: int, shift: int) -> int:
    """Upstream: scaledValue. Rounded up; where the number or what comes of it is more than 64 bits hold, the lowest
    bits."""
    low = low_bits(unscaled)
    if shift >= 0:
        return low_bits(low * _power(shift))
    if unscaled < _INTEGER_MAX and -shift <= _FAST_DIGITS_MAX:
        found, rest = divmod(abs(low), _power(-shift))
        return (found if low >= 0 else -found) + (rest != 0)
    found, rest = divmod(unscaled, _power(-shift))
    return low_bits(found) + (rest != 0)


def _power(exponent: int) -> int:
    """10^`exponent`, which is not negative."""
    return int(10**exponent)


def _fits(number: int) -> bool:
    return -(2**63) <= number <= _INTEGER_MAX


def low_bits(number: int) -> int:
    """What 64 bits keep of a number that they do not hold."""
    return (number + 2**63) % 2**64 - 2**63


def _binary_form(number: int) -> str:
    power = 0
    while number % 1024 == 0:
        number //= 1024
        power += 1
    return f"{number}{_BINARY_SUFFIXES.get(power, '')}"


def _decimal_form(mantissa: int, exponent: int, *, is_exponent: bool) -> str:
    """An exponent that has no suffix is left out, as upstream does."""
    mantissa, exponent = mantissa * 10 ** (exponent % 3), exponent - exponent % 3
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
    family, exponent = _parse_suffix(suffix)
    digits, sign = whole + fraction, "-" if match[1] == "-" else ""
    if _is_narrow(digits, len(fraction), family, exponent):
        return _read_narrow(text, sign, digits, len(fraction), family, exponent)
    if not match[2] and not fraction:
        raise ParseError(_NUMERIC_ERROR)
    return _read_wide(sign, digits, len(fraction), family, exponent)


def _read_narrow(text: str, sign: str, digits: str, fraction_digits: int, family: str, exponent: int) -> Quantity:
    number = int(sign + digits)
    kept = text if _looks_canonical(digits, fraction_digits, family, exponent) else ""
    if family == BINARY_SI:
        return Quantity(number << exponent, 0, family, kept)
    scale = exponent - fraction_digits
    if abs(scale) > _SCALE_MAX:  # where amounts are not told apart any more
        return Quantity(number, _SCALE_MAX, family, kept or _decimal_form(number, scale, is_exponent=True))
    return Quantity(number, scale, family, kept)


def _read_wide(sign: str, digits: str, fraction_digits: int, family: str, exponent: int) -> Quantity:
    """Of very many digits the last ones only tell which way to round."""
    dropped = max(0, len(digits) - _DIGITS_MAX)
    number = int(digits[:_DIGITS_MAX]) + bool(digits[_DIGITS_MAX:].strip("0"))
    scale = dropped - fraction_digits
    if family == BINARY_SI:
        number <<= exponent
    else:
        scale += exponent
    scale = max(-_SCALE_MAX, min(scale, _SCALE_MAX))
    if not number:  # which upstream does not round
        return Quantity(0, scale, family, is_wide=True)
    number = number * _power(scale - _NANO) if scale >= _NANO else -(-number // _power(_NANO - scale))
    scale = _NANO
    if family == BINARY_SI:
        family = family if number >= _power(-_NANO) else DECIMAL_SI
        number, scale = (_INTEGER_MAX, 0) if number > _INTEGER_MAX * _power(-_NANO) else (number, scale)
    return Quantity(-number if sign else number, scale, family, is_wide=True)


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


def _parse_suffix(suffix: str) -> tuple[str, int]:
    """(family, exponent of 10 or 2)."""
    if suffix in _DECIMAL_EXPONENTS:
        return DECIMAL_SI, _DECIMAL_EXPONENTS[suffix]
    if suffix in _BINARY_EXPONENTS:
        return BINARY_SI, _BINARY_EXPONENTS[suffix] * 10
    match = _exponent(suffix)
    if match is None or len(match[2].lstrip("0")) > _EXPONENT_DIGITS_MAX:
        raise ParseError(SUFFIX_ERROR)
    exponent = int(match[1] + match[2][-_EXPONENT_DIGITS_MAX:])
    if not _fits(exponent):
        raise ParseError(SUFFIX_ERROR)
    return DECIMAL_EXPONENT, (exponent + 2**31) % 2**32 - 2**31  # upstream takes its lowest 32 bits


def compare(left: str, right: str) -> int:
    """-1, 0 or 1. Raises ParseError."""
    return parse(left).compare_to(parse(right))
