"""Keeps what functions of one text gave lately: rules compare the values of objects with the same few constants.

`cidr('10.0.0.0/8')` in a loop parses once, as the compiler may not compute it beforehand: it has a runtime cost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final

_TEXTS_MAX: Final = 512
_CHARS_MAX: Final = 128


def memoized(function: Callable[[str], object]) -> Callable[[str], object]:
    """The same function of one text, whose values are never changed. Long texts are not kept."""
    look_up = lru_cache(_TEXTS_MAX)(function)

    @wraps(function)
    def remember(text: str) -> object:
        return look_up(text) if len(text) <= _CHARS_MAX else function(text)

    return remember
