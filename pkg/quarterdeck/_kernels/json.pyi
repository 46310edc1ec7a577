"""JSON with Go's semantics: what orjson does otherwise. Body: ext/json.pyx."""

from typing import TypeVar

T = TypeVar("T")

def is_exact(data: bytes, value: object) -> bool:
    """Whether `value`, which orjson made from `data`, has neither lost a duplicate key nor an integer beyond int64."""

def decode(data: bytes, depth_max: int) -> tuple[object, list[str], tuple[int, str] | str | None, str | None]:
    """(value, duplicates, error, bad_number).

    `duplicates`: paths (`spec.l[0].x`) of keys that their object holds more than once, at most 100, each once.
    `error`: a syntax error as (byte, context) of Go's `invalid character 'byte' context`, or a whole text.
    `bad_number`: the first literal that float64 cannot hold; in the value such ones are infinite.
    """

def copy(root: T) -> T:
    """A deep copy of the dicts and lists, of any depth; scalars are shared."""

def equal(left: object, right: object) -> bool:
    """Whether two values of any depth are the same JSON: 1, 1.0 and true differ, the order of members does not."""
