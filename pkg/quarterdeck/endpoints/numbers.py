"""Numbers of a body as the client sent them, which decoded ones may not be: some have lost digits. YAML becomes JSON
before it is decoded: its numbers are as Go writes them.

Source: go-yaml v2 resolve.go; sigs.k8s.io/yaml yaml.go.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import yamlscalar
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.schema import sentnumbers

_NUMBER: Final = "cannot unmarshal number "
_INT64_END: Final = 1 << 63
_long_tokens: Final = re.compile(rb"(?<![\w.])[0-9]\w{17,}", re.ASCII).findall


def as_sent(error: BadRequest, body: bytes) -> BadRequest:
    """The error with the first number of `body` that has the value which the text names."""
    message = text_as_sent(error.message, body)
    return error if message == error.message else BadRequest(message)


def as_json(error: BadRequest, body: bytes) -> BadRequest:
    """The error about a body in YAML."""
    before, value, after = _parts(error.message)
    if value is None:
        return error
    whole = next((number for number in _beyond_int64(body) if float(number) == value), None)
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


def whole_in_yaml(body: bytes) -> bytes:
    """The numbers of a body in YAML that go-yaml keeps all digits of, although they are beyond int64, in JSON."""
    return b" ".join(b"%d" % number for number in _beyond_int64(body))


def _beyond_int64(body: bytes) -> list[int]:
    tokens = _long_tokens(body)
    if not tokens:
        return []
    values = (yamlscalar.resolve("", token.decode())[1] for token in tokens)
    return [value for value in values if isinstance(value, int) and value >= _INT64_END]
