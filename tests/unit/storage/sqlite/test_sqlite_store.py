"""Group commit, its bounds, and what callers are told when things go wrong."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import Limits, SQLiteStorage
from support.faultvfs import Fault, FaultVFS, Trace
from support.feed import Feed
from support.waiting import PATIENCE_S


@pytest.fixture
def trace() -> Iterator[Trace]:
    trace = Trace()
    vfs = FaultVFS("fault", trace)
    yield trace
    vfs.unregister()


class Gate:
    """Holds up the store's thread in its next sync, until it is opened."""

    def __init__(self, trace: Trace) -> None:
        self._open = threading.Event()
        self._reached = threading.Event()
        trace.before_sync = self._pass

    def _pass(self) -> None:
        self._reached.set()
        assert self._open.wait(PATIENCE_S)

    async def reached(self) -> None:
        assert await asyncio.to_thread(self._reached.wait, 20)

    def open(self) -> None:
        self._open.set()


async def open_store(path: Path, **options: object) -> SQLiteStorage:
    options.setdefault("compaction_interval_s", 0)
    return await SQLiteStorage.open(path / "store.db", **options)  # type: ignore[arg-type]


def create_many(store: SQLiteStorage, count: int, value: bytes = b"x") -> list[asyncio.Task[int]]:
    return [asyncio.ensure_future(store.create(f"/registry/pods/{number:05}", value)) for number in range(count)]


async def test_writes_that_arrive_during_a_commit_form_the_next_batch(tmp_path: Path, trace: Trace) -> None:
    store = await open_store(tmp_path, vfs="fault")
    feed = Feed(store.revision)
    store.subscribe(feed)
    gate = Gate(trace)
    first = asyncio.ensure_future(store.create("/first", b"1"))
    await gate.reached()
    tasks = create_many(store, 50)
    for _ in range(5):
        await asyncio.sleep(0)
    assert feed.batches == [], "nothing is visible before it is durable"
    assert store.revision == 100
    assert await _is_pending(store.get("/first"))
    gate.open()
    await asyncio.gather(first, *tasks)
    assert [len(batch) for batch in feed.batches] == [1, 50]
    assert store.stats().commits == 2
    await store.close()


async def _is_pending(read: object) -> bool:
    task = asyncio.ensure_future(read)  # type: ignore[arg-type]
    for _ in range(5):
        await asyncio.sleep(0)
    return not task.done()


@pytest.mark.parametrize(
    ("limits", "largest"),
    [
        (Limits(batch_rows_max=10), 10),
        (Limits(batch_bytes_max=5000), 4),
        (Limits(batch_bytes_max=10), 1),
        (Limits(pending_rows_max=7), 7),
        (Limits(pending_bytes_max=5000), 5),
    ],
)
async def test_batches_are_bounded(tmp_path: Path, limits: Limits, largest: int) -> None:
    store = await open_store(tmp_path, limits=limits)
    feed = Feed(store.revision)
    store.subscribe(feed)
    await asyncio.gather(*create_many(store, 40, b"x" * 1000))
    assert max(len(batch) for batch in feed.batches) == largest
    assert len(feed.events) == 40
    await store.close()


async def test_the_queue_is_bounded_and_first_come_first_served(tmp_path: Path, trace: Trace) -> None:
    store = await open_store(tmp_path, vfs="fault", limits=Limits(pending_rows_max=4))
    feed = Feed(store.revision)
    store.subscribe(feed)
    gate = Gate(trace)
    tasks = create_many(store, 100)
    await gate.reached()
    for _ in range(5):
        await asyncio.sleep(0)
    assert store.stats().pending_rows == 4
    tasks[50].cancel()
    gate.open()
    await asyncio.gather(*tasks, return_exceptions=True)
    expected = [f"/registry/pods/{number:05}" for number in range(100) if number != 50]
    assert [event.key for event in feed.events] == expected
    assert (store.stats().pending_rows, store.stats().pending_bytes) == (0, 0)
    await store.close()


async def test_a_cancelled_writer_does_not_undo_its_write(tmp_path: Path, trace: Trace) -> None:
    store = await open_store(tmp_path, vfs="fault")
    feed = Feed(store.revision)
    store.subscribe(feed)
    gate = Gate(trace)
    task = asyncio.ensure_future(store.create("/a", b"1"))
    await gate.reached()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.open()
    assert await store.get("/a") is not None
    assert [event.key for event in feed.events] == ["/a"]
    await store.close()


