"""Numbers and quoted texts within a JSONPath. Both raise ValueError.

Source: client-go/util/jsonpath/parser.go (parseNumber, UnquoteExtend); Go's strconv (UnquoteChar).
"""

from __future__ import annotations

import math
import re
from typing import Final

from quarterdeck.apimachinery.gofmt import decode_utf8
from quarterdeck.apimachinery.jsonpath.steps import INT64_MAX, INT64_MIN, Integer

_INTEGER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_SIMPLE: Final = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_HEX: Final = {char: re.compile(rf"[0-9A-Fa-f]{{{digits}}}") for char, digits in (("x", 2), ("u", 4), ("U", 8))}
_OCTAL: Final = re.compile(r"[0-3][0-7]{2}")


def parse_number(word: str) -> Integer | float:
    """What does not fit into 64 bits is a float."""
    if _INTEGER.fullmatch(word) and INT64_MIN <= (integer := int(word)) <= INT64_MAX:
        return Integer(integer)
    number = float(word)
    if math.isinf(number):
        raise ValueError("value out of range")
    return number


def unquote(text: str, quote: str) -> str:
    """The value of what stands between two quotes. Escapes of bytes make what UTF-8 makes of them."""
    if "\\" not in text:
        return text
    out = bytearray()
    position = 0
    while position < len(text):
        char = text[position]
        position += 1
        if char == quote:
            raise ValueError("invalid syntax")
        if char == "\\":
            value, position = _unescape(text, position, quote)
            out += value
        else:
            out += char.encode("utf-8", "surrogatepass")
    return decode_utf8(bytes(out))


def _unescape(text: str, position: int, quote: str) -> tuple[bytes, int]:
    """The bytes of the escape behind a backslash, and the position behind it."""
    char = text[position : position + 1]
    if char in _SIMPLE:
        return bytes([_SIMPLE[char]]), position + 1
    if char == quote:
        return quote.encode(), position + 1
    if octal := _OCTAL.match(text, position):
        return bytes([int(octal.group(), 8)]), octal.end()
    digits = _HEX[char].match(text, position + 1) if char in _HEX else None
    if digits is None:
        raise ValueError("invalid syntax")
    value = int(digits.group(), 16)
    if char == "x":
        return bytes([value]), digits.end()
    if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
        raise ValueError("invalid syntax")
    return chr(value).encode(), digits.end()
