"""Fields of a request's head that clients may send several times.

The parser joins their values with ", ", as HTTP says. Where a value may hold that itself (the name of a group), they
are read apart: the parser keeps them joined with line feeds, which no value holds, under their name behind a line feed.
"""

from __future__ import annotations


def values_of(headers: dict[str, str], name: str) -> list[str]:
    """Each value, as it was sent. Source: net/http, Header.Values."""
    joined = headers.get(name)
    if joined is None:
        return []
    apart = headers.get(f"\n{name}")
    return [joined] if apart is None else apart.split("\n")


def first_of(headers: dict[str, str], name: str) -> str:
    """The first value; empty where there is none. Source: net/http, Header.Get."""
    values = values_of(headers, name)
    return values[0] if values else ""
