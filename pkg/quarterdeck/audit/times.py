"""The times of events: RFC 3339 in UTC with six digits behind the second, one formatted second for all within it."""

from __future__ import annotations

from quarterdeck.apimachinery.time import format_rfc3339

_US_PER_S = 1_000_000

_begin_us = -1
_text = ""


def format_ns(time_ns: int) -> str:
    """metav1.MicroTime of nanoseconds since 1970."""
    global _begin_us, _text  # noqa: PLW0603 - a cache of one text, replaced whole
    rest_us = time_ns // 1000 - _begin_us
    if not 0 <= rest_us < _US_PER_S:
        second = time_ns // 1_000_000_000
        _begin_us = second * _US_PER_S
        rest_us = time_ns // 1000 - _begin_us
        _text = format_rfc3339(second)[:-1]
    return f"{_text}.{rest_us:06d}Z"
