"""Equality and order of CEL values."""

from typing import Any

def cel_equals(a: object, b: object) -> bool: ...
def json_equals(a: object, b: object) -> bool:
    """Of decoded JSON of any depth: true is not 1, and 1 is not 1.0."""

def cel_compare(a: object, b: object) -> Any:
    """-1, 0 or 1; no_such_overload where there is no order, a CelErr for NaN."""

def add_lists(a: object, b: object) -> Any:
    """`+` of lists, by the list type of the left one."""
