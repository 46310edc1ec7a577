"""All that is stored, a batch at a time, as a start reads it. Records that cannot be read are reported and left out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from quarterdeck.storage import interface

# (after revision, up to revision, rows) -> the rows, the unreadable ones, the revision to go on after
Load = Callable[[int, int, int], Awaitable[tuple[list[interface.KeyValue], list[interface.Corrupt], int]]]


async def iterate(
    load: Load, newest: Callable[[], int], batch_rows: int, corrupt: Callable[[interface.Corrupt], None] | None
) -> AsyncIterator[list[interface.KeyValue]]:
    """Batches of what the store holds when the first is asked for. Raises Corrupt where `corrupt` is None."""
    end, after = newest(), 0
    while after < end:
        batch, unreadable, after = await load(after, end, batch_rows)
        for error in unreadable:
            if corrupt is None:
                raise error
            corrupt(error)
        if batch:
            yield batch
