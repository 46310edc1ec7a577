"""The store's thread: the only one that touches the database.

    event loop                            this thread
    ----------                            -----------
    submit(writes) ── inbox ──▶ writes ──▶ one commit of all that waits (bounded) ──▶ publish(batch) on the loop
    submit(job)    ── inbox ──▶ reads  ──▶ one step between two commits           ──▶ answer(job) on the loop
                                chores ──▶ one step between two reads             ──▶ answer(job) on the loop

What arrives while a commit runs waits in the inbox and forms the next batch. Answers reach the loop in the order in
which the thread gave them: a read that comes after a commit was published sees it. Chores (compaction) change rows,
so they run between two reads, never between two steps of one.

After a failed commit nothing is certain any more (the kernel drops the pages whose fsync failed), so the thread never
commits again: it answers Unavailable to everything.
"""

from __future__ import annotations

import logging
import threading
from asyncio import AbstractEventLoop, Future
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Final

import apsw

from quarterdeck._kernels.metrics import Buckets, Histogram, now_s
from quarterdeck.storage import interface
from quarterdeck.storage.sqlite.database import DAMAGED, State
from quarterdeck.storage.sqlite.engine import Engine
from quarterdeck.storage.sqlite.limits import Limits
from quarterdeck.storage.sqlite.reader import Steps
from quarterdeck.storage.sqlite.writer import Write

_log = logging.getLogger(__name__)
_DURATIONS_S: Final = Buckets([0.00025 * 2**power for power in range(15)])  # to 4 s


class Job:
    """A read or a chore on its way. `begin` makes its steps on the thread; `outcome` is its result or its error."""

    __slots__ = ("begin", "failed", "future", "is_chore", "outcome", "steps")

    def __init__(
        self, begin: Callable[[Engine], Steps[Any]], future: Future[Any] | None, *, is_chore: bool = False
    ) -> None:
        self.begin = begin
        self.future = future
        self.is_chore = is_chore
        self.steps: Steps[Any] | None = None
        self.outcome: Any = None
        self.failed = False


class Batch:
    """What one commit did. `error`: the store stopped with it."""

    __slots__ = ("error", "events", "revision", "writes")

    def __init__(
        self, writes: Sequence[Write], events: Sequence[interface.Event], revision: int, error: BaseException | None
    ) -> None:
        self.writes = writes
        self.events = events
        self.revision = revision
        self.error = error


@dataclass(slots=True)
class Counters:
    """Since the start. Written by the thread, read by anyone."""

    commits: int = 0
    rows: int = 0
    durations: Histogram = field(default_factory=lambda: Histogram(_DURATIONS_S))


Opener = Callable[[], Engine]

Message = list[Write] | Job | None
"""None: close."""


