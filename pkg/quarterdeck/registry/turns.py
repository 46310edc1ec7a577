"""Writers of one object that got in each other's way take turns, in the order in which they came.

A write is tried at once, and again after another one came between. If N writers of one object all did so, each round
would let one of them through: N²/2 transforms. So whoever has met a conflict waits for its turn, and with it everybody
who comes while there is somebody with a turn: 2N at most. Upstream lets them race (etcd3/store.go, GuaranteedUpdate).

A turn is no lock, since the store compares and swaps anyway: it passes on after a second, so that a writer that waits
for a webhook holds nobody up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

TURN_S: Final = 1.0
WAITING_MAX: Final = 4096  # for one object; whoever comes then does not wait


class Turn:
    """One writer's place; `has_come` when it may write."""

    __slots__ = ("expiry", "has_come", "key")

    def __init__(self, key: str, has_come: asyncio.Future[None]) -> None:
        self.key = key
        self.has_come = has_come
        self.expiry: asyncio.TimerHandle | None = None


class Turns:
    """Of the objects of one resource. `queues` by key: the first in each has the turn, none is empty."""

    def __init__(self) -> None:
        self.queues: dict[str, deque[Turn]] = {}

    async def take(self, key: str) -> Turn:
        """Returns when it is the writer's turn, which it has to `end`."""
        loop = asyncio.get_running_loop()
        turn = Turn(key, loop.create_future())
        queue = self.queues.setdefault(key, deque())
        if len(queue) >= WAITING_MAX:
            return turn
        queue.append(turn)
        if len(queue) == 1:
            self._begin(turn)
        try:
            await turn.has_come
        except asyncio.CancelledError:
            self.end(turn)
            raise
        return turn

    async def follow(self, key: str, *, is_beaten: bool) -> Turn | None:
        """`take`, for a writer that another one has beaten, or that comes while others wait for their turns."""
        return await self.take(key) if is_beaten or key in self.queues else None

    def end(self, turn: Turn) -> None:
        """The writer is done, or has had its time."""
        if turn.expiry is not None:
            turn.expiry.cancel()
        queue = self.queues.get(turn.key)
        if queue is None or turn not in queue:
            return
        had_turn = queue[0] is turn
        queue.remove(turn)
        if not queue:
            del self.queues[turn.key]
        elif had_turn:
            self._begin(queue[0])

    def _begin(self, turn: Turn) -> None:
        if not turn.has_come.done():
            turn.has_come.set_result(None)
        turn.expiry = asyncio.get_running_loop().call_later(TURN_S, self.end, turn)
