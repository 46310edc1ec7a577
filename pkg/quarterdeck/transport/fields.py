"""Fields of a request's head: which clients may send several times, and which may hold more than ASCII.

The parser joins their values with ", ", as HTTP says, or takes the first of what is read once (http1fields.pyx,
READ_ONCE). Where a value may hold that itself (the name of a group), they are read apart: the parser keeps them joined
with line feeds, which no value holds, under their name behind a line feed.
It reads one character a byte; Go takes the bytes for UTF-8, and shows each that is part of no character as U+FFFD.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote_to_bytes

from quarterdeck.apimachinery import gofmt

_BAD_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_asks_for_upgrade = re.compile(r"(^|.*,\s*)upgrade($|\s*,)", re.ASCII).search


def values_of(headers: dict[str, str], name: str) -> list[str]:
    """Each value, as it was sent. Source: net/http, Header.Values."""
    joined = headers.get(name)
    if joined is None:
        return []
    apart = headers.get(f"\n{name}")
    return [as_utf8(value) for value in ([joined] if apart is None else apart.split("\n"))]


def first_of(headers: dict[str, str], name: str) -> str:
    """The first value; empty where there is none. Source: net/http, Header.Get."""
    values = values_of(headers, name)
    return values[0] if values else ""


def members_of(headers: dict[str, str], prefix: str) -> dict[str, tuple[str, ...]]:
    """The values of all fields whose names begin so, by the rest of the name: two may spell one, by escapes."""
    members: dict[str, tuple[str, ...]] = {}
    for field in headers:
        if field.startswith(prefix):
            name = unescape(field.removeprefix(prefix))
            members[name] = members.get(name, ()) + tuple(values_of(headers, field))
    return members


def asks_for_websocket(headers: dict[str, str]) -> bool:
    """Source: apimachinery/pkg/util/httpstream/wsstream (IsWebSocketRequest)."""
    asks = _asks_for_upgrade(headers.get("connection", "").lower())
    return asks is not None and first_of(headers, "upgrade").lower() == "websocket"


def as_utf8(value: str) -> str:
    """The text of a value that was read one character a byte."""
    return value if value.isascii() else gofmt.decode_utf8(value.encode("latin-1", "replace"))


def unescape(name: str) -> str:
    """A part of a field's name with its escapes (%2F) read; as it is where one of them is bad. Source:
    apiserver/pkg/authentication/request/headerrequest/requestheader.go (unescapeExtraKey)."""
    if "%" not in name or _BAD_ESCAPE.search(name):
        return name
    return gofmt.decode_utf8(unquote_to_bytes(name))
