"""Lists of CEL. Body: ext/cellists.pyx."""

from typing import Any

def list_contains(container: object, value: object) -> Any:
    """Whether a list has an element that equals a value; a CelErr where asking is one."""
