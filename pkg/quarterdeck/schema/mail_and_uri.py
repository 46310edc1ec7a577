"""E-mail addresses and request URIs, as Go's parsers take them.

Only the decision is made here; nothing is parsed into parts. Sources: Go's net/mail (ParseAddress) and net/url
(ParseRequestURI).
"""

from __future__ import annotations

import functools
import ipaddress
import re
from typing import Final

_ATOM = r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\U0010ffff]+"
_DOT_ATOM = rf"{_ATOM}(?:\.{_ATOM})*"
_QUOTED = r'"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t -~\u0080-\U0010ffff])*"'
_ADDRESS: Final = rf"(?:{_DOT_ATOM}|{_QUOTED})@(?:{_DOT_ATOM}|\[(?P<literal>[!-Z^-~]*)\])"
_PHRASE_WORD = rf"(?:{_QUOTED}|{_ATOM}(?:\.+{_ATOM})*\.*)"
_PHRASE: Final = rf"(?:{_PHRASE_WORD}(?:[ \t]+{_PHRASE_WORD})*)?[ \t]*"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_USER_INFO = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_HOST: Final = r"(?:[A-Za-z0-9\-_.~!$&'()*+,;=\[\]<>\"\u0080-\U0010ffff]|%25|%[89A-Fa-f][0-9A-Fa-f])*"
_PORT: Final = re.compile(r"(?::[0-9]*)?")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


# Compiled at the first use: the ranges up to the last character make each of these take milliseconds.
@functools.cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def is_email(text: str) -> bool:
    """`a@b`, `Name <a@b>`, `<a@b>`; quoted local parts and address literals."""
    text = text.strip(" \t")
    name, bracket, rest = text.rpartition("<")
    if bracket and rest.endswith(">") and not _compile(_ADDRESS).fullmatch(text):
        return _compile(_PHRASE).fullmatch(name) is not None and _is_address(rest[:-1])
    return _is_address(text)


def _is_address(text: str) -> bool:
    match = _compile(_ADDRESS).fullmatch(text)
    if match is None:
        return False
    literal = match["literal"]
    return literal is None or _is_ip(literal)


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


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
        if not _is_authority(authority):
            return False
        rest = slash + path
    return _BAD_ESCAPE.search(rest) is None


def _is_authority(authority: str) -> bool:
    user, at, host = authority.rpartition("@")
    if at and (_USER_INFO.fullmatch(user) is None or _BAD_ESCAPE.search(user)):
        return False
    if host.startswith("["):
        inside, bracket, port = host[1:].rpartition("]")
        address = inside.partition("%25")[0]
        return bool(bracket) and _PORT.fullmatch(port) is not None and ":" in address and _is_ip(address)
    name, colon, port = host.partition(":")
    return _PORT.fullmatch(colon + port) is not None and _compile(_HOST).fullmatch(name) is not None
