"""Reads that wait for the store without a task: when they are answered, what is counted meanwhile, how they end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import orjson
import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints.application import Application
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.freshread import FreshRead
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.router import Router
from quarterdeck.endpoints.seats import LateSeats
from quarterdeck.flowcontrol.lane import Lane
from quarterdeck.flowcontrol.work import Work
from quarterdeck.metrics.registry import Registry
from quarterdeck.storage.interface import Told, Unavailable
from quarterdeck.transport.messages import ConnectionInfo, Parked, Request, Response
from support.waiting import until


class Nothing:
    """No resource is served."""

    def find(self, group: str, version: str, resource: str) -> None:
        return None

    def is_builtin_group(self, group: str) -> bool:
        return False


class Read(FreshRead):
    """`behind`: the cache is not as new as what the store tells."""

    def __init__(self, told: list[Told], behind: bool) -> None:
        super().__init__(told.append)
        self.behind = behind
        self.waited = asyncio.Event()

    def show(self, revision: int) -> Response | None:
        if revision == 0:
            raise errors.NotFound.of("", "things", "x")
        return None if self.behind else Response(200, [], b"%d" % revision)

    def wait(self, revision: int) -> Awaitable[Response]:
        return self._wait(revision)

    async def _wait(self, revision: int) -> Response:
        await self.waited.wait()
        return Response(200, [], b"waited %d" % revision)

    def refuse(self, error: BaseException) -> Exception:
        return errors.Unreasoned(str(error))


class Seats(Lane):
    """How many hold seats, and how many ever did."""

    def __init__(self) -> None:
        super().__init__([], None)
        self.taken = self.held = 0

    def begin(self, work: Work, details: object, arrived_s: float) -> Callable[[], None]:
        self.taken += 1
        self.held += 1
        return self._release

    def _release(self) -> None:
        self.held -= 1

    def give(self, request: RequestContext, info: RequestInfo) -> None:
        request.lane = self


class Server:
    """One request at a time: what is called back, and how many are in flight."""

    def __init__(self, behind: bool = False, late_s: float = 3600.0) -> None:
        self.told: list[Told] = []
        self.metrics = RequestMetrics(Registry())
        self.answers: list[Response] = []
        self.failures = 0
        self.read = Read(self.told, behind)
        router = Router(Nothing(), {}, {}, lambda _: None, [lambda _: self.read])
        self.seats = Seats()
        self.application = Application((self.seats.give,), router, self.metrics, LateSeats(late_s))

    async def ask(self) -> tuple[Request, Parked]:
        request = Request("GET", "/somewhere", "", {}, b"", ConnectionInfo("127.0.0.1", is_secure=True))
        parked = self.application(request)
        assert isinstance(parked, Parked)
        parked.begin(self.answers.append, self._fail)
        await asyncio.sleep(0)
        assert self.metrics.read_only.count == 1
        return request, parked

    def _fail(self) -> None:
        self.failures += 1


async def test_it_is_answered_by_the_call_that_tells_the_revision() -> None:
    server = Server()
    await server.ask()
    server.told[0](7, None)
    assert [answer.body for answer in server.answers] == [b"7"]
    assert (server.metrics.read_only.count, server.metrics.requests) == (0, 1)


async def test_what_it_raises_is_answered() -> None:
    server = Server()
    await server.ask()
    server.told[0](0, None)
    assert [answer.status for answer in server.answers] == [404]
    server = Server()
    await server.ask()
    server.told[0](0, Unavailable("etcd is away"))
    assert orjson.loads(server.answers[0].body)["message"] == "etcd is away"  # type: ignore[arg-type]
    assert server.metrics.read_only.count == 0


async def test_a_bug_is_answered_500(caplog: pytest.LogCaptureFixture) -> None:
    server = Server()
    server.read.show = lambda revision: {}[revision]  # type: ignore[method-assign, assignment]
    await server.ask()
    server.told[0](7, None)
    assert ([answer.status for answer in server.answers], server.application.panics) == ([500], 1)
    assert server.metrics.read_only.count == 0


async def test_it_goes_on_in_a_task_where_the_cache_is_behind() -> None:
    server = Server(behind=True)
    await server.ask()
    server.told[0](7, None)
    assert (server.answers, server.metrics.read_only.count) == ([], 1)
    server.read.waited.set()
    await until(lambda: server.answers)
    assert server.answers[0].body == b"waited 7"
    assert server.metrics.read_only.count == 0


@pytest.mark.parametrize("behind", [False, True])
async def test_whose_client_has_left_is_not_answered(behind: bool) -> None:
    server = Server(behind)
    _, parked = await server.ask()
    if behind:
        server.told[0](7, None)
        await asyncio.sleep(0)
    parked.cancel()
    await until(lambda: not server.metrics.read_only.count)
    if not behind:
        server.told[0](7, None)  # too late
    assert server.answers == []


async def test_whose_client_leaves_as_it_goes_on_is_not_in_flight() -> None:
    server = Server(behind=True)
    _, parked = await server.ask()
    server.told[0](7, None)
    parked.cancel()
    await until(lambda: not server.metrics.read_only.count)
    assert (server.answers, server.failures) == ([], 1)


@pytest.mark.parametrize("behind", [False, True])
async def test_one_that_is_late_is_a_timeout(behind: bool) -> None:
    server = Server(behind)
    request, parked = await server.ask()
    if behind:
        server.told[0](7, None)
        await asyncio.sleep(0)
    request.is_late = True
    parked.cancel()
    await until(lambda: server.answers)
    assert [answer.status for answer in server.answers] == [504]
    assert (server.metrics.read_only.count, server.failures) == (0, 0)


async def test_one_that_is_cancelled_in_the_turn_it_came_is_never_in_flight() -> None:
    server = Server()
    request = Request("GET", "/somewhere", "", {}, b"", ConnectionInfo("127.0.0.1", is_secure=True))
    parked = server.application(request)
    assert isinstance(parked, Parked)
    parked.begin(server.answers.append, server._fail)
    parked.cancel()
    await asyncio.sleep(0)
    assert server.metrics.read_only.count == 0


async def test_who_awaits_it_gets_the_same_answer() -> None:
    server = Server()
    server.read.waited.set()
    request = Request("GET", "/somewhere", "", {}, b"", ConnectionInfo("127.0.0.1", is_secure=True))
    answered = server.application(request)
    assert not isinstance(answered, Response)
    assert (await answered).body == b"waited 0"
    assert (server.metrics.read_only.count, server.metrics.requests) == (0, 1)


async def test_a_short_wait_holds_no_seats() -> None:
    server = Server()
    await server.ask()
    server.told[0](7, None)
    assert (len(server.answers), server.seats.taken) == (1, 0)


async def test_a_wait_that_lasts_holds_its_seats_until_it_is_answered() -> None:
    server = Server(late_s=0.0)
    await server.ask()
    await until(lambda: server.seats.held)
    server.told[0](7, None)
    assert (len(server.answers), server.seats.taken, server.seats.held) == (1, 1, 0)


async def test_what_goes_on_in_a_task_holds_its_seats_once() -> None:
    server = Server(behind=True, late_s=0.0)
    await server.ask()
    await until(lambda: server.seats.held)
    server.told[0](7, None)
    await asyncio.sleep(0)
    assert server.seats.held == 1
    server.read.waited.set()
    await until(lambda: server.answers)
    assert (server.seats.taken, server.seats.held) == (1, 0)


@pytest.mark.parametrize("late_s", [0.0, 3600.0])
async def test_whose_client_has_left_holds_none(late_s: float) -> None:
    server = Server(late_s=late_s)
    _, parked = await server.ask()
    if not late_s:
        await until(lambda: server.seats.held)
    parked.cancel()
    assert server.seats.held == 0
