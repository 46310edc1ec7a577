"""Where members of a JSON text stand, and what is written there, blanks and all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final

Place = tuple[str | int, ...]

_blanks: Final = re.compile(r"[ \t\n\r]*").match
_decoder: Final = json.JSONDecoder()


def find(text: str, paths: Iterable[Sequence[str]]) -> list[tuple[Place, str]]:
    """The texts at each path; "*" in one is any item of a list. Raises ValueError, IndexError, RecursionError where the
    text is no JSON, or nests too deeply."""
    found: list[tuple[Place, str]] = []
    for path in paths:
        _walk(text, _skip(text, 0), path, (), found)
    return found


def _skip(text: str, at: int) -> int:
    found = _blanks(text, at)
    assert found is not None  # it matches nothing too
    return found.end()


def _walk(text: str, at: int, path: Sequence[str], place: Place, found: list[tuple[Place, str]]) -> int:
    """Find the texts at `path` in the value that begins at `at`; where it ends. Raises ValueError, IndexError."""
    if not path or text[at] != ("[" if path[0] == "*" else "{"):
        end: int = _decoder.raw_decode(text, at)[1]
        if not path:
            found.append((place, text[at:end]))
        return end
    closing, position = ("]" if path[0] == "*" else "}"), 0
    at = _skip(text, at + 1)
    while text[at] != closing:
        key: str | int = position
        if closing == "}":
            key, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)  # the colon
        if path[0] in ("*", key):
            at = _walk(text, at, path[1:], (*place, key), found)
        else:
            at = _decoder.raw_decode(text, at)[1]
        position += 1
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return at + 1
