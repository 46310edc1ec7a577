"""The log backend: lines of events, written by a thread of its own.

In batch mode an event is handed over and forgotten; where the thread is too far behind it is dropped, and counted. In
the blocking modes a request waits for its line. Many requests share a write, and one wake-up of the loop.

Source: apiserver/plugin/pkg/audit/{log/backend,buffered/buffered}.go.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final, Protocol

from quarterdeck.audit import settings
from quarterdeck.audit.event import Event
from quarterdeck.audit.failures import BUFFERED, LOG, Failures
from quarterdeck.audit.settings import Delivery
from quarterdeck.audit.throttle import Throttle
from quarterdeck.audit.truncation import truncate

# Of requests that wait: far more than can be open at once, but for streams that end together.
_WAITING_MAX: Final = 200_000
_QUEUED_BYTES_MAX: Final = 256 * 1024 * 1024
_GROUP_LINES_MAX: Final = 512
_GROUP_BYTES_MAX: Final = 1024 * 1024
# In batch mode the thread wakes up no more often than this: a wake-up for each event would cost as much as the event.
_LINGER_S: Final = 0.005
_CLOSING_S: Final = 5.0


class LineWriter(Protocol):
    def write(self, lines: Sequence[bytes]) -> tuple[list[int], str]:
        """The positions of those that could not be written, and why."""

    def close(self) -> None: ...


# A line in pieces, its bytes, and who waits for it.
_Item = tuple[tuple[bytes, ...], int, asyncio.Future[bool] | None]


class LogBackend:
    """Belongs to the running loop. `is_legacy`: the one-line format."""

    def __init__(self, writer: LineWriter, delivery: Delivery, failures: Failures, *, is_legacy: bool = False) -> None:
        self._writer = writer
        self._delivery = delivery
        self._failures = failures
        self._is_legacy = is_legacy
        self._is_batch = delivery.mode == settings.BATCH
        self._is_strict = self.waits_first = delivery.mode == settings.BLOCKING_STRICT
        self._queue: SimpleQueue[_Item | None] = SimpleQueue()
        self._queue_max = delivery.batching.buffer_size if self._is_batch else _WAITING_MAX
        self._bytes_in = 0  # counted by the loop
        self._bytes_out = 0  # counted by the thread
        self._loop = asyncio.get_running_loop()
        self._is_closed = False
        self._writing = threading.Thread(target=self._run, name="audit-log", daemon=True)
        self._writing.start()

    def process(self, event: Event, *, is_last: bool = True) -> Awaitable[bool] | None:
        kept = truncate(event, self._delivery.truncating, self._failures)
        if kept is None:
            return None
        line = (kept.legacy_line(),) if self._is_legacy else kept.line()
        size = len(line[0]) if len(line) == 1 else sum(map(len, line))
        # Lines are written in their order, so that who waits for the last one waits for all. Differs from upstream: a
        # request is begun before its first line is written, unless its backend is strict.
        is_waited = self._is_strict or (is_last and not self._is_batch)
        future = self._loop.create_future() if is_waited else None
        waiting = self._bytes_in - self._bytes_out
        if (
            self._is_closed
            or self._queue.qsize() >= self._queue_max
            or (waiting and waiting + size > _QUEUED_BYTES_MAX)
        ):
            return self._drop(future)
        self._bytes_in += size
        self._queue.put((line, size, future))
        return future

    def _drop(self, future: asyncio.Future[bool] | None) -> asyncio.Future[bool] | None:
        reason = "audit backend shut down" if self._is_closed else "audit buffer queue blocked"
        self._failures.add(BUFFERED if self._is_batch else LOG, 1, reason)
        if future is not None:
            future.set_result(not self._is_strict)
        return future

    async def close(self) -> None:
        """Return when what has been handed over is written; a file that does not take it is not waited for."""
        self._is_closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._writing.join, _CLOSING_S)
        if self._writing.is_alive():
            self._failures.add(LOG, self._queue.qsize(), "the server stops and the log takes no more")

    def _give_up(self) -> None:
        while True:
            try:
                item = self._queue.get_nowait()
            except Empty:
                return
            if item is not None:
                self._failures.add(LOG, 1, "audit backend shut down")
                self._answer([item], [0])

    # The thread.

    def _run(self) -> None:
        try:
            self._write_all()
        finally:  # with a bug, too: nobody may wait for a line that nobody writes
            self._is_closed = True
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._give_up)
        self._writer.close()

    def _write_all(self) -> None:
        batching = self._delivery.batching
        throttle = None
        if self._is_batch and batching.is_throttled:
            throttle = Throttle(batching.throttle_qps, batching.throttle_burst, time.monotonic)
        # Whether lines come to the file one by one cannot be seen; only a throttle counts batches.
        is_greedy = not self._is_batch or (throttle is None and batching.size_max == 1)
        while True:
            items, is_last = self._take_greedily() if is_greedy else self._take_batch()
            if items:
                if throttle is not None and not self._is_closed:
                    time.sleep(throttle.reserve_s())
                self._write(items)
            if is_last:
                return

    def _take_greedily(self) -> tuple[list[_Item], bool]:
        """What is there, as much as makes one write. True: nothing comes behind it."""
        first = self._queue.get()
        if first is None:
            return [], True
        if self._is_batch:
            time.sleep(_LINGER_S)
        items = [first]
        size = first[1]
        while len(items) < _GROUP_LINES_MAX and size < _GROUP_BYTES_MAX:
            try:
                item = self._queue.get_nowait()
            except Empty:
                break
            if item is None:
                return items, True
            items.append(item)
            size += item[1]
        return items, False

    def _take_batch(self) -> tuple[list[_Item], bool]:
        """A batch that is full, or as old as it may get."""
        batching = self._delivery.batching
        first = self._queue.get()
        if first is None:
            return [], True
        items = [first]
        end_s = time.monotonic() + batching.wait_max_s
        while len(items) < batching.size_max:
            try:
                item = self._queue.get(timeout=max(end_s - time.monotonic(), 0.0))
            except Empty:
                break
            if item is None:
                return items, True
            items.append(item)
        return items, False

    def _write(self, items: list[_Item]) -> None:
        lost = list(range(len(items)))  # where a bug ends the thread
        reason = "audit backend shut down"
        try:
            lost, reason = self._writer.write([line[0] if len(line) == 1 else b"".join(line) for line, _, _ in items])
        finally:
            self._bytes_out += sum([size for _, size, _ in items])
            if lost:
                self._failures.add(LOG, len(lost), reason)
            self._answer(items, lost)

    def _answer(self, items: list[_Item], lost: list[int]) -> None:
        if self._is_batch:
            return
        failed = set(lost) if self._is_strict else set()
        answers = [
            (future, position not in failed) for position, (_, _, future) in enumerate(items) if future is not None
        ]
        if answers:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(_resolve, answers)


def _resolve(answers: list[tuple[asyncio.Future[bool], bool]]) -> None:
    for future, is_kept in answers:
        if not future.done():
            future.set_result(is_kept)
