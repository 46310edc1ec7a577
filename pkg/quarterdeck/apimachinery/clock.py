"""The current time as objects carry it. One formatted text a second: most writes share it."""

from __future__ import annotations

import time

from quarterdeck.apimachinery.time import format_rfc3339

_second = 0
_text = ""


def now() -> str:
    """metav1.Time: RFC 3339 in UTC, whole seconds."""
    global _second, _text  # noqa: PLW0603 - a cache of one text, replaced whole
    second = int(time.time())
    if second != _second:
        _text = format_rfc3339(second)
        _second = second
    return _text
