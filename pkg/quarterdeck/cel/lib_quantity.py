"""Quantities: exact amounts with Kubernetes' suffixes.

An amount is kept in thousand-millionths (nano), the finest unit there is. `fast` says whether upstream holds it as an
int64 with a scale: only then, and where the scale is not negative, isInteger() and asInteger() find an integer in it.
`scale` is the power of ten that upstream counts the amount in, which shows in what it takes for its float.
Source: apimachinery's pkg/api/resource/quantity.go and apiserver's pkg/cel/library/quantity.go.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Final

from quarterdeck.cel.digits import read_int
from quarterdeck.cel.memo import memoized
from quarterdeck.cel.values import CelErr

_NANO: Final = 1_000_000_000
_NANO_SCALE: Final = -9
_INT_MAX: Final = (1 << 63) - 1
_FAST_DIGITS_MAX: Final = 18
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_FORMAT_WRONG: Final = CelErr(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_SUFFIX_WRONG: Final = CelErr("unable to parse quantity's suffix")
_EXPONENT_MAX: Final = 10_000  # beyond it an amount is 0 or the maximum anyhow
_DIGITS_MAX: Final = 4_000  # further ones only tell which way to round


@dataclass(frozen=True, slots=True)
class Quantity:
    nano: int
    fast: bool = field(compare=False, default=True)
    scale: int = field(compare=False, default=0)

    cel_type: ClassVar[str] = "kubernetes.Quantity"
    cel_unit_equality: ClassVar[bool] = True


def parse(text: str) -> Quantity | CelErr:
    if not text:
        return _FORMAT_WRONG
    at = 1 if text[0] in "+-" else 0
    start = at
    while at < len(text) and "0" <= text[at] <= "9":
        at += 1
    whole = text[start:at].lstrip("0")
    fraction = ""
    if at < len(text) and text[at] == ".":
        dot = at
        at += 1
        while at < len(text) and "0" <= text[at] <= "9":
            at += 1
        fraction = text[dot + 1 : at]
    if at == start:
        return _FORMAT_WRONG
    suffix_at = at
    while at < len(text) and text[at] in "eEinumkKMGTP":
        at += 1
    if at < len(text) and text[at] in "+-":
        at += 1
    while at < len(text) and "0" <= text[at] <= "9":
        at += 1
    if at < len(text):
        return _FORMAT_WRONG
    return _build(text[0] == "-", whole or "0", fraction, text[suffix_at:])


def _build(negative: bool, whole: str, fraction: str, suffix: str) -> Quantity | CelErr:
    binary = _BINARY.get(suffix)
    exponent = _DECIMAL.get(suffix)
    if binary is None and exponent is None:
        if suffix[0] not in "eE" or not suffix[1:].lstrip("+-").isdigit():
            return _SUFFIX_WRONG
        exponent = max(-_EXPONENT_MAX, min(read_int(suffix[1:]), _EXPONENT_MAX))
    text = (whole + fraction).lstrip("0")
    dropped = max(0, len(text) - _DIGITS_MAX)
    digits = int(text[:_DIGITS_MAX] or "0") + bool(text[_DIGITS_MAX:].strip("0"))
    if binary is not None:
        scale = dropped - len(fraction)
        digits <<= binary
        fast = not fraction and 15 - len(whole) - int(binary * 3 / 10) - 1 >= 0 and digits <= _INT_MAX
    else:
        assert exponent is not None
        scale = exponent + dropped - len(fraction)
        fast = len(whole) + len(fraction) <= _FAST_DIGITS_MAX and scale >= -9
    if scale + 9 >= 0:
        nano = digits * 10 ** (scale + 9)
    else:  # what is too small is rounded away from zero
        nano = -(-digits // 10 ** min(-(scale + 9), _DIGITS_MAX + 20))
    if binary is not None and not fast:
        nano = min(nano, _INT_MAX * _NANO)
    return Quantity(-nano if negative else nano, fast, scale if fast else _NANO_SCALE)


@memoized
def to_quantity(text: str) -> object:
    return parse(text)


def is_quantity(text: str) -> object:
    return type(to_quantity(text)) is Quantity


def sign(q: Quantity) -> object:
    return (q.nano > 0) - (q.nano < 0)


def compare_to(a: Quantity, b: Quantity) -> object:
    return (a.nano > b.nano) - (a.nano < b.nano)


def is_greater_than(a: Quantity, b: Quantity) -> object:
    return a.nano > b.nano


def is_less_than(a: Quantity, b: Quantity) -> object:
    return a.nano < b.nano


def _integer(q: Quantity) -> int | None:
    whole = q.nano // _NANO
    return whole if q.fast and q.scale >= 0 and -_INT_MAX - 1 <= whole <= _INT_MAX else None


def is_integer(q: Quantity) -> object:
    return _integer(q) is not None


def as_integer(q: Quantity) -> object:
    whole = _integer(q)
    return CelErr("cannot convert value to integer") if whole is None else whole


def as_float(q: Quantity) -> object:
    try:
        base = float(q.nano // 10 ** (q.scale - _NANO_SCALE))
    except OverflowError:
        base = math.inf if q.nano > 0 else -math.inf
    return base * _power_of_ten(q.scale) if q.scale else base


def _power_of_ten(n: int) -> float:
    """As Go's math.Pow10 multiplies it, which is not always the nearest float."""
    if n < -323:
        return 0.0
    if n > 308:
        return math.inf
    far, near = divmod(abs(n), 32)
    return float(f"1e{far * 32}") * float(f"1e{near}") if n >= 0 else float(f"1e-{far * 32}") / float(f"1e{near}")


def add(a: Quantity, b: Quantity | int) -> object:
    other = b if isinstance(b, Quantity) else Quantity(b * _NANO)
    return _sum(a, other)


def sub(a: Quantity, b: Quantity | int) -> object:
    other = b if isinstance(b, Quantity) else Quantity(b * _NANO)
    return _sum(a, Quantity(-other.nano, other.fast, other.scale))


def _sum(a: Quantity, b: Quantity) -> Quantity:
    nano = a.nano + b.nano
    if a.fast and b.fast:
        if not b.nano:
            return a
        if not a.nano:
            return b
        unit = 10 ** (min(a.scale, b.scale) - _NANO_SCALE)
        if all(-_INT_MAX - 1 <= each // unit <= _INT_MAX for each in (a.nano, b.nano, nano)):
            return Quantity(nano, True, min(a.scale, b.scale))
    return Quantity(nano, False, min(a.scale, b.scale))
