"""IP addresses as Go's net/netip reads them, and its words for texts that are none.

Source: Go's net/netip (ParseAddr).
"""

from __future__ import annotations

import ipaddress
from typing import Final

from quarterdeck.apimachinery import gofmt

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_HEX: Final = frozenset("0123456789abcdefABCDEF")
_BYTES: Final = 16


class AddressError(Exception):
    """`str()` is Go's text."""


def parse_address(text: str) -> tuple[Address, str]:
    """(address, zone); raises AddressError."""
    for c in text:
        if c == ".":
            return ipaddress.IPv4Address(_read_v4(text, 0, len(text))), ""
        if c == ":":
            return _parse_v6(text)
        if c == "%":
            raise _fail(text, "missing IPv6 address")
    raise _fail(text, "unable to parse IP")


def _fail(text: str, message: str, at: str = "") -> AddressError:
    place = f" (at {gofmt.quote(at)})" if at else ""
    return AddressError(f"ParseAddr({gofmt.quote(text)}): {message}{place}")


def _read_v4(text: str, start: int, end: int) -> bytes:
    """The bytes of the address that stands there in a text."""
    fields: list[int] = []
    value = digits = 0
    for i in range(start, end):
        c = text[i]
        if "0" <= c <= "9":
            if digits == 1 and value == 0:
                raise _fail(text, "IPv4 field has octet with leading zero")
            value = value * 10 + int(c)
            digits += 1
            if value > 255:
                raise _fail(text, "IPv4 field has value >255")
        elif c == ".":
            if i == start or i == end - 1 or text[i - 1] == ".":
                raise _fail(text, "IPv4 field must have at least one digit", text[i:])
            if len(fields) == 3:
                raise _fail(text, "IPv4 address too long")
            fields.append(value)
            value = digits = 0
        else:
            raise _fail(text, "unexpected character", text[i:])
    if len(fields) < 3:
        raise _fail(text, "IPv4 address too short")
    return bytes([*fields, value])


def _parse_v6(text: str) -> tuple[ipaddress.IPv6Address, str]:
    body, percent, zone = text.partition("%")
    if percent and not zone:
        raise _fail(text, "zone must be a non-empty string")
    if body == "::":
        return ipaddress.IPv6Address(0), zone
    return ipaddress.IPv6Address(_Groups(text, body).read()), zone


class _Groups:
    """The groups of an address, read from left to right. `gap` is where `::` stands among the bytes read."""

    def __init__(self, text: str, body: str) -> None:
        self._text = text
        self._body = body
        self._at = 2 if body.startswith("::") else 0
        self._gap = 0 if self._at else -1
        self._out = bytearray()

    def read(self) -> bytes:
        """Raises AddressError."""
        while len(self._out) < _BYTES and self._read_group():
            pass
        if self._at < len(self._body):
            raise self._fail("trailing garbage after address")
        missing = _BYTES - len(self._out)
        if missing and self._gap < 0:
            raise _fail(self._text, "address string too short")
        if not missing and self._gap >= 0:
            raise _fail(self._text, "the :: must expand to at least one field of zeros")
        if missing:
            self._out[self._gap : self._gap] = bytes(missing)
        return bytes(self._out)

    def _fail(self, message: str) -> AddressError:
        return _fail(self._text, message, self._body[self._at :])

    def _read_group(self) -> bool:
        """False when the text has ended."""
        body, end = self._body, self._at
        while end < len(body) and body[end] in _HEX:
            if end - self._at > 3:
                raise self._fail("each group must have 4 or less digits")
            end += 1
        if end == self._at:
            raise self._fail("each colon-separated field must have at least one digit")
        if body[end : end + 1] == ".":
            self._read_last_v4()
            return False
        self._out += int(body[self._at : end], 16).to_bytes(2, "big")
        self._at = end
        if end == len(body):
            return False
        if body[end] != ":":
            raise self._fail("unexpected character, want colon")
        if end + 1 == len(body):
            raise self._fail("colon must be followed by more characters")
        self._at += 1
        if body[self._at] != ":":
            return True
        if self._gap >= 0:
            raise self._fail("multiple :: in address")
        self._gap = len(self._out)
        self._at += 1
        return self._at < len(body)

    def _read_last_v4(self) -> None:
        if self._gap < 0 and len(self._out) != 12:
            raise self._fail("embedded IPv4 address must replace the final 2 fields of the address")
        if len(self._out) > 12:
            raise self._fail("too many hex fields to fit an embedded IPv4 at the end of the address")
        self._out += _read_v4(self._text, self._at, len(self._body))
        self._at = len(self._body)
