"""The JSON kernel's oracle: slow, recursive, obvious. Never imported by the package.

`decode` follows encoding/json's grammar by hand, one character at a time, for values of moderate depth; `encode` joins
texts. Both say what a value is, not how errors are worded: a text that is refused gives None.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

INT64 = range(-(2**63), 2**63)


class Refused(Exception):
    pass


def decode(data: bytes) -> tuple[Any, list[str]] | None:
    """(value, paths of duplicate keys), or None."""
    text = repair(data)
    duplicates: list[str] = []
    try:
        root = json.loads(text, object_pairs_hook=Pairs, parse_int=number, parse_float=number, parse_constant=refuse)
        value = build(root, "", duplicates)
    except (ValueError, Refused, RecursionError):
        return None
    return value, list(dict.fromkeys(duplicates))[:100]


class Pairs(list):
    """An object, with all its members as they were given."""


def repair(data: bytes) -> str:
    """Each byte that is not part of a character becomes U+FFFD."""
    out = []
    position = 0
    while position < len(data):
        for length in range(1, 5):
            try:
                out.append(data[position : position + length].decode())
            except UnicodeDecodeError:
                continue
            position += length
            break
        else:
            out.append("\ufffd")
            position += 1
    return "".join(out)


def number(literal: str) -> int | float:
    if not set(literal) & set(".eE") and int(literal) in INT64:
        return int(literal)
    value = float(literal)
    if value in (float("inf"), float("-inf")):
        raise Refused
    return value


def refuse(_: str) -> Any:
    raise Refused


def build(item: Any, path: str, duplicates: list[str]) -> Any:
    """Duplicates come in the order of the text: those of a member's value after the member itself."""
    if isinstance(item, Pairs):
        members: dict[str, Any] = {}
        for name, child in item:
            name = without_surrogates(name)
            place = f"{path}.{name}" if path else name
            if name in members:
                duplicates.append(place)
            members[name] = build(child, place, duplicates)
        return members
    if isinstance(item, list):
        return [build(child, f"{path}[{index}]", duplicates) for index, child in enumerate(item)]
    return without_surrogates(item) if isinstance(item, str) else item


def without_surrogates(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def encode(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{encode(name)}:{encode(child)}" for name, child in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(encode, value)) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, float):
        return encode_float(value)
    if isinstance(value, int):
        return str(value)
    escapes = {ord('"'): '\\"', ord("\\"): "\\\\"} | {code: f"\\u{code:04x}" for code in range(32)}
    escapes |= {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}
    return f'"{value.translate(escapes)}"'


def encode_float(value: float) -> str:
    """encoding/json: shortest digits, an exponent below 1e-6 and from 1e21 on."""
    shortest = Decimal(repr(value))
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        text = format(shortest, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    sign, digits, exponent = shortest.normalize().as_tuple()
    assert isinstance(exponent, int)
    first, rest = str(digits[0]), "".join(map(str, digits[1:]))
    power = exponent + len(digits) - 1
    mantissa = f"{first}.{rest}" if rest else first
    return f"{'-' if sign else ''}{mantissa}e{'-' if power < 0 else '+'}{abs(power)}"
