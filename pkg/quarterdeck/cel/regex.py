"""Regular expressions: RE2 through google-re2, with Go's words for what is wrong with a pattern.

The wrapper's match objects cost several times the match itself, so callers get the compiled object below it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import re2

from quarterdeck._kernels import pattern as kernel
from quarterdeck.apimachinery import gopatterns, unicodeclasses

ANYWHERE: Final = re2._re2.RE2.Anchor.UNANCHORED
_OPTIONS: Final = re2.Options()
_OPTIONS.log_errors = False

_CACHED_CHARS_MAX: Final = 4096


class PatternError(Exception):
    """`str()` is Go's text: error parsing regexp: …"""


class Pattern:
    """A compiled pattern. `search(ANYWHERE, text, start, end)` gives spans, in bytes: of the match and its groups."""

    __slots__ = ("groups", "search")

    def __init__(self, compiled: Any) -> None:
        self.search = compiled._regexp.Match
        self.groups = compiled.groups


def compile_pattern(text: str) -> Pattern:
    """Raises PatternError."""
    return _compile_short(text) if len(text) <= _CACHED_CHARS_MAX else _compile(text)


@lru_cache(maxsize=1024)
def _compile_short(text: str) -> Pattern:
    return _compile(text)


def _compile(text: str) -> Pattern:
    translation = unicodeclasses.translate(text)
    try:
        compiled, error = Pattern(re2.compile(translation.text, _OPTIONS)), ""
    except re2.error as refused:
        compiled, error = None, translation.restore(_words_of(refused))
    except UnicodeEncodeError:
        raise PatternError("error parsing regexp: invalid UTF-8") from None
    fault = gopatterns.find_fault(text, lambda part: error if part == text else _error_of(part))
    if fault or compiled is None:
        raise PatternError(fault)
    return compiled


def _error_of(text: str) -> str:
    translation = unicodeclasses.translate(text)
    try:
        re2.compile(translation.text, _OPTIONS)
    except re2.error as error:
        return translation.restore(_words_of(error))
    return ""


def _words_of(error: Exception) -> str:
    raw = error.args[0] if error.args else ""
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def span(pattern: Pattern, text: bytes, start: int) -> tuple[int, int] | None:
    """The first match at or after `start`."""
    found: list[tuple[int, int]] = pattern.search(ANYWHERE, text, start, len(text))
    return found[0] if found[0][0] != -1 else None


# An automaton's table (see the kernel), or None where a pattern gets none.
TableBuilder = Callable[[str], tuple[bytes, int, bytes, bytes] | None]

# Uses of a pattern after which building its automaton pays.
_USES_BEFORE_AUTOMATON: Final = 300


class _Automata:
    """Who builds automata: a layer above, handed in when the server is put together."""

    build: TableBuilder | None = None


def set_table_builder(build: TableBuilder) -> None:
    """Patterns that are often used go over from RE2 to the automata that `build` makes."""
    _Automata.build = build


def _table(text: str) -> tuple[bytes, int, bytes, bytes] | None:
    return _Automata.build(text) if _Automata.build is not None else None


def _search_of(text: str) -> Any:
    return compile_pattern(text).search


@lru_cache(maxsize=1024)
def matcher(text: str) -> kernel.Matcher:
    """The matcher of a pattern that compiles, shared by all rules that name it."""
    return kernel.Matcher(text, _search_of, _table, ANYWHERE, _USES_BEFORE_AUTOMATON)
