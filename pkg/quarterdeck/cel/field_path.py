"""fieldPath of a rule: a JSON path of fields and map keys, `.a.b['c']`.

Source: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (ValidFieldPath).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.apimachinery import field

_ESCAPE = re.compile(r"\\.", re.DOTALL)
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\",
}  # fmt: skip


class _Invalid(Exception):
    pass


def normalize(path: str, schema: Mapping[str, Any]) -> str | None:
    """The path as field errors show it (`a.b[c]`); None where it does not lead to a field of the schema."""
    try:
        return _walk(_tokens(path), schema)
    except _Invalid:
        return None


def _tokens(path: str) -> list[str]:
    """Delimiters, quoted strings with their quotes, and what stands between."""
    tokens: list[str] = []
    at = 0
    while at < len(path):
        if path[at] in ".[]":
            tokens.append(path[at])
            at += 1
            continue
        if path[at] == "'":
            end = at + 1
            while end < len(path) and not (path[end] == "'" and path[end - 1] != "\\"):
                end += 1
            tokens.append(path[at : end + 1])
            at = end + 1
            continue
        end = at
        while end < len(path) and path[end] not in ".[]":
            end += 1
        tokens.append(path[at:end])
        at = end
    return tokens


def _walk(tokens: list[str], schema: Mapping[str, Any]) -> str:
    shown = ""
    at = 0
    while at < len(tokens):
        bracket = tokens[at] == "["
        if tokens[at] not in (".", "[") or at + 1 >= len(tokens):
            raise _Invalid
        name = tokens[at + 1]
        at += 2
        if bracket:
            if len(name) < 2 or name[0] != "'" or name[-1] != "'":
                raise _Invalid
            name = _ESCAPE.sub(_unescape, name[1:-1])
            if at >= len(tokens) or tokens[at] != "]":
                raise _Invalid
            at += 1
        properties = schema.get("properties")
        values = schema.get("additionalProperties")
        if properties:
            if name not in properties:
                raise _Invalid
            shown = field.child(shown, name)
            schema = properties[name]
        elif isinstance(values, Mapping):
            shown = field.key(shown, name)
            schema = values
        else:
            raise _Invalid
    return shown


def _unescape(found: re.Match[str]) -> str:
    letter = found.group()[1]
    if letter not in _ESCAPES:
        raise _Invalid
    return _ESCAPES[letter]
