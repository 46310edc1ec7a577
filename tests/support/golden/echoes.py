"""Objects echoed inside texts: the entries of their managedFields in an order of their own.

Entries are sorted by the second of their writes, so their order tells whether a client's write and a controller's fell
into one second.
"""

from __future__ import annotations

import re

_LIST = re.compile(r'managedFields\\*":\[')
_DEPTHS = {"{": 1, "[": 1, "}": -1, "]": -1}


def order_managed_fields(text: str) -> str:
    """An echo that is cut off inside of the list stays as it is."""
    found = _LIST.search(text)
    if found is None:
        return text
    entries = _entries(text, found.end())
    if entries is None:
        return text
    end = found.end() + len(",".join(entries))
    return text[: found.end()] + ",".join(sorted(entries)) + order_managed_fields(text[end:])


def _entries(text: str, start: int) -> list[str] | None:
    """The items of a list that begins at `start`, None where its end is missing."""
    depth, begin = 0, start
    entries = []
    for position in range(start, len(text)):
        character = text[position]
        if depth == 0 and character in ",]":
            entries.append(text[begin:position])
            begin = position + 1
            if character == "]":
                return entries
        depth += _DEPTHS.get(character, 0)
    return None
