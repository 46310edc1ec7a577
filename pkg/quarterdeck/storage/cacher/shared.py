"""What all resources of the watch cache share: the store, how far its feed has been taken in, what serves watches."""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck.storage import interface
from quarterdeck.storage.cacher import refusals
from quarterdeck.storage.cacher.deadlines import Deadlines
from quarterdeck.storage.cacher.dispatcher import Dispatcher
from quarterdeck.storage.cacher.watching import Watch

# How long a read waits for a revision that the cache has not reached, and what the client is told to wait after that.
WAIT_S: float = 3.0
# How long one waits that may be answered by the store as well.
SHORT_WAIT_S: float = 0.1
RETRY_AFTER_S: Final = 1


class SharedState:
    """`revision`: the cache shows the store as of it. `damaged_count`: stored records that cannot be read."""

    def __init__(self, storage: interface.Storage, deadlines: Deadlines[Watch]) -> None:
        self.storage = storage
        self.lags = storage.lags
        self.tell_revision = storage.tell_revision
        self.dispatcher = Dispatcher()
        self.deadlines = deadlines
        self.is_alone = True  # False: other resources are in other stores
        self.revision = 0
        self.damaged_count = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[asyncio.Future[None], int] = {}

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        assert self._loop is not None
        return self._loop

    def now_s(self) -> float:
        assert self._loop is not None
        return self._loop.time()

    def report(self, message: str, error: Exception) -> None:
        """Log a bug without letting it out into the feed."""
        self.loop.call_exception_handler({"message": message, "exception": error})

    @property
    def is_behind(self) -> bool:
        """The store has committed more than has been fed, or may have."""
        return self.lags or self.storage.revision > self.revision

    def reach(self, revision: int) -> None:
        """The cache has taken in the feed up to `revision`."""
        self.revision = max(revision, self.revision)
        if self._waiting:
            for future, wanted in self._waiting.items():
                if wanted <= self.revision and not future.done():
                    future.set_result(None)

    async def catch_up(self) -> None:
        """Return once the cache is as new as the store was. Raises ServiceUnavailable, Timeout."""
        await self.wait_for(await self.newest())

    async def newest(self) -> int:
        """The store's revision. Raises ServiceUnavailable."""
        try:
            return await self.storage.current_revision()
        except interface.Unavailable as error:
            raise refusals.unavailable() from error

    async def wait_for(self, revision: int) -> None:
        """Return once the cache is not older than `revision`; after 3 s Timeout with "Too large resource version"."""
        if revision > self.revision:
            self.storage.seek(revision)
            if not await self._has_come(revision, WAIT_S):
                raise refusals.revision_too_large(revision, self.revision, RETRY_AFTER_S)

    async def has_come_soon(self, revision: int) -> bool:
        """Whether the cache is not older than `revision` now, or a moment later where its feed can be hastened."""
        return revision <= self.revision or (
            self.storage.seek(revision) and await self._has_come(revision, SHORT_WAIT_S)
        )

    async def _has_come(self, revision: int, timeout_s: float) -> bool:
        if revision <= self.revision:  # by being sought
            return True
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[future] = revision
        try:
            await asyncio.wait_for(future, timeout_s)
        except TimeoutError:
            return False
        finally:
            self._waiting.pop(future, None)
        return True
