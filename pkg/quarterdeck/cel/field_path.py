"""JSON paths of fields and map keys, `.a.b['c']`: fieldPath of a rule, jsonPath of a selectable field.

Source: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (ValidFieldPath).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from quarterdeck.apimachinery import field

Schema = Mapping[str, Any]

_ESCAPE = re.compile(r"\\.", re.DOTALL)
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\",
}  # fmt: skip
_NO_FIELD: Final = "does not refer to a valid field"
_CUT_OFF: Final = "unexpected end of JSON path"


class FieldPathError(Exception):
    """The path does not lead to a field of the schema; the text is upstream's."""


def normalize(path: str, schema: Schema) -> str | None:
    """The path as field errors show it (`a.b[c]`); None where it does not lead to a field of the schema."""
    try:
        return resolve(path, schema)[0]
    except FieldPathError:
        return None


def resolve(path: str, schema: Schema, *, allow_brackets: bool = True) -> tuple[str, Schema | None]:
    """The path as field errors show it, and the schema of the field: None for the values of a map that says nothing
    of them. Raises FieldPathError."""
    shown = ""
    found: Schema | None = schema
    tokens = iter(_tokens(path))
    for token in tokens:
        if token == "." or (token == "[" and allow_brackets):
            is_bracket = token == "["
            name = _quoted(_next(tokens)) if is_bracket else _next(tokens)
            shown, found = _step(shown, found, name)
            if is_bracket and (end := _next(tokens)) != "]":
                raise FieldPathError(f"expected ] but got {end}")
        elif token == "[":
            raise FieldPathError("array notation is not allowed")
        else:
            raise FieldPathError(f"expected [ or . but got: {token}")
    return shown, found


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


def _next(tokens: Iterator[str]) -> str:
    for token in tokens:
        return token
    raise FieldPathError(_CUT_OFF)


def _quoted(token: str) -> str:
    if len(token) < 2 or token[0] != "'" or token[-1] != "'":
        raise FieldPathError(f"expected single quoted string but got {token}")
    return _ESCAPE.sub(_unescape, token[1:-1])


def _step(shown: str, schema: Schema | None, name: str) -> tuple[str, Schema | None]:
    """One name further."""
    properties = (schema or {}).get("properties")
    values = (schema or {}).get("additionalProperties")
    if properties:
        if name not in properties:
            raise FieldPathError(_NO_FIELD)
        return field.child(shown, name), properties[name]
    if values is None:
        raise FieldPathError(_NO_FIELD)
    return field.key(shown, name), values if isinstance(values, Mapping) else None


def _unescape(found: re.Match[str]) -> str:
    letter = found.group()[1]
    if letter not in _ESCAPES:
        raise FieldPathError("invalid string literal: invalid escape sequence")
    return _ESCAPES[letter]
