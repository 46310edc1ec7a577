"""Quantities: exact amounts with Kubernetes' suffixes, as apimachinery/quantity.py counts them.

Source: apimachinery's pkg/api/resource/quantity.go and apiserver's pkg/cel/library/quantity.go.
"""

from __future__ import annotations

import math
from typing import ClassVar

from quarterdeck.apimachinery import quantity as amounts
from quarterdeck.cel.memo import memoized
from quarterdeck.cel.values import CelErr


class Quantity(amounts.Quantity):
    __slots__ = ()

    cel_type: ClassVar[str] = "kubernetes.Quantity"
    cel_unit_equality: ClassVar[bool] = True

    @property
    def go_string(self) -> str:
        return str(self)


def parse(text: str) -> Quantity | CelErr:
    try:
        found = amounts.read(text)
    except amounts.ParseError as error:
        return CelErr(str(error))
    return Quantity(found.unscaled, found.scale, is_wide=found.is_wide)


@memoized
def to_quantity(text: str) -> object:
    return parse(text)


def is_quantity(text: str) -> object:
    return type(to_quantity(text)) is Quantity


def sign(q: Quantity) -> object:
    return (q.unscaled > 0) - (q.unscaled < 0)


def compare_to(a: Quantity, b: Quantity) -> object:
    return a.compare_to(b)


def is_greater_than(a: Quantity, b: Quantity) -> object:
    return a.compare_to(b) > 0


def is_less_than(a: Quantity, b: Quantity) -> object:
    return a.compare_to(b) < 0


def is_integer(q: Quantity) -> object:
    return q.integer() is not None


def as_integer(q: Quantity) -> object:
    whole = q.integer()
    return CelErr("cannot convert value to integer") if whole is None else whole


def as_float(q: Quantity) -> object:
    try:
        base = float(q.unscaled)
    except OverflowError:
        base = math.inf if q.unscaled > 0 else -math.inf
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
    return a.add(_operand(b))


def sub(a: Quantity, b: Quantity | int) -> object:
    return a.sub(_operand(b))


def _operand(value: Quantity | int) -> amounts.Quantity:
    return value if isinstance(value, Quantity) else amounts.Quantity(value)
