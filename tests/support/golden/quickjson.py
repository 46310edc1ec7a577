"""JSON of recordings and answers, read and written fast; by the standard library where that would lose something."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

# Beyond 64 bits the fast reader makes floating-point numbers of integers.
_LONG_NUMBER = re.compile(rb"\d{19}")


def read_json(data: bytes) -> Any:
    """What the standard library reads. Raises ValueError."""
    if _LONG_NUMBER.search(data) is None:
        try:
            return orjson.loads(data)
        except ValueError:
            pass  # lone surrogates, for example, are none for it
    return json.loads(data)


def write_sorted(value: Any) -> bytes:
    """A text that is the same for equal values. An integer and a floating-point number are not equal."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(value, sort_keys=True).encode()
