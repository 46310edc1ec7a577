"""Shows numbers in the refusal of a body as the client sent them: decoded ones may have lost digits."""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery.errors import BadRequest

_NUMBER: Final = "cannot unmarshal number "
_tokens = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").finditer


def as_sent(error: BadRequest, body: bytes) -> BadRequest:
    """The error with the first number of `body` that has the value which the text names."""
    before, marker, rest = error.message.partition(_NUMBER)
    shown, blank, after = rest.partition(" ")
    if not marker or not blank or shown.lstrip("-").isdecimal():
        return error
    try:
        value = float(shown)
    except ValueError:
        return error
    for found in _tokens(body):
        if float(found[0]) == value:
            return BadRequest(f"{before}{marker}{found[0].decode()} {after}")
    return error
