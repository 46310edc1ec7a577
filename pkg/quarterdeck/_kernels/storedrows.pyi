"""Rows of the database (storage/sqlite/format.py) as a start reads them, many at a time. Body: ext/storedrows.pyx."""

from typing import Any, TypeVar, final

from quarterdeck._kernels.keytable import KeyTable

_Item = TypeVar("_Item")

def crc32(data: bytes, start: int) -> int:
    """zlib's, continued from `start`."""

def head_sum(revision: int, key: str, create_revision: int, previous_revision: int, length: int) -> int:
    """The checksum of a head. Raises OverflowError for numbers beyond 64 bits, UnicodeEncodeError."""

@final
class Heads:
    """What heads of records say that come oldest first. `current`: the keys that live. `old_rows`, `new_rows`: how many
    came up to the revision `pruned`, and after it. `newest`: the revision of the newest after it, else as given."""

    def __init__(self, pruned: int, newest: int) -> None: ...
    @property
    def current(self) -> KeyTable: ...
    @property
    def newest(self) -> int: ...
    @property
    def old_rows(self) -> int: ...
    @property
    def new_rows(self) -> int: ...
    def take(self, heads: list[Any], start: int) -> int:
        """Take in heads (format.HEAD_COLUMNS) from this one on, until one is not as it was written: its index, or how
        many there are."""

    def count(self, revision: int) -> None:
        """There is a record of this revision, whatever it says."""

def living(
    rows: list[Any], current: KeyTable, earlier: dict[str, int], item: type[_Item]
) -> tuple[list[_Item], list[Any]]:
    """Of rows with all columns those that live: what `earlier` says of their key is their revision, or what `current`
    says where that says nothing. Each as an `item` (a tuple of key, value, revision of the write, of the creation), and
    those apart that are not as they were written."""
