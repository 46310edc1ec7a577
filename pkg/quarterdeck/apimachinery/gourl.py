"""URLs as Go's net/url reads and writes them. A URL that it refuses is told in Go's words.

Source: net/url of Go 1.26 (Parse, ParseRequestURI, URL.String), encoding_table.go.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from quarterdeck.apimachinery import gofmt, netip

_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_USER: Final = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_PORT: Final = re.compile(r"(?::[0-9]*)?")

# What each part has unescaped where Go writes it, as inner text of a class of characters.
_UNRESERVED: Final = r"A-Za-z0-9\-_.~"
_PLAIN_PATH: Final = re.compile(rf"[{_UNRESERVED}$&+,/:;=@]*")
_PLAIN_FRAGMENT: Final = re.compile(rf"[{_UNRESERVED}$&+,/:;=@!()*?]*")
_PLAIN_USER: Final = re.compile(rf"[{_UNRESERVED}$&+,;=]*")
_PLAIN_HOST: Final = re.compile(rf"[{_UNRESERVED}!$&'()*+,;=:\[\]<>\"]*")
# Go keeps the spelling of the sender where it has nothing but these.
_VALID_PATH: Final = re.compile(rf"[{_UNRESERVED}!$&'()*+,;=:@\[\]/%]*")
_VALID_FRAGMENT: Final = re.compile(rf"[{_UNRESERVED}!$&'()*+,;=:@\[\]/%?]*")


class URLError(Exception):
    """`str()` is Go's text."""


@dataclass(frozen=True, slots=True)
class URL:
    """`path`, `host` and `fragment` are unescaped, the `raw_` ones as they were sent; `raw_path` and `raw_fragment` are
    empty where Go would write the same. `user`: as Go writes it, None where the URL names nobody."""

    scheme: str = ""
    opaque: str = ""
    user: str | None = None
    host: str = ""
    omits_host: bool = False
    path: str = ""
    raw_path: str = ""
    raw_query: str = ""
    forces_query: bool = False
    fragment: str = ""
    raw_fragment: str = ""

    def hostname(self) -> str:
        host, _ = self._split_port()
        return host[1:-1] if host.startswith("[") and host.endswith("]") else host

    def port(self) -> str:
        return self._split_port()[1]

    def _split_port(self) -> tuple[str, str]:
        host, colon, port = self.host.rpartition(":")
        return (host, port) if colon and _PORT.fullmatch(":" + port) else (self.host, "")

    def escaped_path(self) -> str:
        if self.path == "*" and not self.raw_path:
            return "*"
        return _sent_or_written(self.raw_path, self.path, _VALID_PATH, _PLAIN_PATH)

    def __str__(self) -> str:
        scheme = self.scheme + ":" if self.scheme else ""
        query = "?" + self.raw_query if self.forces_query or self.raw_query else ""
        return scheme + (self.opaque or self._after_scheme()) + query + self._fragment_part()

    def _after_scheme(self) -> str:
        path = self.escaped_path()
        nobody = not self.host and self.user is None
        authority = ""
        if not nobody or (self.scheme and not self.omits_host):
            user = "" if self.user is None else self.user + "@"
            slashes = "" if nobody and not self.path else "//"
            authority = slashes + user + _escape(self.host, _PLAIN_HOST)
        if path and not path.startswith("/") and self.host:
            return f"{authority}/{path}"
        if not authority and not self.scheme and ":" in path.partition("/")[0]:
            return "./" + path
        return authority + path

    def _fragment_part(self) -> str:
        if not self.fragment:
            return ""
        return "#" + _sent_or_written(self.raw_fragment, self.fragment, _VALID_FRAGMENT, _PLAIN_FRAGMENT)


def parse(text: str) -> URL:
    """A URL, relative ones too (url.Parse). Raises URLError."""
    body, _, fragment = text.partition("#")
    shown = body
    try:
        url = _parse(body, of_request=False)
        if not fragment:
            return url
        shown = text
        return _with_fragment(url, fragment)
    except URLError as error:
        raise URLError(f"parse {gofmt.quote(shown)}: {error}") from error


def parse_request_uri(text: str) -> URL:
    """An absolute URI or an absolute path (url.ParseRequestURI); a fragment is part of the path, as in a request line.
    Raises URLError."""
    try:
        return _parse(text, of_request=True)
    except URLError as error:
        raise URLError(f"parse {gofmt.quote(text)}: {error}") from error


def is_request_uri(text: str) -> bool:
    try:
        _parse(text, of_request=True)
    except URLError:
        return False
    return True


def unescape(text: str) -> str:
    """Percent-decoding, bytes that are no UTF-8 replaced. Raises URLError."""
    if "%" not in text:
        return text
    return _decode(text.encode("utf-8", "surrogatepass"))


def _decode(raw: bytes) -> str:
    out = bytearray()
    at = 0
    while (percent := raw.find(b"%", at)) >= 0:
        out += raw[at:percent]
        out.append(_byte_of(raw[percent + 1 : percent + 3]))
        at = percent + 3
    return (out + raw[at:]).decode("utf-8", "replace")


def _byte_of(digits: bytes) -> int:
    """Of an escape, what follows its percent sign."""
    if len(digits) < 2 or not _HEX.issuperset(digits):
        raise _bad_escape(digits)
    return int(digits, 16)


