"""How many requests work with a definition as it was when they began, so that what they need is let go of after them.

Source: apiextensions-apiserver/pkg/apiserver/customresource_handler.go (crdInfo.waitGroup).
"""

from __future__ import annotations

import asyncio


class InFlight:
    """Each `begin` has its `end`. Of one event loop."""

    __slots__ = ("_count", "_waiting")

    def __init__(self) -> None:
        self._count = 0
        self._waiting: list[asyncio.Future[None]] = []

    def begin(self) -> None:
        self._count += 1

    def end(self) -> None:
        self._count -= 1
        if not self._count:
            waiting, self._waiting = self._waiting, []
            for future in waiting:
                if not future.done():
                    future.set_result(None)

    async def drained(self) -> None:
        """Return when none is left; those that begin meanwhile are waited for as well."""
        while self._count:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future
