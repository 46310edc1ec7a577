"""What a YAML 1.1 scalar means to go-yaml v2, and how a Go value is shown in its errors.

`y`, `no` and `on` are booleans, `0777` and `0o777` are octal, `1_000` is a number, `1:30` is a text, a time stays the
text it is. Source: go-yaml v2 resolve.go; strconv.ParseInt with base 0.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from typing import Any, Final

from quarterdeck.apimachinery import gobase64, gofmt

Scalar = str | int | float | bool | None

_TAG_PREFIX: Final = "tag:yaml.org,2002:"
STR_TAG: Final = "!!str"
MERGE_TAG: Final = "!!merge"
NULL_TAG: Final = "!!null"
_BOOL_TAG: Final = "!!bool"
_INT_TAG: Final = "!!int"
_FLOAT_TAG: Final = "!!float"
_TIMESTAMP_TAG: Final = "!!timestamp"
_BINARY_TAG: Final = "!!binary"
_RESOLVABLE: Final = frozenset(("", STR_TAG, _BOOL_TAG, _INT_TAG, _FLOAT_TAG, NULL_TAG, _TIMESTAMP_TAG, _BINARY_TAG))

_WORD_GROUPS: Final[tuple[tuple[str, str, Scalar], ...]] = (
    ("y Y yes Yes YES true True TRUE on On ON", _BOOL_TAG, True),
    ("n N no No NO false False FALSE off Off OFF", _BOOL_TAG, False),
    ("~ null Null NULL", NULL_TAG, None),
    (".nan .NaN .NAN", _FLOAT_TAG, math.nan),
    (".inf .Inf .INF +.inf +.Inf +.INF", _FLOAT_TAG, math.inf),
    ("-.inf -.Inf -.INF", _FLOAT_TAG, -math.inf),
)
_WORDS: Final[dict[str, tuple[str, Scalar]]] = {"": (NULL_TAG, None)} | {
    word: (tag, value) for words, tag, value in _WORD_GROUPS for word in words.split()
}

_is_float = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z").match
_is_timestamp = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"([Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?\Z"
).match
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|0[oO]?(?P<octal>[0-7]+)|(?P<decimal>0|[1-9][0-9]*))\Z"
).match
_BASES: Final = (("hex", 16), ("binary", 2), ("octal", 8), ("decimal", 10))
_INTEGER_DIGITS_MAX: Final = 70  # a longer one fits no 64 bits, whatever its base


class ScalarError(ValueError):
    """A tag and a text that do not go together."""


def short_tag(tag: str | None) -> str:
    if not tag:
        return ""
    return "!!" + tag[len(_TAG_PREFIX) :] if tag.startswith(_TAG_PREFIX) else tag


def resolve(tag: str, text: str) -> tuple[str, Scalar]:
    """(tag, value) of a plain or tagged scalar. A time is its text. Raises ScalarError."""
    if tag not in _RESOLVABLE:
        return tag, text
    if tag == _BINARY_TAG:
        return tag, _decode_binary(text)
    found, value = (STR_TAG, text) if tag == STR_TAG else _guess(tag, text)
    if tag in ("", found, STR_TAG):
        return found, value
    if tag == _FLOAT_TAG and found == _INT_TAG and isinstance(value, int):
        return tag, float(value)
    raise ScalarError(f"cannot decode {found} `{text}` as a {tag}")


def _decode_binary(text: str) -> str:
    if gobase64.fault(text, gobase64.STANDARD):
        raise ScalarError("!!binary value contains invalid base64 data")
    return gofmt.decode_utf8(base64.b64decode(text))


def _guess(tag: str, text: str) -> tuple[str, Scalar]:
    first = text[:1]
    if first and first not in "+-0123456789yYnNtTfFoO~.":
        return STR_TAG, text
    if (word := _WORDS.get(text)) is not None:
        return word
    if first == ".":
        return (_FLOAT_TAG, float(text)) if _is_float(text) and _is_finite(text) else (STR_TAG, text)
    if first in "+-0123456789":
        return _guess_number(tag, text)
    return STR_TAG, text


def _is_finite(text: str) -> bool:
    # strconv.ParseFloat refuses what overflows; such a text stays a text.
    return math.isfinite(float(text))


def _guess_number(tag: str, text: str) -> tuple[str, Scalar]:
    if tag in ("", _TIMESTAMP_TAG) and _is_timestamp(text):
        return _TIMESTAMP_TAG, text
    plain = text.replace("_", "")
    if (number := _parse_integer(plain)) is not None:
        return _INT_TAG, number
    if _is_float(plain) and _is_finite(plain):
        return _FLOAT_TAG, float(plain)
    return STR_TAG, text


def _parse_integer(text: str) -> int | None:
    """An integer that fits int64, or uint64 without a sign."""
    if len(text) > _INTEGER_DIGITS_MAX or not (match := _INTEGER(text)):
        return None
    digits, base = next((match[name], base) for name, base in _BASES if match[name] is not None)
    number = int(digits, base)
    sign = match["sign"]
    if sign == "-":
        return -number if number <= 2**63 else None
    limit = 2**63 if sign else 2**64
    return number if number < limit else None


def format_key(key: Scalar) -> str | None:
    """A map's key as sigs.k8s.io/yaml turns it into text; None for the kinds that it refuses (null, beyond int64)."""
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int):
        return str(key) if key < 2**63 else None
    return _format_float32_key(key) if isinstance(key, float) else None


def _format_float32_key(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    packed = struct.pack("f", single)
    for digits in range(9):
        shortest = f"{single:.{digits}e}"
        if struct.pack("f", float(shortest)) == packed:
            break
    return gofmt.format_float_g(shortest)


def go_syntax(value: Any) -> str:
    """`%#v` of what go-yaml decodes, for its errors. Nested deeper than an error can show, it is cut."""
    return _go_syntax(value, 20, is_inner=False)


def _go_syntax(value: Any, depth_max: int, *, is_inner: bool) -> str:
    if value is None:
        return "interface {}(nil)" if is_inner else "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return gofmt.quote(value)
    if isinstance(value, int):
        return f"0x{value:x}" if value >= 2**63 else str(value)
    if isinstance(value, float):
        return gofmt.format_float(value)
    if depth_max == 0:
        return "..."
    if isinstance(value, list):
        return "[]interface {}{" + ", ".join(_go_syntax(v, depth_max - 1, is_inner=True) for v in value) + "}"
    members = (f"{gofmt.quote(k)}:{_go_syntax(value[k], depth_max - 1, is_inner=True)}" for k in sorted(value))
    return "map[interface {}]interface {}{" + ", ".join(members) + "}"
