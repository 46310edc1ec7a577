"""Query parameters as Go's url.ParseQuery reads them: a name has a list of values; bad escapes drop their pair."""

from __future__ import annotations

import re
from typing import Final

from quarterdeck._kernels import query as kernel

Query = dict[str, list[str]]

_EMPTY: Final[Query] = {}
_has_bad_escape: Final = re.compile("%(?![0-9A-Fa-f]{2})").search


def parse_query(text: str) -> Query:
    if not text:
        return _EMPTY
    query: Query = {}
    is_escaped = "%" in text or "+" in text
    has_semicolon = ";" in text
    for pair in text.split("&"):
        if not pair or (has_semicolon and ";" in pair):  # Go refuses semicolons as separators and drops the pair
            continue
        name, _, value = pair.partition("=")
        if is_escaped:
            if _has_bad_escape(pair):
                continue
            name, value = kernel.unquote_plus(name), kernel.unquote_plus(value)
        values = query.get(name)
        if values is None:
            query[name] = [value]
        else:
            values.append(value)
    return query


def first(query: Query, name: str) -> str:
    """The first value, or "" where there is none."""
    values = query.get(name)
    return values[0] if values else ""
