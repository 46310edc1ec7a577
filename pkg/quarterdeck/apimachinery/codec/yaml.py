"""YAML as sigs.k8s.io/yaml reads it (go-yaml v2, YAML 1.1, then through JSON) and writes it.

Most clients send JSON under a YAML type: that is read as JSON where YAML would read the same. Everything else is built
by yamlbuild and written by yamlemit, which are loaded, and PyYAML with them, when they are first needed.

Source: sigs.k8s.io/yaml yaml.go; go-yaml v2.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any, Final

import orjson

from quarterdeck._kernels import json as kernel
from quarterdeck._kernels import jsonwrite
from quarterdeck.apimachinery.codec.yamlresult import Decoded, DecodeError

__all__ = ["STEP_EVENTS", "DecodeError", "Decoded", "decode", "decode_in_steps", "encode"]

STEP_EVENTS: Final = 256

# What go-yaml refuses in a text that JSON takes, escapes of surrogates and of the slash, and control characters; and
# what it takes for the end of a line.
_foreign_escape = re.compile(rb"\\(?:u[dD][89a-fA-F]|/)").search
_foreign_character = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]").search


def decode(data: bytes) -> Decoded:
    """The value of the first document, as a JSON value; None for an empty text. Raises DecodeError."""
    if data[:1] == b"{" and (value := _decode_json(data)) is not None:
        return Decoded(value)
    from quarterdeck.apimachinery.codec import yamlbuild

    return yamlbuild.Builder(data).build()


def decode_in_steps(data: bytes) -> Generator[None, None, Decoded]:
    """The same for who must not be kept waiting: stops every `STEP_EVENTS` events, which take about a millisecond."""
    if data[:1] == b"{" and (value := _decode_json(data)) is not None:
        return Decoded(value)
    from quarterdeck.apimachinery.codec import yamlbuild

    builder = yamlbuild.Builder(data)
    while not builder.read_events(STEP_EVENTS):
        yield
    return builder.result()


def _decode_json(data: bytes) -> Any:
    """The value of a JSON text, where YAML would read the same: most clients send JSON under a YAML type."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    if not _is_yaml_too(data) or not kernel.is_exact(data, value):
        return None
    return jsonwrite.integers_for_floats(value)


def _is_yaml_too(data: bytes) -> bool:
    """Whether a valid JSON text is valid YAML."""
    if b"\\" in data and _foreign_escape(data):
        return False
    return b"\x7f" not in data if data.isascii() else not _foreign_character(data.decode())


def encode(value: Any) -> bytes:
    """A JSON value as one YAML document, as go-yaml writes it."""
    from quarterdeck.apimachinery.codec import yamlemit

    return yamlemit.encode(value)
