"""Numbers as they were sent: a decoded one may have lost digits and its exponent.

A Quantity reads the text of a JSON number itself, where it has not been through a float64 before: strategic merge
patches and apply have it go through one, and so has YAML, but for integers that fit uint64.

Source: apimachinery/pkg/api/resource/quantity.go (UnmarshalJSON).
"""

from __future__ import annotations

import math
import re
import threading
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
        self.data = data
        self._texts: dict[float, str] | None = None  # of the first number of each value

    def find(self, value: float) -> str | None:
        """The text of the first number that has this value and is decoded to a float."""
        if self._texts is None:
            self._texts = {}
            for found in tokens(self.data):
                longsteps.pause()
                if found[1] is not None and _is_float(found):
                    self._texts.setdefault(float(found[1]), found[1].decode())
        return self._texts.get(value)


class _Reading(threading.local):
    """What this thread decodes; no context variable, which would cost every body more. `text` is empty where numbers
    have been through a float64."""

    text = b""
    document: Document | None = None


reading: Final = _Reading()


def text_of(value: float) -> str:
    """What a type that reads numbers itself finds."""
    document = reading.document
    if document is None or document.data is not reading.text:
        document = reading.document = Document(reading.text)
    return document.find(value) or (gofmt.format_json_float(value) if math.isfinite(value) else str(value))


def _is_float(found: re.Match[bytes]) -> bool:
    """Whether the number is not decoded to an integer: what is shown is none."""
    if found[2] is not None or found[3] is not None:
        return True
    return len(found[1]) > _DIGITS_MAX or not -_INT64_END <= int(found[1]) < _INT64_END
