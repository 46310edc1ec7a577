"""URLs as Go's net/url reads them, for url() and format.uri().

Source: Go's net/url (ParseRequestURI, Parse) and apiserver's pkg/cel/library/urls.go.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final
from urllib.parse import quote

from quarterdeck.apimachinery import gofmt
from quarterdeck.cel import netip
from quarterdeck.cel.memo import memoized
from quarterdeck.cel.values import CelErr

_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
_PATH_PLAIN: Final = _UNRESERVED | frozenset("$&+,/:;=@")
_PATH_VALID: Final = _UNRESERVED | frozenset("!$&'()*+,;=:@[]/%")
_HOST_PLAIN: Final = _UNRESERVED | frozenset("!$&'()*+,;=:[]<>\"")
_USER_VALID: Final = _UNRESERVED | frozenset("-._:~!$&'()*+,;=%@")
_HEX: Final = frozenset("0123456789abcdefABCDEF")


class URLError(Exception):
    """`str()` is Go's text of the cause."""


@dataclass(frozen=True, slots=True)
class URL:
    scheme: str = ""
    host: str = ""
    path: str = ""
    raw_path: str = ""
    raw_query: str = ""
    text: str = ""
    user: str | None = field(default=None, compare=False)  # as Go writes it; None: the URL names nobody

    cel_type: ClassVar[str] = "kubernetes.URL"
    cel_unit_equality: ClassVar[bool] = True

    @property
    def go_string(self) -> str:
        return self.text

    def hostname(self) -> str:
        host, _ = self._split_port()
        return host[1:-1] if host.startswith("[") and host.endswith("]") else host

    def port(self) -> str:
        return self._split_port()[1]

    def _split_port(self) -> tuple[str, str]:
        colon = self.host.rfind(":")
        if colon != -1 and self.host[colon + 1 :].isdigit() and colon > self.host.rfind("]"):
            return self.host[:colon], self.host[colon + 1 :]
        return self.host.removesuffix(":") if colon > self.host.rfind("]") else self.host, ""

    def escaped_path(self) -> str:
        if self.raw_path and all(c in _PATH_VALID for c in self.raw_path) and _unescape(self.raw_path) == self.path:
            return self.raw_path
        return "*" if self.path == "*" else _escape_path(self.path)


def _unescape(text: str, host: bool = False) -> str:
    """Percent-decoding; raises URLError."""
    if "%" not in text:
        if host:
            _check_host(text)
        return text
    out = bytearray()
    raw = text.encode("utf-8", "surrogatepass")
    i = 0
    while i < len(raw):
        if raw[i] == 0x25:
            digits = raw[i + 1 : i + 3].decode("latin-1")
            if len(digits) < 2 or not _HEX.issuperset(digits):
                shown = raw[i : i + 3].decode("utf-8", "replace")
                raise URLError(f"invalid URL escape {gofmt.quote(shown)}")
            if host and int(digits, 16) < 0x80 and digits != "25":
                raise URLError(f"invalid URL escape {gofmt.quote('%' + digits)}")
            out.append(int(digits, 16))
            i += 3
        else:
            out.append(raw[i])
            i += 1
    if host:
        _check_host(text.replace("%", ""))
    return out.decode("utf-8", "replace")


def _check_host(text: str) -> None:
    for c in text:
        if ord(c) < 0x80 and c not in _HOST_PLAIN:
            raise URLError(f"invalid character {gofmt.quote(c)} in host name")


def _escape_path(path: str) -> str:
    return "".join(
        c if c in _PATH_PLAIN else "".join(f"%{b:02X}" for b in c.encode("utf-8", "surrogatepass")) for c in path
    )


def _split_scheme(text: str) -> tuple[str, str]:
    for i, c in enumerate(text):
        if c.isascii() and c.isalpha():
            continue
        if c.isascii() and (c.isdigit() or c in "+-."):
            if i == 0:
                return "", text
            continue
        if c == ":":
            if i == 0:
                raise URLError("missing protocol scheme")
            return text[:i].lower(), text[i + 1 :]
        return "", text
    return "", text


