"""The embedded backend's face on the event loop: hands writes and reads to the store's thread, publishes its answers.

Writes of one turn of the loop are handed over together. A finished commit comes back in one call: first the sink gets
its events, then its writers get their answers, so a client whose write was answered reads it back from the cache.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from quarterdeck.storage import interface
from quarterdeck.storage.backend import Stats
from quarterdeck.storage.sqlite import loading
from quarterdeck.storage.sqlite.compaction import compact_periodically
from quarterdeck.storage.sqlite.engine import Engine
from quarterdeck.storage.sqlite.limits import Limits
from quarterdeck.storage.sqlite.reader import Steps
from quarterdeck.storage.sqlite.space import free_bytes
from quarterdeck.storage.sqlite.worker import Batch, Job, Worker, stopped
from quarterdeck.storage.sqlite.writer import Write

T = TypeVar("T")

OnFatal = Callable[[BaseException], None]


class SQLiteStorage:
    """A storage backend in one file; see interface.Storage for the meaning of each method.

    `on_fatal` is called once, on the event loop, when the store has stopped acknowledging for good (a failed write or
    fsync): the process should end, and the next start tells what became durable. Differs from upstream: values may be
    as large as bodies of requests make them.
    """

    kind: Final = "sqlite"

    def __init__(self, path: Path, limits: Limits, on_fatal: OnFatal | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._path = path
        self._limits = limits
        self._on_fatal = on_fatal
        self._worker = Worker(self._loop, limits, self._publish, self._answer)
        self._sink: interface.Sink | None = None
        self._revision = 0
        self._compacted = 0
        self._outbox: list[Write] = []
        self._queued_rows = 0
        self._queued_bytes = 0
        self._waiters: deque[tuple[asyncio.Future[None], int]] = deque()
        self._error: BaseException | None = None
        self._is_closed = False
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._compaction: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls,
        path: str | Path,
        *,
        limits: Limits | None = None,
        on_fatal: OnFatal | None = None,
        compaction_interval_s: float = 300,
        vfs: str | None = None,
    ) -> SQLiteStorage:
        """Open the store in the file `path`, made if it is missing. `compaction_interval_s` 0: only on request.

        `vfs` names another SQLite VFS, for tests of faults. Raises InUse, UnknownFormat, Corrupt, OSError.
        """
        storage = cls(Path(path), limits or Limits(), on_fatal)
        worker = storage._worker
        opener = partial(Engine, storage._path, storage._limits, vfs, partial(worker.post, storage._note_compacted))
        state = await worker.start(opener, storage._closed)
        storage._revision, storage._compacted = state.revision, state.meta.compacted
        if compaction_interval_s:
            storage._compaction = asyncio.create_task(compact_periodically(storage, compaction_interval_s))
        return storage

    @property
    def lags(self) -> bool:
        return False

    @property
    def revision(self) -> int:
        return self._revision

    async def current_revision(self) -> int:
        return self._revision

    @property
    def tell_revision(self) -> None:
        return None

    def seek(self, revision: int) -> bool:
        return True

    @property
    def compacted_revision(self) -> int:
        return self._compacted

    @property
    def is_stale(self) -> None:
        """Values are stored as they are given."""
        return None

    @property
    def is_available(self) -> bool:
        """Whether writes are still acknowledged."""
        return self._error is None and not self._is_closed

    @property
    def is_space_short(self) -> bool:
        """Whether the disk was full when something was written last, and still has no room for one object."""
        return self._worker.is_space_short and free_bytes(self._path.parent) < self._limits.value_bytes_max

    def stats(self) -> Stats:
        files = (self._path, self._path.with_name(self._path.name + "-wal"))
        size = sum(file.stat().st_size for file in files if file.exists())
        done, durations = self._worker.counters, self._worker.counters.durations
        return Stats(done.commits, done.rows, self._queued_rows, self._queued_bytes, size, durations)

    def subscribe(self, sink: interface.Sink) -> None:
        self._sink = sink

    def create(self, key: str, value: bytes, hint: object = None) -> Awaitable[int]:
        return self._write(key, value, None, hint)

    def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> Awaitable[int]:
        return self._write(key, value, expected_revision, hint)

    def delete(self, key: str, expected_revision: int, hint: object = None) -> Awaitable[int]:
        return self._write(key, None, expected_revision, hint)

    async def get(self, key: str, revision: int = 0) -> interface.KeyValue | None:
        return await self._read(lambda engine: engine.reader.get(key, revision))

    async def range(
        self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0
    ) -> interface.RangeResult:
        return await self._read(lambda engine: engine.reader.range(prefix, start_key, limit, revision))

    def load_all(
        self, batch_rows: int = 1000, corrupt: Callable[[interface.Corrupt], None] | None = None
    ) -> AsyncIterator[list[interface.KeyValue]]:
        return loading.iterate(self._load, lambda: self._revision, batch_rows, corrupt)

    async def _load(
        self, after: int, end: int, rows: int
    ) -> tuple[list[interface.KeyValue], list[interface.Corrupt], int]:
        return await self._read(lambda engine: engine.reader.load(after, end, rows))

    async def events(self, prefix: str, after_revision: int, *, limit: int = 0) -> list[interface.Event]:
        return await self._read(lambda engine: engine.reader.events(prefix, after_revision, limit))

    async def compact(self, revision: int) -> None:
        """Returns when all that is to be forgotten has been removed."""
        await self._read(lambda engine: engine.compactor.compact(revision), is_chore=True)

    async def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            if self._compaction is not None:
                self._compaction.cancel()
            self._fail_waiters()
            self._flush()
            self._worker.submit(None)
        await asyncio.shield(self._closed)

    def _write(self, key: str, value: bytes | None, expected: int | None, hint: object) -> Awaitable[int]:
        """A future, without a coroutine around it, unless the write has to wait for room."""
        future: asyncio.Future[int] = self._loop.create_future()
        size = 0 if value is None else len(value)
        if size > self._limits.value_bytes_max:
            text = f"{key} has {size} bytes, at most {self._limits.value_bytes_max} are taken"
            future.set_exception(interface.TooLarge(text))
            return future
        if self._error is not None or self._is_closed:
            future.set_exception(stopped(self._error))
            return future
        size += len(key)
        write = Write(key, value, expected, hint, size, future)
        limits = self._limits
        if (
            self._waiters
            or self._queued_rows >= limits.pending_rows_max
            or self._queued_bytes >= limits.pending_bytes_max
        ):
            return self._write_later(write)
        self._queued_rows += 1
        self._queued_bytes += size
        if not self._outbox:
            self._loop.call_soon(self._flush)
        self._outbox.append(write)
        return future

    async def _write_later(self, write: Write) -> int:
        await self._wait_for_room(write.size)
        if not self._outbox:
            self._loop.call_soon(self._flush)
        self._outbox.append(write)
        return await write.future

    def _has_room(self) -> bool:
        return self._queued_rows < self._limits.pending_rows_max and self._queued_bytes < self._limits.pending_bytes_max

    async def _wait_for_room(self, size: int) -> None:
        """The longest waiting write goes first; the room is taken for it before it runs."""
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._waiters.append((waiter, size))
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._release(1, size)
            raise

    def _release(self, rows: int, size: int) -> None:
        self._queued_rows -= rows
        self._queued_bytes -= size
        while self._waiters and self._has_room():
            waiter, size = self._waiters.popleft()
            if not waiter.done():
                self._queued_rows += 1
                self._queued_bytes += size
                waiter.set_result(None)

    def _fail_waiters(self) -> None:
        while self._waiters:
            waiter, _ = self._waiters.popleft()
            if not waiter.done():
                waiter.set_exception(stopped(self._error))

    def _flush(self) -> None:
        if self._outbox:
            writes, self._outbox = self._outbox, []
            self._worker.submit(writes)

    async def _read(self, begin: Callable[[Engine], Steps[T]], *, is_chore: bool = False) -> T:
        if self._is_closed:
            raise interface.Unavailable("the store is closed")
        future: asyncio.Future[T] = self._loop.create_future()
        self._worker.submit(Job(begin, future, is_chore=is_chore))
        return await future

    def _publish(self, batch: Batch) -> None:
        """A commit is durable (or the store has stopped): tell the sink, then the writers."""
        error = self._error or batch.error
        if error is None and batch.events:
            self._revision = batch.revision
            try:
                if self._sink is not None:
                    self._sink(batch.events, batch.revision)
            except BaseException as sink_error:
                self._settle(batch.writes, sink_error)
                self._stop(sink_error)
                raise
        self._settle(batch.writes, error)
        if error is not None:
            self._stop(error)

    def _settle(self, writes: Sequence[Write], error: BaseException | None) -> None:
        size = 0
        for write in writes:
            size += write.size
            future = write.future
            if future.done():  # cancelled: no one waits for it, but it happened
                continue
            outcome = write.outcome if error is None else stopped(error)
            if isinstance(outcome, int):
                future.set_result(outcome)
            else:
                future.set_exception(outcome)
        self._release(len(writes), size)

    def _stop(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error
            self._fail_waiters()
            if self._on_fatal is not None:
                self._on_fatal(error)

    def _note_compacted(self, revision: int) -> None:
        self._compacted = revision

    def _answer(self, job: Job) -> None:
        future = job.future
        if future is None or future.done():
            return
        if job.failed:
            future.set_exception(job.outcome)
        else:
            future.set_result(job.outcome)
