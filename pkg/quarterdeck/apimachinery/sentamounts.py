"""Amounts in the form in which a request wrote them, where that shows.

Upstream counts amounts in 64 bits. What these do not hold hangs on how the number was written: `10E` is 0 there, and
`10000000000000000000`, which is the same, is below zero. Decoding leaves the canonical text, which is `10E` for both.

Source: apimachinery/pkg/api/resource/quantity.go (ParseQuantity, ScaledValue).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import replace
from typing import Final

from quarterdeck.apimachinery import quantity
from quarterdeck.apimachinery.quantity import Quantity

_BEYOND: Final = 2**63 // 1000  # thousandths of what is less fit into 64 bits
_KEPT_MAX: Final = 100
_NOTHING: Final[Mapping[str, Quantity]] = {}
# By canonical text, of what was decoded last in this task: between decoding and validation nothing else is.
_sent: ContextVar[Mapping[str, Quantity]] = ContextVar("large amounts as they were sent", default=_NOTHING)


def canonical(text: str) -> str:
    """The text that stands for an amount from now on. Raises quantity.ParseError."""
    read = quantity.parse(text)
    shown = str(read)
    # Of amounts that have no suffix, 10^24, the text says another one.
    if shown != text and _is_large(read) and quantity.parse(shown) == read:
        known = _sent.get()
        _sent.set({**(known if len(known) < _KEPT_MAX else _NOTHING), shown: _in_thousandths(read)})
    elif shown in (known := _sent.get()):
        _sent.set({each: amount for each, amount in known.items() if each != shown})
    return shown


def parse(text: str) -> Quantity:
    """An amount of a decoded object, as it was sent."""
    return _sent.get().get(text) or quantity.parse(text)


def _in_thousandths(amount: Quantity) -> Quantity:
    """Wide ones are rounded up to thousandths wherever they overflow (upstream: SetDefaults_ResourceList)."""
    if not amount.is_wide or amount.scale >= quantity.MILLI:
        return amount
    number, rest = divmod(amount.unscaled, 10 ** (quantity.MILLI - amount.scale))
    return amount if rest else replace(amount, unscaled=number, scale=quantity.MILLI)


def _is_large(amount: Quantity) -> bool:
    if amount.scale < 0:
        return bool(abs(amount.unscaled) >= _BEYOND * 10**-amount.scale)
    return bool(abs(amount.unscaled) * 10**amount.scale >= _BEYOND)