async def test_too_large_a_value_is_refused(tmp_path: Path) -> None:
    store = await open_store(tmp_path, limits=Limits(value_bytes_max=1000))
    revision = await store.create("/a", b"x" * 1000)
    with pytest.raises(interface.TooLarge):
        await store.create("/b", b"x" * 1001)
    with pytest.raises(interface.TooLarge):
        await store.update("/a", b"x" * 1001, revision)
    assert store.revision == revision
    await store.close()


async def test_a_failed_sync_stops_the_store_for_good(tmp_path: Path, trace: Trace) -> None:
    fatal: list[BaseException] = []
    store = await open_store(tmp_path, vfs="fault", on_fatal=fatal.append, limits=Limits(batch_rows_max=3))
    feed = Feed(store.revision)
    store.subscribe(feed)
    acknowledged = await store.create("/acknowledged", b"1")
    trace.fault = Fault("sync", trace.counts["sync"], "EIO")
    results = await asyncio.gather(*create_many(store, 10), return_exceptions=True)
    assert all(isinstance(result, interface.Unavailable) for result in results)
    assert len(fatal) == 1
    assert trace.hits == 1, "the sync is not tried again"
    for write in (store.create("/b", b"1"), store.delete("/acknowledged", acknowledged)):
        with pytest.raises(interface.Unavailable):
            await write
    with pytest.raises(interface.Unavailable):
        await store.get("/acknowledged")
    assert [event.key for event in feed.events] == ["/acknowledged"]
    assert store.revision == acknowledged
    await store.close()
    assert len(fatal) == 1


async def test_who_waits_for_room_is_told_when_the_store_stops(tmp_path: Path, trace: Trace) -> None:
    store = await open_store(tmp_path, vfs="fault", limits=Limits(pending_rows_max=2))
    trace.fault = Fault("sync", trace.counts["sync"], "EIO")
    results = await asyncio.gather(*create_many(store, 20), return_exceptions=True)
    assert all(isinstance(result, interface.Unavailable) for result in results)
    await store.close()


async def test_a_failing_sink_stops_the_store(tmp_path: Path) -> None:
    """A watcher that has missed an event can never be right again."""
    fatal: list[BaseException] = []
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    store = await open_store(tmp_path, on_fatal=fatal.append)

    def fail(_: Sequence[interface.Event], __: int) -> None:
        raise ValueError("a bug in the sink")

    store.subscribe(fail)
    with pytest.raises(interface.Unavailable):
        await store.create("/a", b"1")
    with pytest.raises(interface.Unavailable):
        await store.create("/b", b"1")
    assert [type(error) for error in fatal] == [ValueError]
    assert len(complaints) == 1
    await store.close()


async def test_close_finishes_what_is_under_way(tmp_path: Path) -> None:
    store = await open_store(tmp_path, limits=Limits(batch_rows_max=5, pending_rows_max=30))
    tasks = create_many(store, 100)
    await asyncio.sleep(0)
    await store.close()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    written = [result for result in results if isinstance(result, int)]
    assert len(written) == 30
    assert all(isinstance(result, int | interface.Unavailable) for result in results)
    await store.close()
    with pytest.raises(interface.Unavailable):
        await store.create("/late", b"1")
    with pytest.raises(interface.Unavailable):
        await store.get("/late")
    store = await open_store(tmp_path)
    assert len((await store.range("/")).items) == 30
    await store.close()


async def test_the_log_stays_bounded(tmp_path: Path) -> None:
    store = await open_store(tmp_path, limits=Limits(checkpoint_bytes=200_000, batch_bytes_max=100_000))
    await asyncio.gather(*create_many(store, 2000, b"x" * 5000))
    log = tmp_path / "store.db-wal"
    assert log.stat().st_size < 100 * 4096 + 2 * 100_000
    await store.close()


async def test_a_large_batch_is_one_commit(tmp_path: Path) -> None:
    store = await open_store(tmp_path)
    feed = Feed(store.revision)
    store.subscribe(feed)
    await asyncio.gather(*create_many(store, 201))
    assert [len(batch) for batch in feed.batches] == [201]
    await store.close()


async def test_a_compaction_that_waits_is_told_when_the_store_closes(tmp_path: Path, trace: Trace) -> None:
    store = await open_store(tmp_path, vfs="fault")
    revision = await store.create("/a", b"1")
    gate = Gate(trace)
    write = asyncio.ensure_future(store.create("/b", b"2"))
    await gate.reached()
    compactions = [asyncio.ensure_future(store.compact(revision)) for _ in range(3)]
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(store.close())
    await asyncio.sleep(0)
    gate.open()
    await closing
    await write
    async with asyncio.timeout(PATIENCE_S):
        results = await asyncio.gather(*compactions, return_exceptions=True)
    assert all(isinstance(result, interface.Unavailable) for result in results[1:])
