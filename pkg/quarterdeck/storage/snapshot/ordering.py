"""A store whose keys come in another order, read in the order of ours: one resource after the other.

Within a resource both orders are the same; where the resources lie is another matter in etcd (etcd3/layout.py). What is
no client's object is left out.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Protocol

from quarterdeck.storage import interface

ALL: Final = "/"
_PAGE: Final = 1000


class Readable(Protocol):
    """What of a store is needed to read all of it (interface.Storage)."""

    @property
    def revision(self) -> int: ...

    async def range(
        self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0
    ) -> interface.RangeResult: ...


class InKeyOrder:
    """Reads everything; `without`: prefixes of resources that are left out."""

    def __init__(self, storage: Readable, without: Collection[str]) -> None:
        self._storage = storage
        self._without = frozenset(without)
        self._known: tuple[int, list[str]] = (0, [])

    @property
    def revision(self) -> int:
        return self._storage.revision

    async def range(
        self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0
    ) -> interface.RangeResult:
        """`remaining` only tells whether there is more."""
        assert prefix == ALL
        revision = revision or self.revision
        if self._known[0] != revision:
            self._known = (revision, await self._find_prefixes(revision))
        wanted = [each for each in self._known[1] if each >= _prefix_of(start_key)]
        for each in wanted:
            start = start_key if start_key.startswith(each) else ""
            page = await self._storage.range(each, start_key=start, limit=limit, revision=revision)
            if page.items:
                more = page.remaining or int(each != wanted[-1])
                return interface.RangeResult(page.items, revision, more)
        return interface.RangeResult([], revision, 0)

    async def _find_prefixes(self, revision: int) -> list[str]:
        found: set[str] = set()
        start = ""
        while True:
            page = await self._storage.range(ALL, start_key=start, limit=_PAGE, revision=revision)
            found.update(_prefix_of(item.key) for item in page.items)
            if not page.remaining:
                return sorted(found - self._without)
            start = page.items[-1].key + "\0"


def _prefix_of(key: str) -> str:
    """ "/registry/<group>/<resource>/" of a key; empty for an empty one."""
    return "/".join(key.split("/", 4)[:4]) + "/" if key else ""
