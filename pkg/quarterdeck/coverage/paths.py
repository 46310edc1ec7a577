"""Paths of what a schema describes: `.spec.items[].name`, `.spec.limits{}.cpu`, `.spec["a.b"]`.

They are bounded: what is nested more deeply, or has a longer path, has none.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import gofmt

LIST_ITEM: Final = "[]"
MAP_VALUE: Final = "{}"
DEPTH_MAX: Final = 100
CHARS_MAX: Final = 1024
_is_plain = re.compile(r"[\w$/-]+").fullmatch


def member(path: str, name: str) -> str:
    return f"{path}.{name}" if _is_plain(name) else f"{path}[{gofmt.quote(name)}]"
