"""YAML as sigs.k8s.io/yaml reads it (go-yaml v2, YAML 1.1, then through JSON) and writes it.

Most clients send JSON under a YAML type: that is read as JSON where YAML would read the same. Everything else is built
by yamlbuild and written by yamlemit, which are loaded, and PyYAML with them, when they are first needed.

Source: sigs.k8s.io/yaml yaml.go; go-yaml v2.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from typing import Any, Final

from quarterdeck._kernels import jsonlayout, jsonwrite
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec.yamlresult import Decoded, DecodeError

__all__ = [
    "STEP_EVENTS",
    "DecodeError",
    "Decoded",
    "decode",
    "decode_in_steps",
    "decode_json",
    "encode",
    "is_loaded",
    "load",
    "write",
]

STEP_EVENTS: Final = 64
_READER: Final = "quarterdeck.apimachinery.codec.yamlbuild"
# JSON that is nested deeper is left to YAML's own decoder, which counts differently.
_JSON_DEPTH_MAX: Final = 1000

# What go-yaml refuses in a text that JSON takes, escapes of surrogates and of the slash, and control characters; and
# what it takes for the end of a line.
_foreign_escape = re.compile(rb"\\(?:u[dD][89a-fA-F]|/)").search
_foreign_character = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]").search


def decode(data: bytes) -> Decoded:
    """The value of the first document, as a JSON value; None for an empty text. Raises DecodeError."""
    decoded = decode_json(data)
    if decoded is not None:
        return decoded
    from quarterdeck.apimachinery.codec import yamlbuild

    return yamlbuild.Builder(data).build()


def is_loaded() -> bool:
    """Whether what reads YAML is there."""
    return _READER in sys.modules


def load() -> None:
    """Load what reads YAML. It takes 20 to 30 ms: not for the event loop's thread."""
    from quarterdeck.apimachinery.codec import yamlbuild  # noqa: F401


def decode_in_steps(data: bytes) -> Generator[None, None, Decoded]:
    """The same of what `decode_json` left, for who must not be kept waiting: stops every `STEP_EVENTS` events, which
    mostly take a fraction of a millisecond."""
    from quarterdeck.apimachinery.codec import yamlbuild

    builder = yamlbuild.Builder(data)
    while not builder.read_events(STEP_EVENTS):
        yield
    return builder.result()


def decode_json(data: bytes) -> Decoded | None:
    """The value of an object in JSON, where YAML would read the same: most clients send JSON under a YAML type."""
    if data[:1] != b"{":
        return None
    value = json_codec.load_plain(data, _JSON_DEPTH_MAX)
    if value is None or not _is_yaml_too(data):
        return None
    return Decoded(jsonwrite.integers_for_floats(value))


def _is_yaml_too(data: bytes) -> bool:
    """Whether a valid JSON text is valid YAML, as far as can be told without reading it as such."""
    if not jsonlayout.fits_yaml(data):
        return False
    if b"\\" in data and _foreign_escape(data):
        return False
    if data.isascii():
        return b"\x7f" not in data
    try:
        return not _foreign_character(data.decode())
    except UnicodeDecodeError:
        return False


def write(value: Any) -> bytes:
    """A JSON value as one YAML document, as go-yaml writes it."""
    from quarterdeck.apimachinery.codec import yamlemit

    return yamlemit.encode(value, is_read=False)


def encode(value: Any) -> bytes:
    """The same of what the API answers, which upstream writes as JSON and has go-yaml read first. Raises DecodeError
    where it cannot."""
    from quarterdeck.apimachinery.codec import yamlemit

    try:
        return yamlemit.encode(value, is_read=True)
    except yamlemit.Misread:
        from quarterdeck.apimachinery.codec import yamlbuild

        return write(yamlbuild.Builder(gofmt.format_json(value).encode()).build().value)
