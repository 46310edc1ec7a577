"""Metadata that needs no decoding. Body: ext/plainmeta.pyx."""

from typing import Any

def is_plain_object_meta(meta: Any) -> bool:
    """Whether decoding this metadata would change nothing: every field known, of its type, and not empty."""

def is_plain_moment(text: str) -> bool:
    """Whether it is a moment of the calendar that begins with the year 1, written as `2006-01-02T15:04:05Z`."""
