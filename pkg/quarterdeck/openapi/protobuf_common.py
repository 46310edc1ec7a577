"""What the protobuf forms of both OpenAPI versions have in common."""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import protobuf
from quarterdeck.apimachinery.codec import json as json_codec

Fields = dict[str, tuple[int, int]]
"""JSON name: (field number, kind), for members that are no messages."""

DEPTH_MAX: Final = 1000
"""Schemas nested deeper are cut off there; a definition that is accepted does not come near."""


def fill(message: protobuf.Message, fields: Fields) -> protobuf.Message:
    for name, (number, kind) in fields.items():
        message.add(name, kind, (number,))
    return message


def write_any(value: object) -> bytes:
    """A value of any type as YAML: JSON is YAML."""
    return json_codec.encode(value) + b"\n"
