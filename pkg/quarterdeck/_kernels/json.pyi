"""JSON with Go's semantics: what orjson does otherwise. Body: ext/json.pyx."""

from typing import TypeVar

T = TypeVar("T")

def is_exact(data: bytes, value: object) -> bool:
    """Whether `value`, which orjson made from `data`, has neither lost a duplicate key nor an integer beyond int64."""

def has_long_number(data: bytes) -> bool:
    """Whether there are 19 digits in a row, as every integer beyond int64 has them."""

def copy(root: T) -> T:
    """A deep copy of the dicts and lists, of any depth; scalars are shared."""

def equal(left: object, right: object) -> bool:
    """Whether two values of any depth are the same JSON: 1, 1.0 and true differ, the order of members does not."""
