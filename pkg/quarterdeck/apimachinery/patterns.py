"""Regular expressions in Go's syntax, by google-re2: linear in the text whatever the pattern.

The one place that knows the library. A compiled pattern is the object under its Python wrapper, whose own bookkeeping
costs more than the match. A `matcher` is what schemas and rules use: it goes over to an automaton (automata.py) once
the pattern has been used often enough to repay building it.
"""

from __future__ import annotations

import functools
from typing import Any, Final, Protocol

from quarterdeck._kernels import pattern as kernel
from quarterdeck.apimachinery import automata, gopatterns, unicodeclasses

PATTERN_CACHE_MAX: Final = 4096
# Building an automaton takes as long as some 300 calls of RE2 (0.3 ms in the median of real patterns).
USES_BEFORE_AUTOMATON: Final = 300
# Differs from upstream: Go takes patterns of 128 MiB. A match that needs more falls back to a slower automaton.
MEMORY_BYTES_MAX: Final = 8 << 20


class Pattern(Protocol):
    def Match(self, anchor: Any, text: bytes, start: int, end: int) -> list[tuple[int, int]]: ...  # noqa: N802


class PatternError(ValueError):
    """The pattern is not one that Go would compile; the text is Go's."""


@functools.cache
def _library() -> Any:
    """With C++'s own library 2.5 MiB, of which a server without patterns needs nothing."""
    import re2

    return re2


@functools.cache
def anywhere() -> Any:
    """The anchor of a match that may begin and end anywhere."""
    return _library()._re2.RE2.Anchor.UNANCHORED


def _options() -> Any:
    options = _library().Options()
    options.log_errors = False
    options.max_mem = MEMORY_BYTES_MAX
    options.never_capture = True
    return options


@functools.lru_cache(maxsize=PATTERN_CACHE_MAX)
def compile_pattern(text: str) -> Pattern:
    """The compiled pattern, shared by all who name the same text. Raises PatternError."""
    return compile_unshared(text)


def compile_unshared(text: str) -> Pattern:
    """For a caller that keeps what it needs again. Raises PatternError."""
    compiled, error = _compile(text)
    if fault := gopatterns.find_fault(text, lambda part: error if part == text else _compile(part)[1]):
        raise PatternError(fault)
    return compiled  # type: ignore[no-any-return]


def _compile(text: str) -> tuple[Any, str]:
    """And RE2's words where it refuses it."""
    translation = unicodeclasses.translate(text)
    compiled = _library()._re2.RE2(translation.text.encode("utf-8", "surrogatepass"), _options())
    error = "" if compiled.ok() else translation.restore(compiled.error().decode("utf-8", "replace"))
    return compiled, error


@functools.lru_cache(maxsize=PATTERN_CACHE_MAX)
def matcher(text: str) -> kernel.Matcher:
    """The matcher of a pattern, shared by all who name it; nothing is compiled before its first use."""
    return kernel.Matcher(text, _match_of, table_of, anywhere(), USES_BEFORE_AUTOMATON)


def _match_of(text: str) -> Any:
    try:
        return compile_pattern(text).Match
    except PatternError:
        return None


def table_of(text: str) -> tuple[bytes, int, bytes, bytes] | None:
    """The automaton of a pattern as kernels take it; None where it would be too large."""
    table = automata.build(text)
    return (table.classes, table.class_count, table.moves, table.ends) if table else None


def search(pattern: Pattern, text: str) -> bool:
    """Whether the pattern occurs anywhere in the text."""
    data = text.encode("utf-8", "surrogatepass")
    return pattern.Match(anywhere(), data, 0, len(data))[0][0] >= 0
