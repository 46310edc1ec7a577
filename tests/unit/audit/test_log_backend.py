"""The log backend: what waits, what is dropped, and what a full disk does to requests."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from quarterdeck.audit.event import Event
from quarterdeck.audit.failures import Failures
from quarterdeck.audit.logbackend import LogBackend
from quarterdeck.audit.rotation import RotatedFile, RotationLimits
from quarterdeck.audit.settings import BATCH, BLOCKING, BLOCKING_STRICT, BatchSettings, Delivery, TruncateSettings
from support.waiting import PATIENCE_S


class Writer:
    """Writes when it is let to."""

    def __init__(self) -> None:
        self.may_write = threading.Event()
        self.has_begun = threading.Event()
        self.batches: list[list[bytes]] = []
        self.is_closed = False

    def write(self, lines: Sequence[bytes]) -> tuple[list[int], str]:
        self.has_begun.set()
        assert self.may_write.wait(PATIENCE_S)
        self.batches.append(list(lines))
        return [], ""

    def close(self) -> None:
        self.is_closed = True

    @property
    def texts(self) -> list[bytes]:
        return [line for batch in self.batches for line in batch]


class Failed:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.failures = Failures(self.add)

    def add(self, plugin: str, events: int) -> None:
        self.counts[plugin] += events


def event(number: int, level: int = 1, request: bytes | None = None) -> Event:
    members = {"auditID": str(number), "requestReceivedTimestamp": "now"}
    return Event(level, members, None, None, request)


def line(number: int) -> bytes:
    text = f'"auditID":"{number}","requestReceivedTimestamp":"now"'
    return b'{"kind":"Event","apiVersion":"audit.k8s.io/v1",%b}\n' % text.encode()


async def test_batch_mode_hands_over_and_drops_what_does_not_fit(caplog: pytest.LogCaptureFixture) -> None:
    writer, failed = Writer(), Failed()
    backend = LogBackend(writer, Delivery(BATCH, BatchSettings(buffer_size=2)), failed.failures)
    assert backend.process(event(0)) is None
    await asyncio.to_thread(writer.has_begun.wait, 10)
    for number in (1, 2, 3, 4):
        assert backend.process(event(number)) is None
    assert failed.counts == {"buffered": 2}
    assert "audit buffer queue blocked" in caplog.text
    writer.may_write.set()
    await backend.close()
    assert writer.texts == [line(0), line(1), line(2)]
    assert writer.is_closed
    assert backend.process(event(5)) is None
    assert failed.counts == {"buffered": 3}


async def test_a_throttled_batch_has_its_size() -> None:
    writer, failed = Writer(), Failed()
    writer.may_write.set()
    batching = BatchSettings(size_max=2, wait_max_s=60.0, is_throttled=True, throttle_qps=1000.0, throttle_burst=1)
    backend = LogBackend(writer, Delivery(BATCH, batching), failed.failures)
    for number in range(5):
        backend.process(event(number))
    await backend.close()
    assert [len(batch) for batch in writer.batches] == [2, 2, 1]
    assert not failed.counts


async def test_blocking_mode_waits_for_the_line() -> None:
    writer, failed = Writer(), Failed()
    backend = LogBackend(writer, Delivery(BLOCKING), failed.failures)
    waiting = asyncio.ensure_future(backend.process(event(1)))  # type: ignore[arg-type]
    await asyncio.to_thread(writer.has_begun.wait, 10)
    await asyncio.sleep(0)
    assert not waiting.done()
    writer.may_write.set()
    assert await waiting
    assert writer.texts == [line(1)]
    await backend.close()


async def test_a_full_disk_is_counted_and_fails_strict_requests_alone() -> None:
    for mode, is_kept in ((BLOCKING, True), (BLOCKING_STRICT, False)):
        failed = Failed()
        writer = RotatedFile(Path("/dev/full"), RotationLimits(1024))
        backend = LogBackend(writer, Delivery(mode), failed.failures)
        assert backend.waits_first is (mode == BLOCKING_STRICT)
        waiting = backend.process(event(1))
        assert waiting is not None
        assert await waiting is is_kept
        assert failed.counts == {"log": 1}
        await backend.close()
    failed = Failed()
    backend = LogBackend(RotatedFile(Path("/dev/full"), RotationLimits(0)), Delivery(BATCH), failed.failures)
    assert backend.process(event(1)) is None
    await backend.close()
    assert failed.counts == {"log": 1}


async def test_nobody_waits_for_a_thread_that_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Writer):
        def write(self, lines: Sequence[bytes]) -> tuple[list[int], str]:
            super().write(lines)
            raise RuntimeError("a bug")

    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    writer, failed = Broken(), Failed()
    backend = LogBackend(writer, Delivery(BLOCKING_STRICT), failed.failures)
    first = backend.process(event(1))
    await asyncio.to_thread(writer.has_begun.wait, 10)
    second = backend.process(event(2))
    writer.may_write.set()
    assert first is not None
    assert second is not None
    assert [await first, await second] == [False, False]
    third = backend.process(event(3))
    assert third is not None
    assert not await third
    await backend.close()
    assert failed.counts == {"log": 3}


async def test_events_that_are_too_large_lose_their_objects() -> None:
    writer, failed = Writer(), Failed()
    writer.may_write.set()
    truncating = TruncateSettings(is_enabled=True, event_bytes_max=200, batch_bytes_max=400)
    backend = LogBackend(writer, Delivery(BATCH, truncating=truncating), failed.failures)
    backend.process(event(1, 2, b'"%b"' % (b"x" * 100)))
    backend.process(event(2, 2, b'"x"'))
    backend.process(event(int("9" * 150), 2, b'"x"'))
    await backend.close()
    cut, whole = writer.texts
    assert b"xxx" not in cut
    assert b'"annotations":{"audit.k8s.io/truncated":"true"}' in cut
    assert b'"requestObject":"x"' in whole
    assert failed.counts == {"truncate": 1}
