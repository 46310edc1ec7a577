"""The webhook backend: events are posted to another server as an EventList.

In batch mode they are collected, and sent a batch at a time while others are on their way; where too many wait they are
dropped, and counted. In the blocking modes each event is a call that its request waits for. A call that fails is made
again, a little later each time, whatever the reason is.

Source: apiserver/plugin/pkg/audit/{webhook/webhook,buffered/buffered}.go, pkg/util/webhook/webhook.go.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from quarterdeck.audit import settings
from quarterdeck.audit.event import Event
from quarterdeck.audit.failures import BUFFERED, WEBHOOK, Failures
from quarterdeck.audit.settings import Delivery
from quarterdeck.audit.throttle import Throttle
from quarterdeck.audit.truncation import split, truncate
from quarterdeck.webhook.client import WebhookFailed

_TRIES: Final = 5
_FACTOR: Final = 1.5
_JITTER: Final = 0.2
# Differs from upstream: it has no bound. Each may take five times the timeout of a call.
_CALLS_MAX: Final = 50
_QUEUED_BYTES_MAX: Final = 256 * 1024 * 1024
_CLOSING_S: Final = 5.0
_HEAD: Final = b'{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":['

Post = Callable[[bytes], Awaitable[None]]


class WebhookBackend:
    """Belongs to the running loop. `post` sends a body once; it raises WebhookFailed."""

    def __init__(self, post: Post, delivery: Delivery, initial_backoff_s: float, failures: Failures) -> None:
        self._post = post
        self._delivery = delivery
        self._initial_backoff_s = initial_backoff_s
        self._failures = failures
        self._is_batch = delivery.mode == settings.BATCH
        self._is_strict = delivery.mode == settings.BLOCKING_STRICT
        # Two calls of one request side by side could arrive the wrong way round.
        self.waits_first = not self._is_batch
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Event] = deque()
        self._waiting_bytes = 0
        self._has_come = asyncio.Event()
        self._is_closed = False
        self._calls: dict[asyncio.Task[bool], int] = {}  # how many events each has
        self._may_call = asyncio.Semaphore(_CALLS_MAX)
        self._collecting = self._loop.create_task(self._collect()) if self._is_batch else None

    def process(self, event: Event, *, is_last: bool = True) -> Awaitable[bool] | None:
        kept = truncate(event, self._delivery.truncating, self._failures)
        if kept is None:
            return None
        if not self._is_batch:
            return self._loop.create_task(self._send_one(kept))
        size = kept.line_bytes()
        if self._is_closed:
            self._failures.add(BUFFERED, 1, "audit backend shut down")
        elif len(self._waiting) >= self._delivery.batching.buffer_size or (
            self._waiting and self._waiting_bytes + size > _QUEUED_BYTES_MAX
        ):
            self._failures.add(BUFFERED, 1, "audit buffer queue blocked")
        else:
            self._waiting.append(kept)
            self._waiting_bytes += size
            self._has_come.set()
        return None

    async def close(self) -> None:
        """Return when everything is sent; a server that does not take it is not waited for long."""
        self._is_closed = True
        self._has_come.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                if self._collecting is not None:
                    await self._collecting
                if self._calls:
                    await asyncio.wait(self._calls)
        left = len(self._waiting) + sum(self._calls.values())
        for call in self._calls:
            call.cancel()
        if left:
            self._failures.add(WEBHOOK, left, "the server stops and the webhook takes no more")

    async def _send_one(self, event: Event) -> bool:
        is_kept = await self._send([event])
        return is_kept or not self._is_strict

    # Batches.

    async def _collect(self) -> None:
        batching = self._delivery.batching
        throttle = None
        if batching.is_throttled:
            throttle = Throttle(batching.throttle_qps, batching.throttle_burst, self._loop.time)
        while await self._fill():
            if throttle is not None and (wait_s := throttle.reserve_s()) and not self._is_closed:
                await asyncio.sleep(wait_s)
            await self._may_call.acquire()
            batch = self._take()
            call = self._loop.create_task(self._send(batch))
            self._calls[call] = len(batch)
            call.add_done_callback(self._forget)

    async def _fill(self) -> bool:
        """Wait for a batch that is full, or as old as it may get. False: nothing comes any more."""
        while not self._waiting:
            if self._is_closed:
                return False
            self._has_come.clear()
            await self._has_come.wait()
        batching = self._delivery.batching
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(batching.wait_max_s):
                while len(self._waiting) < batching.size_max and not self._is_closed:
                    self._has_come.clear()
                    await self._has_come.wait()
        return True

    def _take(self) -> list[Event]:
        count = min(len(self._waiting), self._delivery.batching.size_max)
        batch = [self._waiting.popleft() for _ in range(count)]
        self._waiting_bytes -= sum(event.line_bytes() for event in batch)
        return batch

    def _forget(self, call: asyncio.Task[bool]) -> None:
        self._calls.pop(call, None)
        self._may_call.release()

    async def _send(self, batch: list[Event]) -> bool:
        """Whether all of it was taken."""
        is_sent = True
        for part in split(batch, self._delivery.truncating):
            try:
                await self._repeat(_join(part))
            except WebhookFailed as failure:
                self._failures.add(WEBHOOK, len(part), failure.text)
                is_sent = False
        return is_sent

    async def _repeat(self, body: bytes) -> None:
        delay_s = self._initial_backoff_s
        for _ in range(_TRIES - 1):
            try:
                return await self._post(body)
            except WebhookFailed:
                if self._is_closed:
                    raise
            await asyncio.sleep(delay_s * (1 + _JITTER * random.random()))
            delay_s *= _FACTOR
        return await self._post(body)


def _join(batch: list[Event]) -> bytes:
    return b"%b%b]}\n" % (_HEAD, b",".join(b"".join(event.pieces()) for event in batch))
