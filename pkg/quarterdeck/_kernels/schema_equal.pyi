"""Equality of decoded JSON. Body: ext/schema_equal.pyx."""

from typing import Any

def deep_equal(a: Any, b: Any) -> bool:
    """Equality as Go's reflect.DeepEqual has it: an integer never equals a float."""
