"""What a list of many objects is put together from, kept for all who ask for the same list until something changes."""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck._kernels import listparts, watchobject

# Entries lie scattered in memory: to look at so many takes half a millisecond.
_STEP_ENTRIES: Final = 10_000


class KeptList:
    """Entries in key order, their stored bytes (`data`, as far as they are gathered) and how many these are together.
    Nobody may change the lists."""

    __slots__ = ("data", "data_bytes", "entries")

    def __init__(self, entries: list[watchobject.Entry]) -> None:
        self.entries = entries
        self.data: list[bytes] = []
        self.data_bytes = 0

    @property
    def is_gathered(self) -> bool:
        return len(self.data) == len(self.entries)

    @property
    def fits_a_step(self) -> bool:
        return len(self.entries) <= _STEP_ENTRIES

    def gather_now(self) -> None:
        data = watchobject.gather_data(self.entries)
        self.data, self.data_bytes = data, listparts.add_sizes(data)

    async def gather(self) -> None:
        """In steps, between which others have their turn. Several may do so at once."""
        data: list[bytes] = []
        data_bytes = 0
        for begin in range(0, len(self.entries), _STEP_ENTRIES):
            part = watchobject.gather_data(self.entries[begin : begin + _STEP_ENTRIES])
            data += part
            data_bytes += listparts.add_sizes(part)
            await asyncio.sleep(0)
        self.data, self.data_bytes = data, data_bytes
