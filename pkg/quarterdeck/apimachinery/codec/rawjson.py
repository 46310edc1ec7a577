"""Parts of a JSON document as they are written, blanks included, as Go's json.RawMessage holds them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
_OPEN: Final = (b"{", b"[")
_CLOSED: Final = (b"}", b"]")


def find(data: bytes, *path: str | int) -> bytes | None:
    """The text of the value at the path: names of members, of which the last of each name counts, and positions in
    lists. None where it is not there. `data` has been decoded before, so that it is JSON."""
    value = data.strip()
    for step in path:
        if value[:1] not in _OPEN or (value[:1] == b"{") != isinstance(step, str):
            return None
        found = None
        for position, (name, text) in enumerate(_children(value)):
            if step == (name if isinstance(step, str) else position):
                found = text
        if found is None:
            return None
        value = found
    return value


def members(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The members of an object in their order, each as often as it stands there. `data` has been decoded before."""
    return _children(data.strip())


def _children(value: bytes) -> Iterator[tuple[str, bytes]]:
    """The members of a map, or the items of a list without names."""
    depth, start, name = 0, 0, ""
    is_map, awaits_name = value[:1] == b"{", value[:1] == b"{"
    for token in _TOKEN.finditer(value):
        text = token.group()
        if text in _OPEN:
            depth += 1
            if depth == 2:
                start = token.start()
        elif text in _CLOSED:
            depth -= 1
            if depth == 1:
                yield name, value[start : token.end()]
        elif depth == 1 and text == b",":
            awaits_name = is_map
        elif depth == 1 and text != b":":
            if awaits_name:
                name, awaits_name = json.loads(text), False
            else:
                yield name, text
