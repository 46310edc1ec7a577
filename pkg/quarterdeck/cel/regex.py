"""Patterns that expressions make up while they run, and where they match."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from quarterdeck.apimachinery import patterns

# They come from requests: what is kept of them is bounded by itself, and pushes out no pattern of a schema.
_CACHED_CHARS_MAX: Final = 4096
_CACHED_MAX: Final = 1024
_ANYWHERE: Final = patterns.anywhere()


def compile_pattern(text: str) -> patterns.Pattern:
    """Raises PatternError."""
    return _compile_short(text) if len(text) <= _CACHED_CHARS_MAX else patterns.compile_unshared(text)


@lru_cache(maxsize=_CACHED_MAX)
def _compile_short(text: str) -> patterns.Pattern:
    return patterns.compile_unshared(text)


def span(pattern: patterns.Pattern, text: bytes, start: int) -> tuple[int, int] | None:
    """The first match at or after `start`, in bytes."""
    found = pattern.Match(_ANYWHERE, text, start, len(text))
    return found[0] if found[0][0] != -1 else None
