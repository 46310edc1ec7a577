"""Equality of CEL values. Body: ext/celcompare.pyx."""

def cel_equals(a: object, b: object) -> bool: ...
def json_equals(a: object, b: object) -> bool:
    """Of decoded JSON of any depth: true is not 1, and 1 is not 1.0."""
