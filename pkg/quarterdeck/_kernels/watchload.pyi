"""Entries of what is stored, many at a time. Body: ext/watchload.pyx."""

from typing import TypeVar

from quarterdeck._kernels.watchobject import Entry

_Item = TypeVar("_Item", bound=tuple[str, bytes, int, int])

def take_in(items: list[_Item], start: int, prefix: str, entries: list[Entry]) -> int:
    """Append an entry for each item (key, value, revision of its last write, of its creation) from `start` on, until
    one whose key does not begin with `prefix`, or whose bytes are not in this server's order: its index, or how many
    items there are."""
