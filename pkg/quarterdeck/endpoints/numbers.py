"""Shows numbers in the refusal of a body as the client sent them: decoded ones may have lost digits. YAML becomes JSON
before it is decoded: its numbers are shown as Go writes them."""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.schema import sentnumbers

_NUMBER: Final = "cannot unmarshal number "
_INT64_END: Final = 1 << 63
_UINT64_END: Final = 1 << 64
_DIGITS_MAX: Final = 100  # of those that are read; uint64 has 20


def as_sent(error: BadRequest, body: bytes) -> BadRequest:
    """The error with the first number of `body` that has the value which the text names."""
    message = text_as_sent(error.message, body)
    return error if message == error.message else BadRequest(message)


def as_json(error: BadRequest, body: bytes) -> BadRequest:
    """The error about a body in YAML."""
    before, value, after = _parts(error.message)
    if value is None:
        return error
    tokens = filter(_is_uint64, sentnumbers.tokens(body))
    whole = next((token[1].decode() for token in tokens if float(token[1]) == value), None)
    return BadRequest(f"{before}{whole or gofmt.format_json_float(value)}{after}")


def text_as_sent(text: str, body: bytes) -> str:
    before, value, after = _parts(text)
    if value is None:
        return text
    sent = sentnumbers.Document(body).find(value)
    return text if sent is None else f"{before}{sent}{after}"


def _parts(text: str) -> tuple[str, float | None, str]:
    """What stands before and after the float that does not fit, and that float."""
    before, marker, rest = text.partition(_NUMBER)
    shown, blank, after = rest.partition(" ")
    if not marker or not blank or shown.lstrip("-").isdecimal():
        return text, None, ""
    try:
        return before + marker, float(shown), blank + after
    except ValueError:
        return text, None, ""


def _is_uint64(found: re.Match[bytes]) -> bool:
    """Whether go-yaml keeps all digits of the number, although it is beyond int64."""
    digits = found[1] or b"-"
    return digits.isdigit() and len(digits) < _DIGITS_MAX and _INT64_END <= int(digits) < _UINT64_END
