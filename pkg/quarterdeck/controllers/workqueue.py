"""A queue of keys for one controller: a key waits once however often it is added, is worked on by one worker at a
time, and comes back later after a failure, later still after each further one.

A failure of one key delays that key alone. Each controller has its own queue and workers, so that none waits for
another. Source: client-go/util/workqueue (queue.go, delaying_queue.go, default_rate_limiters.go, metrics.go).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextvars import Context, copy_context
from typing import Final, Protocol

from quarterdeck.apimachinery import clock
from quarterdeck.controllers import pause
from quarterdeck.controllers.backoff import BACKOFF_FIRST_S, BACKOFF_MAX_S, Backoff
from quarterdeck.controllers.pause import Pause, Timer

logger = logging.getLogger(__name__)

# So often in a row a key may fail before nobody waits for it any more: by then it is likely to go on for long.
PASSING_FAILURES: Final = 8


class Clock(pause.Clock, Protocol):
    """Where the queue's time comes from; `wall_s` is the time of day, in seconds since 1970."""

    def wall_s(self) -> float: ...


class LoopClock:
    """The running event loop's."""

    def now_s(self) -> float:
        return asyncio.get_running_loop().time()

    def wall_s(self) -> float:
        return clock.wall_s()

    def call_at(self, at_s: float, call: Callable[[str], None], key: str) -> Timer:
        return asyncio.get_running_loop().call_at(at_s, call, key)


class Durations(Protocol):
    def observe(self, value: float) -> None: ...


