"""A path element of FieldsV1 as a client may write it, in the one form that it is stored in.

Upstream reads the JSON of values and keys with json-iterator: numbers are floats, and what follows the value in the
text is not looked at. Integers of 64 bits stay exact here, as the sets of fields of objects have them (fieldset.pyx).

Source: structured-merge-diff v6, fieldpath/serialize-pe.go; json-iterator iter.go, iter_float.go, iter_object.go.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

from quarterdeck._kernels import fieldtype
from quarterdeck.apimachinery import strconv
from quarterdeck.fieldmanager import jsoniter

_KINDS: Final = "kvi"
_INT64: Final = range(-(2**63), 2**63)
_INT64_LENGTH: Final = len(str(-(2**63)))
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_OF_NUMBERS: Final = re.compile(r"[-+.eE0-9]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BEGINNINGS: Final = frozenset('"-0123456789tfn[{')
_SPACES: Final = " \t\r\n"
# Differs from upstream: it reads 10,000 levels. Nothing that is an item or a key nests at all.
_LEVELS_MAX: Final = 100


class MalformedFields(ValueError):
    """A text that is no path element."""


class _Members(list[tuple[str, Any]]):
    """Those of an object in the order of their text: a key may have one name twice."""


def normalize(text: str) -> str | None:
    """None: a kind of element that is not known, and is left out. Raises MalformedFields."""
    if len(text) < 2 and text.isascii():
        raise MalformedFields("key must be 2 characters long:")
    if text[1:2] != ":" or not text[0].isascii():
        raise MalformedFields(f"missing colon: {text}")
    kind, content = text[0], text[2:]
    if kind == "f":
        return text
    if kind not in _KINDS:
        return None
    if kind == "i":
        return f"i:{_read_index(content)}"
    _check_beginning(kind, content)
    value = _read_value(content)
    if kind == "v":
        return "v:" + _value_text(value)
    if value is None:
        return "k:{}"
    assert isinstance(value, _Members)
    return "k:" + _members_text(sorted(value, key=_name_of))


def _check_beginning(kind: str, text: str) -> None:
    """Whether a value, or a key, can begin as this text does."""
    begin = text.lstrip(_SPACES)
    at = len(text) - len(begin)
    if kind == "k" and begin[:1] not in ("{", "n"):
        told = f"ReadObjectCB: expect {{ or n, but found {begin[:1]}"
        raise MalformedFields(jsoniter.report(text.encode("utf-8", "replace"), at + 1, told))
    if kind == "v" and begin[:1] not in _BEGINNINGS:
        raise MalformedFields(jsoniter.report(text.encode("utf-8", "replace"), at, "Read: unexpected value type: 0"))


def _read_index(text: str) -> int:
    try:
        return strconv.parse_int(text, "Atoi")
    except strconv.NumError as error:
        raise MalformedFields(str(error)) from error


def _read_value(text: str) -> Any:
    """The JSON at the beginning of a text. A number ends where something else than a part of numbers stands."""
    text = text.lstrip(_SPACES)
    number = _OF_NUMBERS.match(text)
    if number is not None:
        if not _NUMBER.fullmatch(number.group()):
            raise MalformedFields(f"invalid number: {number.group()}")
        return _read_number(number.group())
    try:
        value, _ = _DECODER.raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise MalformedFields(str(error)) from error
    return value


def _read_number(text: str) -> float:
    if _INTEGER.fullmatch(text) and text != "-0" and len(text) <= _INT64_LENGTH and int(text) in _INT64:
        return int(text)
    number = float(text)
    if math.isinf(number):
        raise MalformedFields(f"value out of range: {text}")
    return number


def _refuse(name: str) -> NoReturn:
    raise MalformedFields(f"no number: {name}")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_Members, parse_float=_read_number, parse_int=_read_number, parse_constant=_refuse
)


def _value_text(value: Any, levels: int = _LEVELS_MAX) -> str:
    """Objects with their members sorted, and the last of those of one name."""
    if isinstance(value, str):
        return fieldtype.value_text(_SURROGATE.sub("\ufffd", value))
    if not isinstance(value, list):
        return fieldtype.value_text(value)
    if not levels:
        raise MalformedFields(f"nested deeper than {_LEVELS_MAX} levels")
    if isinstance(value, _Members):
        return _members_text(sorted(dict(value).items()), levels - 1)
    return f"[{','.join(_value_text(item, levels - 1) for item in value)}]"


def _members_text(members: list[tuple[str, Any]], levels: int = _LEVELS_MAX) -> str:
    return "{" + ",".join(f"{_value_text(name)}:{_value_text(value, levels)}" for name, value in members) + "}"


def _name_of(member: tuple[str, Any]) -> str:
    return member[0]
