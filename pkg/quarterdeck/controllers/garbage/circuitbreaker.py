"""The circuit breaker of another server: how many of the collector's steps call it at once, and when none does.

A server that does not answer gets no more calls until a while has passed, longer each time. What needs it waits here
meanwhile and keeps no worker, so that one server holds up neither this one's objects nor another server's.
"""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Final, Protocol

from quarterdeck.controllers.backoff import Delays

TURNS_MAX: Final = 4
REST_FIRST_S: Final = 0.5
REST_MAX_S: Final = 30.0
# What waits is looked at so often where nothing else brings it back.
_SWEEP_S: Final = 0.05
_ONLY: Final = ""


class Queue(Protocol):
    @property
    def name(self) -> str: ...

    def add(self, key: str) -> None: ...


class ServerUnavailable(Exception):
    """The server cannot be asked now: nothing is known of its objects."""

    def __init__(self, breaker: CircuitBreaker, text: str) -> None:
        super().__init__(text)
        self.breaker = breaker


class CircuitBreaker:
    """`name` is that of an APIService. Belongs to one event loop."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._turns = 0
        self._waiting: dict[tuple[str, str], Queue] = {}  # in order
        self._delays = Delays(REST_FIRST_S, REST_MAX_S)
        self._rest: asyncio.TimerHandle | None = None
        self._sweep: asyncio.TimerHandle | None = None
        self._may_call = asyncio.Event()
        self._may_call.set()

    @property
    def is_resting(self) -> bool:
        return self._rest is not None

    async def usable(self) -> None:
        await self._may_call.wait()

    def begin(self, queue: Queue, key: str) -> bool:
        """Take a turn, which `end` gives back; False: the key waits, and comes into its queue again."""
        if self.is_resting or self._turns >= TURNS_MAX:
            self.defer(queue, key)
            return False
        self._turns += 1
        return True

    def end(self) -> None:
        self._turns -= 1
        if self._waiting:
            self._release()

    def defer(self, queue: Queue, key: str) -> None:
        """The key comes into its queue again when the server may be asked."""
        self._waiting[queue.name, key] = queue
        self._sweep_later()

    def fail(self) -> None:
        if self._rest is None:
            self._may_call.clear()
            self._rest = asyncio.get_running_loop().call_later(self._delays.next_s(_ONLY), self.wake)

    def succeed(self) -> None:
        self._delays.forget(_ONLY)

    def wake(self) -> None:
        """Its time is over, or something about the server has changed."""
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        self._may_call.set()
        self._release()

    def close(self) -> None:
        """The server is not needed any more; what has waited is looked at again."""
        for timer in (self._rest, self._sweep):
            if timer is not None:
                timer.cancel()
        self._rest = self._sweep = None
        self._may_call.set()
        waiting, self._waiting = self._waiting, {}
        for (_, key), queue in waiting.items():
            queue.add(key)

    def _release(self) -> None:
        if self.is_resting:
            return
        for name, key in list(islice(self._waiting, max(0, TURNS_MAX - self._turns))):
            self._waiting.pop((name, key)).add(key)
        self._sweep_later()

    def _sweep_later(self) -> None:
        """Keys that were let go may need the server no more, and then give no turn back."""
        if self._waiting and self._sweep is None and not self.is_resting:
            self._sweep = asyncio.get_running_loop().call_later(_SWEEP_S, self._on_sweep)

    def _on_sweep(self) -> None:
        self._sweep = None
        self._release()