class Controller:
    """Runs `sync(key)` for every key that was added, `workers` keys at once. A failed key comes again.

    1. A key is in `_dirty` from the moment it is added until it is taken to be worked on.
    2. It is in `_waiting` as well unless it is being worked on (`_active`); then it waits from the end of that work on.
    3. A key has at most one timer, the earliest that was asked for.
    4. While it is held back no key waits: what was missed has to be added when it resumes.
    5. A key that rests waits for the end of that, by whatever it is added meanwhile.
    """

    steady_clock: Clock | None = None
    """By which short waits go, and those after failures, where the queue's own clock may stand still."""

    def __init__(
        self,
        name: str,
        sync: Callable[[str], Awaitable[None]],
        workers: int = 1,
        clock: Clock | None = None,
        *,
        retry_first_s: float = BACKOFF_FIRST_S,
        retry_max_s: float = BACKOFF_MAX_S,
        pause_s: float = 0.0,
    ) -> None:
        self.name = name
        self.adds = 0
        self.retries = 0
        self.queue_durations: Durations | None = None
        self.work_durations: Durations | None = None
        self._sync = sync
        self._clock: Clock = clock or LoopClock()
        self._backoff = Backoff(retry_first_s, retry_max_s)
        self._waiting: dict[str, None] = {}  # in order
        self._dirty: dict[str, float] = {}  # since when
        self._active: dict[str, float] = {}  # since when
        self._timers: dict[str, tuple[float, Timer]] = {}
        self._returning: dict[str, Timer] = {}  # by the steady clock
        self._pausing = Pause(pause_s, self._add_now, self._clock)
        self._wake = asyncio.Event()
        self._workers = workers
        self._idle = 0  # workers that wait for a key
        self._is_held = False
        self._is_running = False
        self._context: Context | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def is_at_work_on(self, key: str) -> bool:
        """Whether the key waits or is worked on, by workers that run."""
        return self._is_running and (key in self._dirty or key in self._active)

    @property
    def is_running(self) -> bool:
        return self._is_running

    @property
    def depth(self) -> int:
        return len(self._dirty)

    @property
    def is_idle(self) -> bool:
        """Nothing waits, is worked on, or comes back later."""
        return not (self._dirty or self._active or self._timers or self._returning or self._pausing)

    def awaits_only(self, keys: Collection[str]) -> bool:
        """There is nothing to do before the time at which one of those comes back."""
        busy = self._dirty or self._active or self._returning or self._pausing
        return not busy and all(key in keys for key in self._timers)

    @property
    def is_settled(self) -> bool:
        """All that can be done now is done: what is left waits for its time, or has failed again and again."""
        if not self._is_running:
            return True
        if self._dirty or self._active:
            return False
        return all(self._backoff.failures(key) > PASSING_FAILURES for key in self._returning)

    def unfinished_s(self) -> float:
        """How long all work that is under way has taken so far, together."""
        return sum(self._ages_s())

    def longest_s(self) -> float:
        """How long the longest work that is under way has taken so far."""
        return max(self._ages_s(), default=0.0)

    def _ages_s(self) -> list[float]:
        if not self._active:
            return []
        now_s = self._clock.now_s()
        return [now_s - begin_s for begin_s in self._active.values()]

    def add_paused(self, key: str) -> None:
        """Once a client had time to read what its own write has left (`pause_s`)."""
        self.rest(key)
        self.add(key)

    def rest(self, key: str) -> None:
        """What adds the key in the next `pause_s` has it worked on after them. Where time is made, nothing rests: what
        can be done before the next request is done."""
        if self.steady_clock is None and not self._is_held:
            self._pausing.add(key, is_wanted=False)

    def add(self, key: str) -> None:
        if key in self._pausing:
            self._pausing.add(key, is_wanted=True)
        else:
            self._add_now(key)

    def _add_now(self, key: str) -> None:
        if key in self._dirty or self._is_held:
            return
        self.adds += 1
        self._dirty[key] = self._clock.now_s()
        if key not in self._active:
            self._let_wait(key)

    def _let_wait(self, key: str) -> None:
        self._waiting[key] = None
        if self._idle:
            self._wake.set()
        elif self._is_running:
            self._add_worker()

    def _add_worker(self) -> None:
        """Workers come into being with the keys that they are needed for: many controllers never have any."""
        if len(self._tasks) < self._workers:
            name = f"controller {self.name}/{len(self._tasks)}"
            # Not in the context of whoever adds the key.
            self._tasks.append(asyncio.create_task(self._run(), name=name, context=self._context))

    def add_after(self, key: str, delay_s: float) -> None:
        """An earlier time that was asked for before stands."""
        if self._is_held:
            return
        self.retries += 1
        if delay_s <= 0:
            self.add(key)
            return
        at_s = self._clock.now_s() + delay_s
        known = self._timers.get(key)
        if known is not None:
            if known[0] <= at_s:
                return
            known[1].cancel()
        self._timers[key] = (at_s, self._clock.call_at(at_s, self._fire, key))

    def _fire(self, key: str) -> None:
        del self._timers[key]
        self.add(key)

    def add_soon(self, key: str, delay_s: float) -> None:
        """After a short wait, in which more of the same may come. What has settled does not wait any more."""
        if self.steady_clock is None:
            self.add_after(key, delay_s)
        elif key not in self._returning:
            self._return_after(self.steady_clock, key, delay_s)

    def _return_after(self, clock: Clock, key: str, delay_s: float) -> None:
        if self._is_held:
            return
        self.retries += 1
        if key in self._returning:
            self._returning[key].cancel()
        self._returning[key] = clock.call_at(clock.now_s() + delay_s, self._return, key)

    def _return(self, key: str) -> None:
        del self._returning[key]
        self.add(key)

    def start(self) -> None:
        self._is_running = True
        self._context = copy_context()
        for _ in self._waiting:
            self._add_worker()

    async def stop(self) -> None:
        for timer in (*(timer for _, timer in self._timers.values()), *self._returning.values()):
            timer.cancel()
        self._timers.clear()
        self._returning.clear()
        self._pausing.clear()
        self._is_running = False
        if self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def hold(self) -> None:
        """Stop, forget what waits, and take nothing on until it resumes."""
        self._is_held = True
        await self.stop()
        self._waiting.clear()
        self._dirty.clear()
        self._backoff.reset()

    def resume(self) -> None:
        """Take keys on again; `start` is still to be called."""
        self._is_held = False

    async def _run(self) -> None:
        while True:
            while self._waiting:
                await self.work_on_next()
            self._wake.clear()
            self._idle += 1
            try:
                await self._wake.wait()
            finally:
                self._idle -= 1

    async def work_on_next(self) -> None:
        """Take the key that waits longest and work on it; for workers, and for tests that choose the order."""
        key = next(iter(self._waiting))
        del self._waiting[key]
        begin_s = self._clock.now_s()
        waited_s = begin_s - self._dirty.pop(key)
        self._active[key] = begin_s
        if self.queue_durations is not None:
            self.queue_durations.observe(waited_s)
        try:
            await self._process(key)
        finally:
            del self._active[key]
            if self.work_durations is not None:
                self.work_durations.observe(self._clock.now_s() - begin_s)
            if key in self._dirty:
                self._let_wait(key)

    async def _process(self, key: str) -> None:
        try:
            await self._sync(key)
        except Exception as error:  # noqa: BLE001 - one key's failure must not end the controller
            steady = self.steady_clock
            delay_s = self._backoff.delay_s(key, (steady or self._clock).now_s())
            logger.warning("%s: %s failed, again in %.3f s: %s", self.name, key, delay_s, error)
            if steady is None:
                self.add_after(key, delay_s)
            else:
                self._return_after(steady, key, delay_s)
        else:
            self._backoff.forget(key)