def _parse_host(scheme: str, host: str) -> str:
    """Go 1.26: brackets hold an IPv6 address, and the first colon elsewhere begins the port; the last one does where
    the scheme is none of the web's, so that lists of hosts pass."""
    bracket = host.rfind("[")
    if bracket > 0:
        raise URLError("invalid IP-literal")
    if bracket == 0:
        end = host.rfind("]")
        if end < 0:
            raise URLError("missing ']' in host")
        _check_port(host[end + 1 :])
        literal = _unescape(host[: end + 1], host=True)
        try:
            address, _ = netip.parse_address(literal[1:-1])
        except netip.AddressError as error:
            raise URLError(f"invalid host: {error}") from None
        if address.version == 4:
            raise URLError("invalid IP-literal")
        return literal + host[end + 1 :]
    colon = host.find(":") if scheme in ("http", "https") else host.rfind(":")
    if colon != -1:
        _check_port(host[colon:])
    return _unescape(host, host=True)


def _check_port(port: str) -> None:
    if port and (port[0] != ":" or not all(c.isascii() and c.isdigit() for c in port[1:])):
        raise URLError(f"invalid port {gofmt.quote(port)} after host")


def _parse_authority(scheme: str, authority: str) -> tuple[str, str | None]:
    """The host, and the user with a password where there is one."""
    at = authority.rfind("@")
    host = _parse_host(scheme, authority[at + 1 :])
    if at < 0:
        return host, None
    user = authority[:at]
    if not all(c in _USER_VALID for c in user):
        raise URLError("net/url: invalid userinfo")
    return host, ":".join([quote(_unescape(part), safe="$&+,;=") for part in user.split(":", 1)])


def _parse(text: str, of_request: bool) -> URL:
    if any(ord(c) < 0x20 or ord(c) == 0x7F for c in text):
        raise URLError("net/url: invalid control character in URL")
    if not text and of_request:
        raise URLError("empty url")
    if text == "*":
        return URL(path="*", text=text)
    scheme, rest = _split_scheme(text)
    query = ""
    if rest.endswith("?") and rest.count("?") == 1:
        rest = rest[:-1]
    else:
        rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return URL(scheme=scheme, raw_query=query, text=text)  # opaque
        if of_request:
            raise URLError("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise URLError("first path segment in URL cannot contain colon")
    host, user = "", None
    if (scheme or (not of_request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        host, user = _parse_authority(scheme, authority)
        rest = slash + path
    path = _unescape(rest)
    raw_path = "" if rest == _escape_path(path) else rest
    return URL(scheme, host, path, raw_path, query, text, user)


def parse_request_uri(text: str) -> str | None:
    """Go's error text of url.ParseRequestURI, or None."""
    try:
        _parse(text, of_request=True)
    except URLError as error:
        return f"parse {gofmt.quote(text)}: {error}"
    return None


def parse(text: str) -> tuple[URL, str]:
    """What url.Parse gives, and the fragment. Raises URLError with all of Go's text."""
    body, _, fragment = text.partition("#")
    shown = body
    try:
        parsed = _parse(body, of_request=False)
        shown = text
        return parsed, _unescape(fragment)
    except URLError as error:
        raise URLError(f"parse {gofmt.quote(shown)}: {error}") from error


@memoized
def to_url(text: str) -> object:
    error = parse_request_uri(text)
    if error is not None:
        return CelErr(f"URL parse error during conversion from string: {error}")
    body, _, fragment = text.partition("#")
    try:
        _unescape(fragment)
        return _parse(body, of_request=False)
    except URLError as failure:
        return CelErr(f"URL parse error during conversion from string: parse {gofmt.quote(text)}: {failure}")


def is_url(text: str) -> object:
    return parse_request_uri(text) is None


def get_query(url: URL) -> object:
    found: dict[str, list[str]] = {}
    for pair in url.raw_query.split("&"):
        if not pair or ";" in pair:
            continue
        key, _, value = pair.partition("=")
        try:
            key, value = _unescape(key.replace("+", " ")), _unescape(value.replace("+", " "))
        except URLError:
            continue
        found.setdefault(key, []).append(value)
    return found
