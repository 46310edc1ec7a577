"""The webhook backend: batches, throttles, repeated calls, and what is dropped."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import orjson

from quarterdeck.audit.event import Event
from quarterdeck.audit.failures import Failures
from quarterdeck.audit.settings import (
    BATCH,
    BLOCKING,
    BLOCKING_STRICT,
    WEBHOOK_BATCHING,
    BatchSettings,
    Delivery,
    TruncateSettings,
)
from quarterdeck.audit.webhookbackend import WebhookBackend
from quarterdeck.webhook.client import WebhookFailed
from support.waiting import until


class Receiver:
    """Takes what it gets, but for the first `failing` calls."""

    def __init__(self, failing: int = 0) -> None:
        self.bodies: list[Any] = []
        self.calls = 0
        self.failing = failing
        self.counts: Counter[str] = Counter()
        self.failures = Failures(self.add)
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    def add(self, plugin: str, events: int) -> None:
        self.counts[plugin] += events

    async def __call__(self, body: bytes) -> None:
        self.calls += 1
        await self.may_answer.wait()
        if self.calls <= self.failing:
            raise WebhookFailed("no")
        self.bodies.append(orjson.loads(body))

    @property
    def batches(self) -> list[list[str]]:
        return [[item["auditID"] for item in body["items"]] for body in self.bodies]


def event(number: int, request: bytes | None = None) -> Event:
    return Event(2, {"auditID": str(number), "requestReceivedTimestamp": "now"}, None, None, request)


def build(receiver: Receiver, delivery: Delivery) -> WebhookBackend:
    return WebhookBackend(receiver, delivery, 0.0, receiver.failures)


async def test_events_go_in_batches_of_bare_events() -> None:
    receiver = Receiver()
    backend = build(receiver, Delivery(BATCH, BatchSettings(size_max=2, wait_max_s=60.0)))
    for number in range(3):
        assert backend.process(event(number, b'{"a":1}')) is None
    await backend.close()
    assert sorted(receiver.batches) == [["0", "1"], ["2"]]
    assert receiver.bodies[0] == {
        "kind": "EventList",
        "apiVersion": "audit.k8s.io/v1",
        "metadata": {},
        "items": [
            {"auditID": name, "requestObject": {"a": 1}, "requestReceivedTimestamp": "now"}
            for name in receiver.batches[0]
        ],
    }
    assert not receiver.counts


async def test_a_batch_is_sent_when_it_has_waited_long_enough() -> None:
    receiver = Receiver()
    backend = build(receiver, Delivery(BATCH, BatchSettings(size_max=100, wait_max_s=0.01)))
    backend.process(event(1))
    await until(lambda: receiver.bodies)
    assert receiver.batches == [["1"]]
    await backend.close()


async def test_what_is_too_much_is_dropped_and_counted() -> None:
    receiver = Receiver()
    backend = build(receiver, Delivery(BATCH, BatchSettings(buffer_size=2, size_max=100, wait_max_s=60.0)))
    for number in range(5):
        backend.process(event(number))
    assert receiver.counts == {"buffered": 3}
    await backend.close()
    backend.process(event(9))
    assert receiver.counts == {"buffered": 4}
    assert receiver.batches == [["0", "1"]]


async def test_a_failed_call_is_repeated_and_then_given_up() -> None:
    receiver = Receiver(failing=2)
    backend = build(receiver, Delivery(BLOCKING, WEBHOOK_BATCHING))
    assert backend.waits_first
    waiting = backend.process(event(1))
    assert waiting is not None
    assert await waiting
    assert (receiver.calls, receiver.batches, receiver.counts) == (3, [["1"]], {})
    for mode, is_kept in ((BLOCKING, True), (BLOCKING_STRICT, False)):
        receiver = Receiver(failing=100)
        waiting = build(receiver, Delivery(mode, WEBHOOK_BATCHING)).process(event(1))
        assert waiting is not None
        assert await waiting is is_kept
        assert (receiver.calls, receiver.counts) == (5, {"webhook": 1})


async def test_batches_are_throttled_and_split() -> None:
    receiver = Receiver()
    batching = BatchSettings(size_max=3, wait_max_s=60.0, is_throttled=True, throttle_qps=1000.0, throttle_burst=1)
    size = event(0).line_bytes()
    truncating = TruncateSettings(is_enabled=True, batch_bytes_max=2 * size, event_bytes_max=size)
    backend = build(receiver, Delivery(BATCH, batching, truncating))
    for number in range(6):
        backend.process(event(number))
    await backend.close()
    assert sorted(receiver.batches) == [["0", "1"], ["2"], ["3", "4"], ["5"]]


async def test_a_server_that_does_not_answer_does_not_hold_up_the_end(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("quarterdeck.audit.webhookbackend._CLOSING_S", 0.01)
    receiver = Receiver()
    receiver.may_answer.clear()
    backend = build(receiver, Delivery(BATCH, BatchSettings(size_max=1)))
    backend.process(event(1))
    await backend.close()
    assert receiver.bodies == []
    assert receiver.counts == {"webhook": 1}
