"""The newest revision of each key of a store, in a third of the memory of a dict of tuples. Body: ext/keytable.pyx.

Not for several threads. A key that UTF-8 cannot hold is in no table: to look for it finds nothing, to set it raises
UnicodeEncodeError.
"""

from typing import final

@final
class KeyTable:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: str) -> bool: ...
    def get(self, key: str) -> tuple[int, int] | None:
        """The revisions of its last write and of its creation."""

    def revision_of(self, key: str) -> int:
        """Of its last write; 0 where the key is not there."""

    def set(self, key: str, revision: int, create_revision: int) -> None: ...
    def discard(self, key: str) -> None: ...
    def keys(self, start: int = 0, stop: int = 0xFFFFFFFF) -> list[str]:
        """Those at these places. A new one comes last; where one is removed the last one takes its place."""
