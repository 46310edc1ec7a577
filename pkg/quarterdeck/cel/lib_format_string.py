"""string.format(): `%s %d %.2f %e %b %x %o`.

Floats print as Go's x/text prints them in en_US: groups of three digits and `×10⁰³` for exponents. The same reading of
the format string serves the check of literal ones at compile time.
Source: cel-go's ext/formatting.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

from quarterdeck._kernels import celvalue
from quarterdeck.apimachinery import gofmt
from quarterdeck.cel import lib_core
from quarterdeck.cel.digits import read_int
from quarterdeck.cel.values import CelErr, Duration, ObjectValue, Timestamp, TypeValue, UInt

_PRECISION: Final = 6
_INT_MAX: Final = (1 << 63) - 1
# What widths and precisions may be before their last digit; larger ones are no part of a format to Go. Of those that
# are it keeps some bits.
_SIZE_MAX: Final = 1_000_000
_NO_VERB: Final = "%!(NOVERB)"
# Differs from upstream: what numbers are padded with in one call is bounded.
_PADDED_MAX: Final = 1_000_000
# A double has no more digits than these.
_FRACTION_MAX: Final = 1074
_SUPERSCRIPT: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_STRING_KINDS: Final = (
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
    "timestamps, was given {}"
)
# The complaint of each clause about an argument of a wrong type.
COMPLAINTS: Final = {
    "s": _STRING_KINDS,
    "d": "decimal clause can only be used on integers, was given {}",
    "f": "fixed-point clause can only be used on doubles, was given {}",
    "e": "scientific clause can only be used on doubles, was given {}",
    "b": "only integers and bools can be formatted as binary, was given {}",
    "x": "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    "X": "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    "o": "octal clause can only be used on integers, was given {}",
}


class FormatError(Exception):
    pass


class ClauseError(FormatError):
    """A clause met an argument of a type that it cannot show."""


def expand(text: str, count: int, clause: Callable[[str, int | None, int], str], *, is_checked: bool = False) -> str:
    """`text` with each clause replaced by clause(letter, precision, argument's index); raises FormatError. Where it is
    only checked, a clause without an end is told before its argument is missed."""
    out: list[str] = []
    at = argument = 0
    while True:
        mark = text.find("%", at)
        if mark < 0:
            out.append(text[at:])
            return "".join(out)
        out.append(text[at:mark])
        if text[mark + 1 : mark + 2] == "%":
            out.append("%")
            at = mark + 2
            continue
        if argument >= count and not (is_checked and mark + 1 >= len(text)):
            raise FormatError(f"index {argument} out of range")
        if mark + 1 >= len(text):
            raise FormatError("unexpected end of string")
        letter, precision, at = _read_clause(text, mark + 1)
        if letter not in COMPLAINTS:
            first = chr(letter.encode("utf-8", "surrogatepass")[0])  # the byte is taken for a character, as upstream
            raise FormatError(f'could not parse formatting clause: unrecognized formatting clause "{first}"')
        try:
            out.append(clause(letter, precision, argument))
        except ClauseError as error:
            raise ClauseError(f"error during formatting: {error}") from None
        argument += 1


def _read_clause(text: str, at: int) -> tuple[str, int | None, int]:
    if text[at] != ".":
        return text[at], None, at + 1
    end = at + 1
    while end < len(text) and "0" <= text[end] <= "9":
        end += 1
    prefix = "could not parse formatting clause: error while parsing precision: "
    if end >= len(text):
        raise FormatError(f"{prefix}could not find end of precision specifier")
    digits = text[at + 1 : end]
    if not digits:
        raise FormatError(
            f'{prefix}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'
        )
    precision = read_int(digits)
    if precision > _INT_MAX:
        raise FormatError(
            f'{prefix}error while converting precision to integer: strconv.Atoi: parsing "{digits}": value out of range'
        )
    return text[end], precision, end + 1


def format_string(text: str, args: object) -> object:
    values = celvalue.items_of(args)
    padded = 0

    def clause(letter: str, precision: int | None, index: int) -> str:
        nonlocal padded
        value = values[index]
        if letter == "e" and precision is not None:
            padded += precision & 0xFFFF
            if padded > _PADDED_MAX:
                raise FormatError(f"could not parse formatting clause: precision {precision} is too large")
        if type(value) is CelErr:
            raise FormatError(value.message)
        shown = _show(letter, precision, value)
        if shown is None:
            raise ClauseError(COMPLAINTS[letter].format(celvalue.cel_type_name(value)))
        return shown

    try:
        return expand(text, len(values), clause)
    except FormatError as error:
        return CelErr(str(error))


def _show(letter: str, precision: int | None, value: Any) -> str | None:
    kind = type(value)
    if letter == "s":
        return show_string(value)
    if letter == "d":
        return str(value) if kind is int or kind is UInt else None
    if letter in "fe":
        if kind is str and value in ("NaN", "Infinity", "-Infinity"):
            value = float(value)
        elif kind is not float:
            return None
        if precision is not None and precision // 10 > _SIZE_MAX:
            return _NO_VERB
        if letter == "f":
            return _fixed(value, _PRECISION if precision is None else precision)
        # Upstream takes the precision of %e for a width; six digits are always shown.
        return _scientific(value).rjust((precision or 0) & 0xFFFF)
    if letter == "b":
        if kind is bool:
            return "1" if value else "0"
        return format(value, "b") if kind is int or kind is UInt else None
    if letter == "o":
        return format(value, "o") if kind is int or kind is UInt else None
    shown: str | None = None
    if kind is str:
        shown = value.encode("utf-8", "surrogatepass").hex()
    elif kind is bytes:
        shown = value.hex()
    elif kind is int or kind is UInt:
        shown = format(value, "x")
    return shown if shown is None or letter == "x" else shown.upper()


def _special(value: float) -> str | None:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return None


def _fixed(value: float, digits: int) -> str:
    special = _special(value)
    if special is not None:
        return special
    sign = "-" if value < 0 else ""
    shown = format(abs(value), f",.{min(digits & 0xFFFF, _FRACTION_MAX)}f")
    if digits & 0x8000:  # a negative number of digits to Go, which means as few as tell the number from others
        shown = format(Decimal(repr(abs(value))), ",f")
    if digits > 0xFF:
        whole, _, fraction = shown.partition(".")
        fraction = fraction.rstrip("0").ljust(digits & 0xFF, "0")
        shown = f"{whole}.{fraction}" if fraction else whole
    return sign + shown


def _scientific(value: float) -> str:
    special = _special(value)
    if special is not None:
        return special
    mantissa, _, exponent = format(value if value else 0.0, f".{_PRECISION}e").partition("e")
    sign = "-" if exponent.startswith("-") else ""
    return f"{mantissa}×10{(sign + exponent.lstrip('+-').rjust(2, '0')).translate(_SUPERSCRIPT)}"


def show_string(value: Any) -> str | None:
    """`%s`; None for what it cannot show, ClauseError for what stands in a list or map and has no form there. The
    literals inside lists and maps are CEL's own."""
    if value is None:
        return "null"
    items = celvalue.items_of(value)
    if items is not None:
        return f"[{', '.join([_literal(item) for item in items])}]"
    keys = celvalue.keys_of(value)
    if keys is not None:
        pairs = []
        for key in keys:
            if key is None and type(value) is ObjectValue:  # a member that the schema does not describe
                raise celvalue.Panic("runtime error: invalid memory address or nil pointer dereference")
            if type(key) not in (str, bool, int, UInt):
                raise ClauseError(f"no formatting function for map key of type {celvalue.cel_type_name(key)}")
            found = celvalue.get_key(value, key)
            if found is celvalue.missing:
                raise ClauseError(f"could not find key: {gofmt.quote(str(key))}")
            pairs.append((_literal(key), _literal(found)))
        return "{" + ", ".join(f"{k}:{v}" for k, v in sorted(pairs, key=lambda pair: pair[0])) + "}"
    if type(value) is float:
        return lib_core.show_double(value)
    if isinstance(value, TypeValue):
        return value.name
    if getattr(value, "cel_type", None) is not None:
        return None
    shown_value = lib_core.to_string(value)
    if type(value) is bytes and isinstance(shown_value, CelErr):
        raise ClauseError(f"could not convert argument {gofmt.quote(shown_value.message)} to string")
    return shown_value if isinstance(shown_value, str) else None


def _literal(value: Any) -> str:
    """A value within a list or map; raises ClauseError for what has no form there."""
    kind = type(value)
    if kind is str:
        return gofmt.quote(value)
    if kind is bytes:
        return "b" + gofmt.quote(show_string(value) or "")
    if kind is float:
        if math.isnan(value) or math.isinf(value):
            return gofmt.quote("NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf"))
        return (
            str(Decimal(value).quantize(Decimal("0.000001"), rounding=ROUND_HALF_EVEN))
            if abs(value) < 1e20
            else format(value, ".6f")
        )
    if kind is Timestamp or kind is Duration:
        shown = lib_core.to_string(value)
        assert isinstance(shown, str)
        return f"{'timestamp' if kind is Timestamp else 'duration'}({gofmt.quote(shown)})"
    shown_value = show_string(value)
    if shown_value is None:
        raise ClauseError(f"no formatting function for {celvalue.cel_type_name(value)}")
    return shown_value