class Worker:
    """`publish` and `answer` are called on the event loop."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        limits: Limits,
        publish: Callable[[Batch], None],
        answer: Callable[[Job], None],
    ) -> None:
        self._loop = loop
        self._limits = limits
        self._publish = publish
        self._answer = answer
        self._inbox: SimpleQueue[Message] = SimpleQueue()
        self._writes: deque[Write] = deque()
        self._reads: deque[Job] = deque()
        self._chores: deque[Job] = deque()
        self._is_chore_next = False
        self._is_closing = False
        self._error: BaseException | None = None
        self.counters = Counters()

    @property
    def is_space_short(self) -> bool:
        """Once the store is open; read from any thread."""
        return self._engine.is_space_short or self._engine.is_refusing

    def submit(self, message: Message) -> None:
        """From the event loop; never blocks."""
        self._inbox.put(message)

    def start(self, opener: Opener, closed: Future[None]) -> Future[State]:
        """The state as opened, or the opener's error. `closed` is resolved when the thread has let go of the file."""
        opened: Future[State] = self._loop.create_future()
        # A daemon: a process that ends without closing the store loses nothing that was acknowledged.
        threading.Thread(target=self._run, args=(opener, opened, closed), name="storage", daemon=True).start()
        return opened

    def post(self, callback: Callable[..., None], *arguments: object) -> None:
        """From the thread: call it on the event loop."""
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:  # the loop is closed: no one waits for an answer any more
            self._is_closing = True

    def _run(self, opener: Opener, opened: Future[State], closed: Future[None]) -> None:
        try:
            self._engine = opener()
        except BaseException as error:  # noqa: BLE001 - handed to the caller that opens the store
            self.post(_fail, opened, error)
            return
        self.post(_resolve, opened, self._engine.state)
        self._chores.append(Job(Engine.tidy_up, None, is_chore=True))
        while self._receive():
            self._guard(self._turn)
        while self._chores:  # the next start takes them up
            self._fail_chore(self._chores.popleft())
        if self._error is None:  # else the file is left as it is, for the next start to recover
            self._guard(self._engine.close)
        self.post(_resolve, closed, None)

    def _receive(self) -> bool:
        """Take what is in the inbox, waiting for it when there is nothing to do. False: closed, and all is done but
        chores."""
        inbox = self._inbox
        if self._is_closing and inbox.empty() and not (self._writes or self._reads):
            return False
        idle = not (self._writes or self._reads or self._chores)
        while idle or not inbox.empty():
            idle = False
            message = inbox.get()
            if isinstance(message, list):
                self._writes.extend(message)
            elif message is None:
                self._is_closing = True
            else:
                (self._chores if message.is_chore else self._reads).append(message)
        return True

    def _turn(self) -> None:
        if self._writes:
            self._commit()
        is_read_begun = bool(self._reads) and self._reads[0].steps is not None
        if self._reads and (is_read_begun or not self._is_chore_next):
            self._step(self._reads)
            self._is_chore_next = bool(self._chores)
        elif self._chores:
            self._step(self._chores)
            self._is_chore_next = False
        if self._error is None:
            self._engine.checkpoint_if_due()

    def _take_batch(self) -> list[Write]:
        """As many writes as one commit may hold, at least one."""
        pending, limits = self._writes, self._limits
        room = limits.batch_bytes_max
        batch: list[Write] = []
        while pending and len(batch) < limits.batch_rows_max:
            room -= pending[0].size
            if room < 0 and batch:
                break
            batch.append(pending.popleft())
        return batch

    def _commit(self) -> None:
        batch = self._take_batch()
        events: Sequence[interface.Event] = ()
        was_space_short = self._engine.is_space_short
        begin_s = now_s()
        if self._error is None:
            try:
                events = self._engine.commit(batch)
            except BaseException as error:  # noqa: BLE001 - every failure stops the store
                _log.critical("a commit failed, the store stops", exc_info=True)
                self._error = error
        if self._error is not None:
            for write in batch:
                write.outcome = stopped(self._error)
        if events:
            self.counters.commits += 1
            self.counters.rows += len(events)
            self.counters.durations.observe_since(begin_s)
        self.post(self._publish, Batch(batch, events, self._engine.state.revision, self._error))
        is_space_short = self._engine.is_space_short
        if is_space_short != was_space_short:
            _log.warning("the disk is full: only deletions are taken" if is_space_short else "the disk has room again")
        if is_space_short and (events or not was_space_short) and not self._chores:
            self._chores.append(Job(Engine.tidy_up, None, is_chore=True))

    def _step(self, jobs: deque[Job]) -> None:
        """One step of the oldest job."""
        job = jobs[0]
        try:
            if self._error is not None:
                raise stopped(self._error)
            if job.steps is None:
                job.steps = job.begin(self._engine)
            next(job.steps)
            return
        except StopIteration as stop:
            job.outcome = stop.value
        except interface.StorageError as error:
            job.outcome, job.failed = error, True
        except DAMAGED as error:
            job.outcome, job.failed = interface.Corrupt("database", str(error)), True
        except apsw.FullError as error:
            job.outcome, job.failed = interface.SpaceExceeded(str(error)), True
        jobs.popleft()
        if job.future is not None:
            self.post(self._answer, job)
        elif job.failed:
            _log.error("a chore failed: %s", job.outcome)

    def _fail_chore(self, job: Job) -> None:
        job.outcome, job.failed = stopped(self._error), True
        if job.future is not None:
            self.post(self._answer, job)

    def _guard(self, step: Callable[[], None]) -> None:
        """An error that no client waits for stops the store as a failed commit does."""
        try:
            step()
        except BaseException as error:  # noqa: BLE001 - every failure stops the store
            _log.critical("the store's thread failed, the store stops", exc_info=True)
            self._error = error
            self.post(self._publish, Batch((), (), self._engine.state.revision, error))


def stopped(error: BaseException | None) -> interface.Unavailable:
    return interface.Unavailable(f"the store has stopped: {error or 'closed'}")


def _resolve(future: Future[Any], result: object) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
