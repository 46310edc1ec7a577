"""Metadata that needs no decoding. Body: ext/plainmeta.pyx."""

from typing import Any

def is_plain_object_meta(meta: Any) -> bool:
    """Whether decoding this metadata would change nothing: every field known, of its type, and not empty."""
