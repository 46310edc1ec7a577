"""Reading stored objects whose sets of fields have been read before. Body: ext/knownsets.pyx."""

from collections.abc import Callable
from typing import Any

def load(data: bytes, loads: Callable[[bytes], Any]) -> Any:
    """`loads(data)`; sets in its metadata.managedFields whose texts are known are those that were read or written
    before, which nobody changes."""

def forget() -> None:
    """Know none. For tests."""
