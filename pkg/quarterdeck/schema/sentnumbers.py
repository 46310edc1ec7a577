"""Numbers as they were sent: a decoded one may have lost digits and its exponent.

A Quantity reads the text of a JSON number itself, where it has not been through a float64 before: strategic merge
patches, apply and YAML have it go through one.

Source: apimachinery/pkg/api/resource/quantity.go (UnmarshalJSON).
"""

from __future__ import annotations

import math
import re
from contextvars import ContextVar
from typing import Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import gofmt

_INT64_END: Final = 1 << 63
_DIGITS_MAX: Final = 100  # of those that are read; int64 has 19

# Texts are found too, so that no number is looked for in them.
tokens = re.compile(rb'"(?:[^"\\]|\\.)*"|(-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)', re.DOTALL).finditer


class Document:
    """A JSON text, of which some numbers are looked for by their values."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._texts: dict[float, str] | None = None  # of the first number of each value

    def find(self, value: float) -> str | None:
        """The text of the first number that has this value and is decoded to a float."""
        if self._texts is None:
            self._texts = {}
            for found in tokens(self._data):
                longsteps.pause()
                if found[1] is not None and _is_float(found):
                    self._texts.setdefault(float(found[1]), found[1].decode())
        return self._texts.get(value)


# None where numbers have been through a float64.
document: ContextVar[Document | None] = ContextVar("the JSON that is being decoded", default=None)


def text_of(value: float) -> str:
    """What a type that reads numbers itself finds."""
    sent = document.get()
    return (sent and sent.find(value)) or (gofmt.format_json_float(value) if math.isfinite(value) else str(value))


def _is_float(found: re.Match[bytes]) -> bool:
    """Whether the number is not decoded to an integer: what is shown is none."""
    if found[2] is not None or found[3] is not None:
        return True
    return len(found[1]) > _DIGITS_MAX or not -_INT64_END <= int(found[1]) < _INT64_END
