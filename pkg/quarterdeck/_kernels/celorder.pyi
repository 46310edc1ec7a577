"""Order of CEL values. Body: ext/celorder.pyx."""

from typing import Any

def cel_compare(a: object, b: object) -> Any:
    """-1, 0 or 1; no_such_overload where there is no order, a CelErr for NaN."""