def _bad_escape(digits: bytes) -> URLError:
    return URLError(f"invalid URL escape {gofmt.quote('%' + digits.decode('utf-8', 'surrogateescape'))}")


def _escape(text: str, plain: re.Pattern[str]) -> str:
    if plain.fullmatch(text):
        return text
    return "".join(c if plain.fullmatch(c) else _escape_char(c) for c in text)


def _escape_char(c: str) -> str:
    return "".join(f"%{byte:02X}" for byte in c.encode("utf-8", "surrogatepass"))


def _sent_or_written(raw: str, value: str, valid: re.Pattern[str], plain: re.Pattern[str]) -> str:
    return raw if raw and valid.fullmatch(raw) and unescape(raw) == value else _escape(value, plain)


def _with_fragment(url: URL, raw: str) -> URL:
    fragment = unescape(raw)
    kept = "" if _escape(fragment, _PLAIN_FRAGMENT) == raw else raw
    return dataclasses.replace(url, fragment=fragment, raw_fragment=kept)


def _parse(text: str, of_request: bool) -> URL:
    if _CONTROL.search(text):
        raise URLError("net/url: invalid control character in URL")
    if not text and of_request:
        raise URLError("empty url")
    if text == "*":
        return URL(path="*")
    if text.startswith(":"):
        raise URLError("missing protocol scheme")
    match = _SCHEME.match(text)
    scheme = match[1].lower() if match else ""
    rest, mark, query = (text[match.end() :] if match else text).partition("?")
    forces_query = mark != "" and not query
    if not rest.startswith("/"):
        if scheme:
            return URL(scheme, rest, raw_query=query, forces_query=forces_query)
        if of_request:
            raise URLError("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise URLError("first path segment in URL cannot contain colon")
    user, host = None, ""
    has_authority = rest.startswith("//") and (bool(scheme) or not (of_request or rest.startswith("///")))
    if has_authority:
        authority, slash, path = rest[2:].partition("/")
        user, host = _parse_authority(scheme, authority)
        rest = slash + path
    path = unescape(rest)
    raw_path = "" if _escape(path, _PLAIN_PATH) == rest else rest
    omits_host = not has_authority and bool(scheme)
    return URL(scheme, "", user, host, omits_host, path, raw_path, query, forces_query)


def _parse_authority(scheme: str, authority: str) -> tuple[str | None, str]:
    """The user with a password where there is one, and the host."""
    user, at, host = authority.rpartition("@")
    parsed = _parse_host(scheme, host)
    if not at:
        return None, parsed
    if not _USER.fullmatch(user):
        raise URLError("net/url: invalid userinfo")
    return ":".join([_escape(unescape(part), _PLAIN_USER) for part in user.split(":", 1)]), parsed


def _parse_host(scheme: str, host: str) -> str:
    """Brackets hold an IPv6 address, and the first colon elsewhere begins the port; the last one does where the scheme
    is none of the web's, so that lists of hosts pass."""
    bracket = host.rfind("[")
    if bracket > 0:
        raise URLError("invalid IP-literal")
    if bracket == 0:
        return _parse_literal(host)
    colon = host.find(":") if scheme in ("http", "https") else host.rfind(":")
    if colon >= 0:
        _check_port(host[colon:])
    return _unescape_host(host)


def _parse_literal(host: str) -> str:
    inside, bracket, port = host[1:].rpartition("]")
    if not bracket:
        raise URLError("missing ']' in host")
    _check_port(port)
    zone = inside.find("%25")
    if zone < 0:
        name = _unescape_host(inside)
    else:
        name = _unescape_host(inside[:zone]) + _unescape_zone(inside[zone:])
    try:
        address, _ = netip.parse_address(name)
    except netip.AddressError as error:
        raise URLError(f"invalid host: {error}") from None
    if address.version == 4:
        raise URLError("invalid IP-literal")
    return f"[{name}]{port}"


def _check_port(port: str) -> None:
    if not _PORT.fullmatch(port):
        raise URLError(f"invalid port {gofmt.quote(port)} after host")


def _unescape_host(text: str) -> str:
    """An escape stands for a byte that is not ASCII, or for a percent sign."""
    return _unescape_checked(text, lambda byte: byte >= 0x80)


def _unescape_zone(text: str) -> str:
    """An escape stands for a byte that needs none, for a blank or for a percent sign."""
    return _unescape_checked(text, lambda byte: byte == 0x20 or _is_plain_in_host(byte))


def _is_plain_in_host(byte: int) -> bool:
    return _PLAIN_HOST.fullmatch(chr(byte)) is not None


def _unescape_checked(text: str, may_escape: Callable[[int], bool]) -> str:
    if _PLAIN_HOST.fullmatch(text):
        return text
    raw = text.encode("utf-8", "surrogatepass")
    at = 0
    while at < len(raw):
        if raw[at] != 0x25:
            if raw[at] < 0x80 and not _is_plain_in_host(raw[at]):
                raise URLError(f"invalid character {gofmt.quote(chr(raw[at]))} in host name")
            at += 1
            continue
        digits = raw[at + 1 : at + 3]
        byte = _byte_of(digits)
        if digits != b"25" and not may_escape(byte):
            raise _bad_escape(digits)
        at += 3
    return _decode(raw)
