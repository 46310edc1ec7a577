"""Everything in a store as of one revision, page by page while the store is written."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from typing import Final

from quarterdeck.storage import interface
from quarterdeck.storage.snapshot.file import Digest, Encoder
from quarterdeck.storage.snapshot.ordering import ALL, Readable

# What a page should hold, by the size of the objects in the one before: that much is in memory at once.
_PAGE_BYTES: Final = 1 << 20
_PAGE_ROWS_MAX: Final = 500
_FIRST_ROWS: Final = 20


async def read_pages(storage: Readable, revision: int) -> AsyncIterator[list[interface.KeyValue]]:
    """In key order. Raises Compacted where the store forgets the revision meanwhile, Corrupt where a record is
    damaged: what is whole in part is no snapshot."""
    start, rows = "", _FIRST_ROWS
    while True:
        page = await storage.range(ALL, start_key=start, limit=rows, revision=revision)
        if page.items:
            yield page.items
            size = sum(len(item.value) + len(item.key) for item in page.items)
            rows = min(_PAGE_ROWS_MAX, max(1, _PAGE_BYTES * len(page.items) // (size + 1)))
            start = page.items[-1].key + "\0"
        if not page.remaining:
            return


async def snapshot(storage: Readable) -> AsyncIterator[bytes]:
    """The file of a snapshot of what the store holds now, in pieces. Raises as `read_pages` does."""
    encoder = Encoder()
    revision = storage.revision
    yield encoder.head(revision, int(time.time()))
    async for page in read_pages(storage, revision):
        yield encoder.encode(page)
    yield encoder.end()


async def digest(
    storage: Readable, revision: int, as_stored: Callable[[str, bytes], bytes] | None = None
) -> tuple[int, bytes]:
    """How many keys there are at that revision, and the digest of them; of their values as another store gives them."""
    found, count = Digest(), 0
    async for page in read_pages(storage, revision):
        for item in page:
            found.add(item.key.encode(), as_stored(item.key, item.value) if as_stored else item.value)
        count += len(page)
    return count, found.digest()
