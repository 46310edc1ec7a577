"""Wiring of a virtual clock: what goes by it, what takes from a seed, and when all that is to be done now is done.

A place has one: the process, or a logical cluster, whichever server it has at the moment. What runs for a cluster finds
it in its context, which tasks hand on to those that they begin. Loaded where asked for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Final, TypeVar

from quarterdeck.apimachinery import clock, randomness
from quarterdeck.apimachinery.seeded import SeededSource
from quarterdeck.apimachinery.virtualclock import OutOfRange, VirtualClock
from quarterdeck.controllers.workqueue import Controller, LoopClock
from quarterdeck.endpoints.clockpath import ClockPath
from quarterdeck.server.config import VirtualClockSettings
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.messages import Application, Request, Response
from quarterdeck.webhook import client as webhook

# How long controllers are waited for, by the machine's time: what takes longer waits for another server.
SETTLE_MAX_S: Final = 5.0
_LOOKS: Final = 3  # so often in a row, in turns of the loop, nothing is left to be done
_BUSY_LOOKS: Final = 50
_PAUSE_S: Final = 0.001
_OBJECTS: Final = ("/api/", "/apis/")

T = TypeVar("T")


class VirtualTime:
    """`purpose` tells apart what takes from the same seed. `is_usual`: begun at the machine's time, no seed."""

    def __init__(self, settings: VirtualClockSettings, purpose: str) -> None:
        start_s = settings.start_s if settings.start_s is not None else float(int(time.time()))
        self.clock = VirtualClock(start_s)
        self.settings = settings._replace(start_s=start_s)
        self.is_usual = settings == VirtualClockSettings()
        self.source = None if settings.seed is None else SeededSource(settings.seed, purpose)
        self.path = ClockPath(self.clock, self.settle)
        self._queues: Sequence[Controller] = ()
        self._calls = 0

    @property
    def settings_now(self) -> VirtualClockSettings:
        """Those of another one that goes on from here."""
        return self.settings._replace(start_s=self.clock.wall_s())

    # - whom it is for

    def rule_process(self) -> None:
        clock.replace(self.clock)
        randomness.replace(self.source)

    def context(self) -> Context:
        """In which it is the clock."""
        context = copy_context()
        context.run(self.enter)
        return context

    def enter(self) -> None:
        """In the current context, and what is begun in it."""
        clock.allow_others()
        clock.use(self.clock)
        if self.source is not None:
            randomness.allow_others()
            randomness.use(self.source)

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        async def begin() -> T:
            return await work()

        return await asyncio.get_running_loop().create_task(begin(), context=self.context())

    def step(self, seconds: float) -> None:
        """What a rule of faults asks for. At the ends of time nothing happens."""
        with suppress(OutOfRange):
            self.clock.step(seconds)

    # - when it may go on

    def follow(self, queues: Sequence[Controller]) -> None:
        """These are to settle. What fails comes again by the machine's time."""
        self._queues = queues
        for queue in queues:
            queue.steady_clock = LoopClock()

    async def settle(self) -> bool:
        """Until nothing is left that can be done now, or too long. Returns which."""
        looks, busy, end_s = 0, 0, time.monotonic() + SETTLE_MAX_S
        while looks < _LOOKS:
            await asyncio.sleep(_PAUSE_S if busy > _BUSY_LOOKS else 0)
            if all(queue.is_settled for queue in self._queues):
                looks += 1
            else:
                looks, busy = 0, busy + 1
                if time.monotonic() > end_s:
                    return False
        return True

    # - around requests

    def wrap(self, application: Application) -> Application:
        return _Timed(application, self)

    async def settle_before_request(self) -> None:
        """One that comes while a webhook is called may be what the webhook waits for."""
        if not self._calls:
            await self.settle()

    def build_webhook_client(
        self, inner: Callable[[HTTPClient, webhook.ServiceResolver], webhook.WebhookClient]
    ) -> Callable[[HTTPClient, webhook.ServiceResolver], webhook.WebhookClient]:
        return lambda http, resolve: _CountingClient(http, resolve, inner(http, resolve), self)

    def count_calls(self, more: int) -> None:
        """How many webhooks are being called."""
        self._calls += more


class _Timed:
    """The application in the context of its clock. With a seed, requests for objects begin when all that was begun
    before has come to its end, so that the same requests in the same order have the same answers."""

    def __init__(self, inner: Application, virtual: VirtualTime) -> None:
        self._inner = inner
        self._virtual = virtual
        self._waits = virtual.source is not None

    def __call__(self, http: Request) -> Response | Awaitable[Response]:
        return self._answer(http)

    async def _answer(self, http: Request) -> Response:
        """In a task of its own, as the transport has it."""
        self._virtual.enter()
        if self._waits and http.path.startswith(_OBJECTS):
            await self._virtual.settle_before_request()
        answer = self._inner(http)
        return answer if isinstance(answer, Response) else await answer


class _CountingClient(webhook.WebhookClient):
    def __init__(
        self, http: HTTPClient, resolve: webhook.ServiceResolver, inner: webhook.WebhookClient, virtual: VirtualTime
    ) -> None:
        super().__init__(http, resolve)
        self._inner = inner
        self._virtual = virtual

    async def ask(self, call: webhook.Call) -> bytes:
        self._virtual.count_calls(1)
        try:
            return await self._inner.ask(call)
        finally:
            self._virtual.count_calls(-1)


def of_process(settings: VirtualClockSettings, revision: int) -> VirtualTime:
    made = VirtualTime(settings, f"process from {revision}")
    made.rule_process()
    return made
