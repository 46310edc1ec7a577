"""Values as Go's fmt and encoding/json print them.

Kubernetes' error texts quote values with Go's verbs; clients and tests compare these texts, so they are spelled
here once. Source of the rules: the Go documentation of fmt, strconv and encoding/json.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Final, NamedTuple

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import gotext

SIMPLE_ESCAPES: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}

_JSON_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}
_JSON_PRINTABLE = '\\"<>&'  # the backslash first: it is in what the others become
_json_special = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029]').sub


def quote(text: str) -> str:
    """`%q`: a double-quoted Go string literal; what Go does not count as printable is escaped. Bytes
    that are no UTF-8 stand in `text` as Python's surrogateescape has them."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    out = ['"']
    for char in text:
        if escape := SIMPLE_ESCAPES.get(char):
            out.append(escape)
        elif gotext.is_printable(char):
            out.append(char)
        else:
            out.append(_escape_unprintable(ord(char)))
    out.append('"')
    return "".join(out)


def quote_all(values: Iterable[str]) -> str:
    """%q of a list."""
    return f"[{' '.join(map(quote, values))}]"


def _escape_unprintable(code: int) -> str:
    if code < 0x80:
        return f"\\x{code:02x}"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def format_float(value: float) -> str:
    """`%v` of a float64: the shortest digits, with an exponent below 1e-4 and from 1e6 (1e+06, 123456.5)."""
    special = _special_float(value)
    return format_float_g(repr(value)) if special is None else special


def format_json_float(value: float) -> str:
    """A float64 as encoding/json writes it: an exponent below 1e-6 and from 1e21, without leading zeros."""
    if value != 0 and (abs(value) < 1e-6 or abs(value) >= 1e21):
        return _exponent_form(value, digits_min=1 if abs(value) < 1 else 2)
    return _plain_form(value)


def format_float_g(text: str) -> str:
    """strconv.FormatFloat(value, 'g', -1, …) of the number whose shortest digits stand in `text`."""
    sign, digit_tuple, exponent = Decimal(text).normalize().as_tuple()
    assert isinstance(exponent, int)
    digits = "".join(map(str, digit_tuple))
    scientific = exponent + len(digits) - 1
    prefix = "-" if sign else ""
    if digits == "0":
        return f"{prefix}0"
    if -4 <= scientific < 6:
        return prefix + format(Decimal((0, digit_tuple, exponent)), "f")
    fraction = "." + digits[1:] if len(digits) > 1 else ""
    mark = "-" if scientific < 0 else "+"
    return f"{prefix}{digits[0]}{fraction}e{mark}{abs(scientific):02d}"


def decode_utf8(data: bytes) -> str:
    """Bytes as Go prints them in JSON: each byte that is not part of a character is U+FFFD."""
    return data.decode("utf-8", _PER_BYTE)


def _replace_each_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd" * (error.end - error.start), error.end


_PER_BYTE = "quarterdeck-replace-each-byte"
codecs.register_error(_PER_BYTE, _replace_each_byte)


def _special_float(value: float) -> str | None:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return None


def _plain_form(value: float) -> str:
    text = repr(value)
    if "e" in text:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0")


def _exponent_form(value: float, digits_min: int) -> str:
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    mantissa = "".join(map(str, digits))
    scientific = exponent + len(mantissa) - 1
    fraction = "." + mantissa[1:] if len(mantissa) > 1 else ""
    mark = "-" if scientific < 0 else "+"
    return f"{'-' if sign else ''}{mantissa[0]}{fraction}e{mark}{abs(scientific):0{digits_min}d}"


class Foreign(NamedTuple):
    """A Go value that is no JSON: its type (`%T`), and what `%v` and `%#v` print of it."""

    go_type: str
    shown: str
    syntax: str

    def __str__(self) -> str:
        return self.shown


def format_value(value: object) -> str:
    """`%v` of a decoded JSON value (maps in key order, as Go prints them). Works for any depth."""
    return _join(value, _GO_SYNTAX, str, _format_scalar)


def format_as_text(value: object) -> str:
    """`%s` of a decoded JSON value, which takes texts alone: `map[a:%!s(int64=1)]`."""
    return _join(value, _GO_SYNTAX, str, _text_scalar)


class _Syntax(NamedTuple):
    """What stands around and between the members of containers."""

    map_start: str
    map_end: str
    list_start: str
    list_end: str
    separator: str


_GO_SYNTAX: Final = _Syntax("map[", "]", "[", "]", " ")
_JSON_SYNTAX: Final = _Syntax("{", "}", "[", "]", ",")


def _join(value: object, syntax: _Syntax, show_key: Callable[[str], str], show_scalar: Callable[[object], str]) -> str:
    """A decoded JSON value as text, maps in key order. An explicit stack: any depth."""
    out: list[str] = []
    stack: list[tuple[bool, object]] = [(False, value)]  # (is text already, text or value)
    while stack:
        is_text, item = stack.pop()
        if is_text:
            out.append(str(item))
        elif isinstance(item, dict):
            stack.append((True, syntax.map_end))
            for position, key in reversed(list(enumerate(longsteps.sort(item)))):
                stack.append((False, item[key]))
                stack.append((True, (syntax.separator if position else "") + show_key(key) + ":"))
            stack.append((True, syntax.map_start))
        elif isinstance(item, list):
            stack.append((True, syntax.list_end))
            for position in range(len(item) - 1, -1, -1):
                stack.append((False, item[position]))
                if position:
                    stack.append((True, syntax.separator))
            stack.append((True, syntax.list_start))
        else:
            out.append(show_scalar(item))
    return "".join(out)


def _text_scalar(value: object) -> str:
    if isinstance(value, str):
        return value
    kinds = {bool: "bool=", int: "int64=", float: "float64="}
    return f"%!s({kinds.get(type(value), '')}{_format_scalar(value)})"


def _format_scalar(value: object) -> str:
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_float(value) if isinstance(value, float) else str(value)


def json_type(value: object) -> str:
    """What encoding/json calls the kind of a value in its errors (`cannot unmarshal number into …`)."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list) else "null"


def format_json(value: object) -> str:
    """encoding/json's Marshal: sorted keys, no spaces, <, > and & escaped. Works for any depth."""
    return _join(value, _JSON_SYNTAX, _json_string, _json_scalar)


def _json_scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format_json_float(value)
    if isinstance(value, int):
        return str(value)
    return _json_string(str(value))


def _json_string(text: str) -> str:
    if text.isascii() and text.isprintable():
        # A translation looks up each character, which takes 100 ms for a megabyte.
        for char in _JSON_PRINTABLE:
            text = text.replace(char, _JSON_ESCAPES[char])
        return f'"{text}"'
    return '"' + _json_special(_escape_json, text) + '"'


def _escape_json(found: re.Match[str]) -> str:
    char = found[0]
    return _JSON_ESCAPES.get(char) or f"\\u{ord(char):04x}"
