"""Request URIs, as Go's net/url takes them (ParseRequestURI). Only the decision is made here."""

from __future__ import annotations

import functools
import ipaddress
import re
from typing import Final

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_USER_INFO = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_HOST_BYTES: Final = "A-Za-z0-9\\-_.~!$&'()*+,;=:\\[\\]<>\""
_HOST: Final = rf"(?:[{_HOST_BYTES}\u0080-\U0010ffff]|%25|%[89A-Fa-f][0-9A-Fa-f])*"
_ZONE: Final = rf"(?:[{_HOST_BYTES}\u0080-\U0010ffff]|%[0-9A-Fa-f]{{2}})+"
_ESCAPED_IN_ZONE: Final = re.compile(f"[{_HOST_BYTES} %]")
_PORT: Final = re.compile(r"(?::[0-9]*)?")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


# Compiled at the first use: the ranges up to the last character make each of these take milliseconds.
@functools.cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def is_request_uri(text: str) -> bool:
    """An absolute URI or an absolute path; a fragment is part of the path, as in a request line."""
    if not text or _CONTROL.search(text):
        return False
    if text == "*":
        return True
    if text.startswith(":"):
        return False
    scheme = _SCHEME.match(text)
    rest = (text[scheme.end() :] if scheme else text).partition("?")[0]
    if not rest.startswith("/"):
        return scheme is not None
    if scheme and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        if not _is_authority(authority, scheme[1].lower()):
            return False
        rest = slash + path
    return _BAD_ESCAPE.search(rest) is None


def _is_authority(authority: str, scheme: str) -> bool:
    user, at, host = authority.rpartition("@")
    if at and (_USER_INFO.fullmatch(user) is None or _BAD_ESCAPE.search(user)):
        return False
    bracket = host.rfind("[")
    if bracket >= 0:
        return bracket == 0 and _is_literal(host)
    # Lists of hosts, each with a port, are let pass where the scheme is none of the web's.
    colon = host.find(":") if scheme in ("http", "https") else host.rfind(":")
    if colon >= 0 and _PORT.fullmatch(host[colon:]) is None:
        return False
    return _compile(_HOST).fullmatch(host) is not None


def _is_literal(host: str) -> bool:
    """An IPv6 address in brackets, perhaps with a zone, and a port."""
    inside, bracket, port = host[1:].rpartition("]")
    if not bracket or _PORT.fullmatch(port) is None:
        return False
    address, percent, zone = inside.partition("%25")
    if percent and not _is_zone(zone):
        return False
    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        return False
    return "%" not in address


def _is_zone(zone: str) -> bool:
    """An escape may stand for a blank, and for what needs none."""
    if _compile(_ZONE).fullmatch(zone) is None:
        return False
    return all(_ESCAPED_IN_ZONE.match(chr(int(each, 16))) for each in re.findall("%(..)", zone))
