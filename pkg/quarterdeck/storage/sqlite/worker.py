"""The store's thread: the only one that touches the connection.

    event loop                              this thread
    ----------                              -----------
    submit(writes) ── inbox ──▶  pending ──▶ one commit of all that waits (bounded) ──▶ published(batch) on the loop
    submit(read)   ── inbox ──▶  reads   ──▶ one step between two commits           ──▶ answered(read) on the loop

What arrives while a commit runs waits in the inbox and forms the next batch. Answers reach the loop in the order in
which the thread gave them: who reads after a commit was published sees it.

After a failed commit nothing is certain any more (the kernel drops the pages whose fsync failed), so the thread never
commits again: it answers Unavailable to everything.
"""

from __future__ import annotations

import logging
import threading
from asyncio import AbstractEventLoop, Future
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

import apsw

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite.database import State, checkpoint
from quarterdeck.storage.sqlite.limits import Limits
from quarterdeck.storage.sqlite.reader import Reader, Steps
from quarterdeck.storage.sqlite.writer import Write, Writer

_log = logging.getLogger(__name__)


class Read:
    """A read on its way. `begin` makes its steps on the thread; `outcome` is a result or an error."""

    __slots__ = ("begin", "failed", "future", "outcome", "steps")

    def __init__(self, begin: Callable[[Reader], Steps[Any]], future: Future[Any]) -> None:
        self.begin = begin
        self.future = future
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


Opener = Callable[[], tuple[apsw.Connection, State]]

Message = list[Write] | Read | None
"""None: close."""


class Worker:
    """`publish` and `answer` are called on the event loop."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        limits: Limits,
        publish: Callable[[Batch], None],
        answer: Callable[[Read], None],
    ) -> None:
        self._loop = loop
        self._limits = limits
        self._publish = publish
        self._answer = answer
        self._inbox: SimpleQueue[Message] = SimpleQueue()
        self._writes: deque[Write] = deque()
        self._reads: deque[Read] = deque()
        self._closing = False
        self._error: BaseException | None = None
        self._wal_pages = 0

    def submit(self, message: Message) -> None:
        """From the event loop; never blocks."""
        self._inbox.put(message)

    def start(self, opener: Opener, closed: Future[None]) -> Future[State]:
        """The state as opened, or the opener's error. `closed` is resolved when the thread has let go of the file."""
        opened: Future[State] = self._loop.create_future()
        # A daemon: a process that ends without closing the store loses nothing that was acknowledged.
        threading.Thread(target=self._run, args=(opener, opened, closed), name="storage", daemon=True).start()
        return opened

    def _run(self, opener: Opener, opened: Future[State], closed: Future[None]) -> None:
        try:
            connection, state = opener()
        except BaseException as error:  # noqa: BLE001 - handed to who opens the store
            self._post(_fail, opened, error)
            return
        self._connection, self._state = connection, state
        self._writer, self._reader = Writer(connection, state), Reader(connection, state)
        connection.set_wal_hook(self._count_wal_pages)
        self._post(_resolve, opened, state)
        while self._receive():
            self._guard(self._turn)
        self._guard(self._shut)
        self._post(_resolve, closed, None)

    def _turn(self) -> None:
        if self._writes:
            self._commit()
        if self._reads:
            self._step_read()
        if self._wal_pages >= self._limits.checkpoint_pages and self._error is None:
            self._checkpoint()

    def _receive(self) -> bool:
        """Take what is in the inbox, waiting for it when there is nothing to do. False: closed and all done."""
        inbox = self._inbox
        idle = not (self._writes or self._reads)
        if idle and self._closing and inbox.empty():
            return False
        while idle or not inbox.empty():
            idle = False
            message = inbox.get()
            if isinstance(message, list):
                self._writes.extend(message)
            elif message is None:
                self._closing = True
            else:
                self._reads.append(message)
        return True

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
        if self._error is None:
            try:
                events = self._writer.commit(batch)
            except BaseException as error:  # noqa: BLE001 - every failure stops the store
                _log.exception("a commit failed, the store stops")
                self._error = error
        if self._error is not None:
            for write in batch:
                write.outcome = stopped(self._error)
        self._post(self._publish, Batch(batch, events, self._state.revision, self._error))

    def _step_read(self) -> None:
        """One step of the oldest read."""
        read = self._reads[0]
        try:
            if self._error is not None:
                raise stopped(self._error)
            if read.steps is None:
                read.steps = read.begin(self._reader)
            next(read.steps)
            return
        except StopIteration as stop:
            read.outcome = stop.value
        except interface.StorageError as error:
            read.outcome, read.failed = error, True
        except apsw.CorruptError as error:
            read.outcome, read.failed = interface.Corrupt("database", str(error)), True
        self._reads.popleft()
        self._post(self._answer, read)

    def _checkpoint(self) -> None:
        checkpoint(self._connection, self._state)
        self._wal_pages = 0

    def _guard(self, step: Callable[[], None]) -> None:
        """An error that no client waits for stops the store as a failed commit does."""
        try:
            step()
        except BaseException as error:  # noqa: BLE001 - every failure stops the store
            _log.exception("the store's thread failed, the store stops")
            self._error = error
            self._post(self._publish, Batch((), (), self._state.revision, error))

    def _shut(self) -> None:
        if self._error is None:  # else the file is left as it is, for the next start to recover
            self._checkpoint()
            self._connection.close()

    def _count_wal_pages(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _post(self, callback: Callable[..., None], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:  # the loop is closed: nobody waits for an answer any more
            self._closing = True


def stopped(error: BaseException | None) -> interface.Unavailable:
    return interface.Unavailable(f"the store has stopped: {error or 'closed'}")


def _resolve(future: Future[Any], result: object) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
