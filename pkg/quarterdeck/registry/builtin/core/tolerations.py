"""Tolerations that stand as text in an annotation."""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.schema import gotypes
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.gotype import ListOf


def read(text: str) -> list[dict[str, Any]]:
    """Raises ValueError, in Go's words, for what is no JSON and for what is no list of tolerations."""
    value = json_codec.decode(text.encode()).value
    if value is None:
        return []
    return list(Decoder(report_unknown=False).decode_value(value, ListOf(gotypes.named_struct("core", "Toleration"))))
