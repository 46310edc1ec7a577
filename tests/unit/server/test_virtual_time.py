"""When a server with a virtual clock goes on: once its controllers have done what can be done now, or do not get on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from quarterdeck.apimachinery import clock, meta, randomness
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.server import virtualtime
from quarterdeck.server.config import VirtualClockSettings
from quarterdeck.server.virtualtime import VirtualTime
from quarterdeck.transport.messages import ConnectionInfo, Request, Response

SEEDED = VirtualClockSettings(0.0, 7)
OBJECTS = "/api/v1/namespaces"


@pytest.fixture(autouse=True)
def _the_machines_at_the_end() -> Iterator[None]:
    yield
    clock.replace(None)
    randomness.replace(None)


def request(path: str) -> Request:
    return Request("GET", path, "", {}, b"", ConnectionInfo("127.0.0.1", is_secure=True))


class Work:
    """A queue whose one key is done when `gate` opens."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.done: list[str] = []
        self.queue = Controller("q", self.sync)
        self.queue.start()
        self.queue.add("a")

    async def sync(self, key: str) -> None:
        await self.gate.wait()
        self.done.append(key)
        if len(self.done) == 1:
            raise ValueError(key)  # it comes again soon


async def ask(virtual: VirtualTime, path: str, seen: list[str]) -> None:
    def answer(http: Request) -> Response:
        seen.append(http.path)
        return Response(200, [])

    answered = virtual.wrap(answer)(request(path))
    assert not isinstance(answered, Response)
    await answered


async def test_with_a_seed_requests_for_objects_wait_for_controllers_and_others_do_not() -> None:
    virtual, work, seen = VirtualTime(SEEDED, "test"), Work(), list[str]()
    virtual.follow([work.queue])
    waiting = asyncio.create_task(ask(virtual, OBJECTS, seen))
    await ask(virtual, "/readyz", seen)
    await ask(VirtualTime(VirtualClockSettings(0.0), "test"), "/apis/without/a/seed", seen)
    assert seen == ["/readyz", "/apis/without/a/seed"]
    work.gate.set()
    await waiting
    assert (seen[2:], work.done) == ([OBJECTS], ["a", "a"])
    await work.queue.stop()


async def test_what_comes_while_a_webhook_is_called_does_not_wait() -> None:
    """It may be the webhook that asks, and a controller that waits for it."""
    virtual, work, seen = VirtualTime(SEEDED, "test"), Work(), list[str]()
    virtual.follow([work.queue])
    virtual.count_calls(1)
    await ask(virtual, OBJECTS, seen)
    assert (seen, work.done) == ([OBJECTS], [])
    await work.queue.stop()


async def test_what_does_not_get_on_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtualtime, "SETTLE_MAX_S", 0.0)
    virtual, work = VirtualTime(SEEDED, "test"), Work()
    virtual.follow([work.queue])
    assert not await virtual.settle()
    await work.queue.stop()
    assert await virtual.settle()


async def test_a_process_goes_by_one_clock_and_contexts_by_their_own() -> None:
    outer = virtualtime.of_process(VirtualClockSettings(60.0, 1), 100)
    inner = VirtualTime(VirtualClockSettings(3600.0, 1), "cluster")

    async def tell() -> tuple[str, str]:
        return clock.now(), meta.new_uid()

    told = [await tell(), await inner.run(tell), await tell()]
    assert [text for text, _ in told] == ["1970-01-01T00:01:00Z", "1970-01-01T01:00:00Z", "1970-01-01T00:01:00Z"]
    assert len({uid for _, uid in told}) == 3
    again = VirtualTime(VirtualClockSettings(3600.0, 1), "cluster")
    assert await again.run(tell) == told[1]
    await outer.clock.advance(60, outer.settle)
    assert (await tell())[0] == "1970-01-01T00:02:00Z"


async def test_at_the_ends_of_time_a_rules_step_does_nothing() -> None:
    virtual = VirtualTime(VirtualClockSettings(0.0), "test")
    for _ in range(200):
        virtual.step(-36525 * 86400.0)
    assert virtual.clock.text().startswith("00")
