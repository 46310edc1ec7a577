"""Shows numbers in the refusal of a body as the client sent them: decoded ones may have lost digits."""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery.errors import BadRequest

_NUMBER: Final = "cannot unmarshal number "
_INT64_END: Final = 1 << 63
_DIGITS_MAX: Final = 100  # of those that are read; int64 has 19
# Texts are found too, so that no number is looked for in them.
_tokens = re.compile(rb'"(?:[^"\\]|\\.)*"|(-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)', re.DOTALL).finditer


def as_sent(error: BadRequest, body: bytes) -> BadRequest:
    """The error with the first number of `body` that has the value which the text names."""
    message = text_as_sent(error.message, body)
    return error if message == error.message else BadRequest(message)


def text_as_sent(text: str, body: bytes) -> str:
    before, marker, rest = text.partition(_NUMBER)
    shown, blank, after = rest.partition(" ")
    if not marker or not blank or shown.lstrip("-").isdecimal():
        return text
    try:
        value = float(shown)
    except ValueError:
        return text
    for found in _tokens(body):
        if found[1] is not None and float(found[1]) == value and _is_float(found):
            return f"{before}{marker}{found[1].decode()} {after}"
    return text


def _is_float(found: re.Match[bytes]) -> bool:
    """Whether the number is not decoded to an integer: what is shown is none."""
    if found[2] is not None or found[3] is not None:
        return True
    return len(found[1]) > _DIGITS_MAX or not -_INT64_END <= int(found[1]) < _INT64_END
