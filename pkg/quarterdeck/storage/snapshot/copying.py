"""Copies what one store holds into another that is empty, and compares the two.

Backends give revisions themselves, so each object has another one in the copy: clients have to list again, and a
target should begin beyond the source's revision where its backend can (sqlite/restoring.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from quarterdeck.storage import interface
from quarterdeck.storage.snapshot.ordering import ALL, Readable
from quarterdeck.storage.snapshot.reading import digest, read_pages


class CopyFailed(Exception):
    """The copy is not to be used; the text says why."""


@dataclass(frozen=True, slots=True)
class CopyResult:
    """`source_revision`: the one that was copied. `target_revision`: of the target afterwards."""

    count: int
    digest: bytes
    source_revision: int
    target_revision: int


class Writable(Readable, Protocol):
    def create(self, key: str, value: bytes, hint: object = None) -> Awaitable[int]: ...


async def copy(
    source: Readable,
    target: Writable,
    page_done: Callable[[list[interface.KeyValue]], None],
    as_stored: Callable[[str, bytes], bytes] | None = None,
    written: Readable | None = None,
) -> CopyResult:
    """`page_done` is called with what has been written. `as_stored`: what the target gives back of a value, where it is
    not the same bytes. `written` reads the target in the source's order. Raises CopyFailed, StorageError."""
    found = await target.range(ALL, limit=1)
    if found.items or found.remaining:
        raise CopyFailed("the target is not empty")
    revision = source.revision
    async for page in read_pages(source, revision):
        writes: list[Awaitable[int]] = [target.create(item.key, item.value) for item in page]
        await asyncio.gather(*writes)
        page_done(page)
    target_revision = target.revision
    count, wanted = await digest(source, revision, as_stored)
    found_count, held = await digest(written or target, target_revision)
    if (count, wanted) != (found_count, held):
        raise CopyFailed(
            f"the copy differs: {count} objects with digest {wanted.hex()}, but {found_count} with {held.hex()} in it"
        )
    return CopyResult(count, wanted, revision, target_revision)
