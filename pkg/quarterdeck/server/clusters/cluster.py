"""One logical cluster: its state, and the server that it has while it is awake."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Protocol

from quarterdeck.apimachinery import clock, meta
from quarterdeck.server.middleware import PlaceState
from quarterdeck.storage.memory import MemoryStorage, State
from quarterdeck.transport.messages import Application, Response

if TYPE_CHECKING:  # loaded where there is a virtual clock
    from quarterdeck.server.virtualtime import VirtualTime

_LOG: Final = logging.getLogger(__name__)


class Server(Protocol):
    """What server/apiserver.py builds."""

    @property
    def application(self) -> Application: ...

    @property
    def is_idle(self) -> bool:
        """Nobody watches, and nothing is to be done."""

    @property
    def is_settled(self) -> bool:
        """What makes the store as it should be found nothing left to do in what it holds."""

    async def start(self) -> None: ...

    def on_ready(self) -> None: ...

    async def stop(self) -> None:
        """Ends all watches, and closes the store."""


Build = Callable[["Cluster", MemoryStorage], Awaitable[Server]]


class Cluster:
    """`state` is what it begins with; nobody else may write it. `build` makes a server of a store.

    `under_way` counts the requests that are awaited; `used` rises with each use of any cluster. `kept` outlives its
    servers. `time` is the virtual clock that it goes by, whichever server it has."""

    def __init__(self, name: str, state: State, build: Build, time: VirtualTime | None = None) -> None:
        self.name = name
        self.uid = meta.new_uid()
        self.created = clock.now()
        self.under_way = 0
        self.used = 0
        self.server: Server | None = None
        self.is_gone = False
        self.kept = PlaceState()
        self.kept.time = time
        self._build = build
        self._state = state
        self._storage: MemoryStorage | None = None
        self._turn = asyncio.Lock()
        self._failing: asyncio.Task[None] | None = None

    @property
    def state(self) -> State:
        """Up to the last commit. To be forked, not to be written."""
        if self._storage is None:
            return self._state
        self._note_settled(self._storage.state)
        return self._storage.state

    def _note_settled(self, state: State) -> None:
        """For the next server of it, or of a fork."""
        server = self.server
        state.note_settled(server is not None and self._failing is None and server.is_settled)

    @property
    def is_changing(self) -> bool:
        """It is about to wake, or to rest."""
        return self._turn.locked()

    @property
    def is_idle(self) -> bool:
        """Nobody would notice that it rests."""
        server = self.server
        return server is not None and not self.under_way and not self.is_changing and server.is_idle

    async def wake(self) -> Server | None:
        """None: it is gone."""
        async with self._turn:
            if self.server is None and not self.is_gone:
                time = self.kept.time
                self.server = await (self._start() if time is None else time.run(self._start))
            return self.server

    async def _start(self) -> Server:
        storage = MemoryStorage(on_fatal=self._fail, state=self._state)
        try:
            server = await self._build(self, storage)
            await server.start()
        except BaseException:
            await storage.close()
            raise
        self._storage, self._failing = storage, None
        server.on_ready()
        return server

    async def rest(self) -> None:
        """Watches end, requests under way fail; what was acknowledged stays."""
        async with self._turn:
            await self._stop()

    async def restore(self, state: State) -> None:
        """Be what `state` is. Whoever knows a revision is told that it is gone."""
        async with self._turn:
            await self._stop()
            self._state = state.restored(self._state.revision)

    async def end(self) -> None:
        """It can not be woken any more."""
        self.is_gone = True
        await self.rest()
        self._state = State(0)

    async def _stop(self) -> None:
        if self._storage is not None:
            self._note_settled(self._storage.state)
        server, self.server = self.server, None
        if server is not None:
            await server.stop()
        if self._storage is not None:
            self._state, self._storage = self._storage.state, None

    def _fail(self, error: BaseException) -> None:
        """A bug has reached the store: what has been acknowledged stands in the state, all else is built anew."""
        _LOG.error("logical cluster %s has failed and starts anew", self.name, exc_info=error)
        self._failing = asyncio.get_running_loop().create_task(self.rest())

    async def finish(self, answer: Awaitable[Response]) -> Response:
        """Counts a request until it is answered."""
        self.under_way += 1
        try:
            return await answer
        finally:
            self.under_way -= 1
