"""What flow control makes of requests: answers, and who comes first; on a clock of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from quarterdeck.apimachinery.user import User
from quarterdeck.endpoints.application import Application
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.deadline import DeadlineFilter
from quarterdeck.endpoints.filters.flowcontrol import FlowControlFilter
from quarterdeck.endpoints.filters.maxinflight import MaxInFlightFilter
from quarterdeck.endpoints.metrics import RequestMetrics, now_s
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.router import Router
from quarterdeck.flowcontrol.controller import FlowController
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.builtin.flowcontrol import mandatory
from quarterdeck.transport.messages import ConnectionInfo, LazyBody, Request, Response
from support import virtual_time

Answer = Callable[[Request], Response | Awaitable[Response] | None]
TEXT = b"Too many requests, please try again later.\n"


class Nothing:
    def find(self, group: str, version: str, resource: str) -> None:
        return None

    def is_builtin_group(self, group: str) -> bool:
        return False


def identify(request: RequestContext, _info: RequestInfo) -> None:
    name = request.headers["user"]
    request.user = User(name, groups=("system:masters" if name == "root" else "system:authenticated",))


def level(queues: int = 0, length_max: int = 0) -> dict[str, Any]:
    response: dict[str, Any] = {"type": "Reject"}
    if queues:
        queuing = {"queues": queues, "handSize": 1, "queueLengthLimit": length_max}
        response = {"type": "Queue", "queuing": queuing}
    return {"type": "Limited", "limited": {"nominalConcurrencyShares": 100, "limitResponse": response}}


def build(seats: int, spec: dict[str, Any], answer: Answer) -> tuple[Application, FlowController]:
    schema = mandatory.build_schema("mine", 100, "ByUser", *mandatory.ANYBODY)
    stored = ([{"metadata": {"name": "mine"}, "spec": spec}], [{"metadata": {"name": "s"}, "spec": schema}])
    clock = asyncio.get_running_loop().time
    controller = FlowController(seats, lambda: stored, mandatory.LEVELS, mandatory.SCHEMAS, Registry(), clock)
    controller.levels["mine"].queues.set_limit(seats)
    metrics = RequestMetrics(Registry())
    check = FlowControlFilter(controller, lambda *_: None, metrics)
    return Application(
        (DeadlineFilter(60.0), identify, check), Router(Nothing(), {}, {}, lambda _: None, [answer]), metrics
    ), controller


def ask(user: str, method: str = "GET") -> Request:
    return Request(method, "/somewhere", "", {"user": user}, b"", ConnectionInfo("", is_secure=True))


async def finish(answered: Response | Awaitable[Response]) -> Response:
    return answered if isinstance(answered, Response) else await answered


def run(main: Coroutine[Any, Any, None]) -> None:
    virtual_time.run(main)


async def work_a_second(_request: Request) -> Response:
    await asyncio.sleep(1.0)
    return Response(200, [], b"done")


def test_a_refusal_is_plain_text_and_tells_when_to_come_back() -> None:
    async def main() -> None:
        application, controller = build(1, level(), work_a_second)
        first = asyncio.ensure_future(finish(application(ask("jane"))))
        await asyncio.sleep(0)
        refused = await finish(application(ask("jane")))
        headers = dict(refused.headers)
        assert (refused.status, refused.body, headers["Retry-After"]) == (429, TEXT, "1")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert {"X-Kubernetes-PF-FlowSchema-UID", "X-Kubernetes-PF-PriorityLevel-UID"} <= set(headers)
        assert (await first).status == 200
        assert controller.levels["mine"].queues.is_idle
        assert (await finish(application(ask("jane")))).status == 200

    run(main())


def test_a_member_of_system_masters_is_never_refused() -> None:
    async def main() -> None:
        application, _ = build(1, level(), work_a_second)
        answers = await asyncio.gather(*(finish(application(ask("root"))) for _ in range(5)))
        assert [each.status for each in answers] == [200] * 5

    run(main())


def test_a_request_waits_a_quarter_of_its_time_and_no_longer() -> None:
    async def work(_request: Request) -> Response:
        await asyncio.sleep(100.0)
        return Response(200, [])

    async def main() -> None:
        application, controller = build(1, level(4, 10), work)
        loop = asyncio.get_running_loop()
        _running = asyncio.ensure_future(finish(application(ask("jane"))))
        await asyncio.sleep(0)
        begin_s, before_s = loop.time(), now_s()
        assert (await finish(application(ask("jane")))).status == 429
        # The time since the request came in counts: it is of the real clock, the wait is of the loop's.
        assert 15.0 - (now_s() - before_s) - 1e-6 <= loop.time() - begin_s <= 15.0 + 1e-6
        assert controller.levels["mine"].queues.timed_out == 1
        _running.cancel()
        await asyncio.gather(_running, return_exceptions=True)
        assert controller.levels["mine"].queues.is_idle

    run(main())


def test_a_client_that_leaves_takes_its_request_out_of_the_queue() -> None:
    calls: list[str] = []

    def work(request: Request) -> Awaitable[Response]:
        calls.append(request.method)
        return work_a_second(request)

    async def main() -> None:
        application, controller = build(1, level(4, 10), work)
        queues = controller.levels["mine"].queues
        running = asyncio.ensure_future(finish(application(ask("jane"))))
        await asyncio.sleep(0)
        request = ask("jane", "POST")
        leaving = asyncio.ensure_future(finish(application(request)))
        await asyncio.sleep(0.1)
        assert (queues.waiting, request.is_queued) == (1, True)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        assert (queues.waiting, request.is_queued) == (0, False)
        assert (await running).status == 200
        assert (calls, queues.is_idle) == (["GET"], True)

    run(main())


def test_an_answer_in_pieces_holds_its_seat_until_it_is_sent() -> None:
    async def main() -> None:
        body = LazyBody(1 << 20, lambda: iter([bytes(1 << 20)]))
        application, controller = build(1, level(), lambda _: Response(200, [], body))
        queues = controller.levels["mine"].queues
        request = ask("jane")
        assert (await finish(application(request))).body is body
        assert (queues.executing, queues.seats_in_use) == (1, 1)
        assert (await finish(application(ask("joe")))).status == 429
        assert request.on_end is not None
        request.on_end()
        assert (queues.executing, queues.seats_in_use) == (0, 0)

    run(main())


def test_what_an_elephant_has_ready_does_not_come_before_a_mouse() -> None:
    """500 requests of one user, and one of another, all read in the same turn of the loop: the mouse is answered with
    the next turns, not after all of them."""
    order: list[str] = []

    def answer(request: Request) -> Response:
        order.append(request.headers["user"])
        return Response(200, [], b"")

    async def main() -> None:
        application, _ = build(20, level(64, 1000), answer)
        answers = [application(ask("elephant")) for _ in range(500)]
        answers.append(application(ask("mouse")))
        assert len(order) == 20
        done = await asyncio.gather(*map(finish, answers))
        assert [each.status for each in done] == [200] * 501
        assert order.index("mouse") <= 60
        # Nobody waits who need not: all are served by and by.
        assert len(order) == 501

    run(main())


def test_requests_one_after_another_never_wait() -> None:
    async def main() -> None:
        application, _ = build(3, level(4, 10), lambda _: Response(200, [], b""))
        waited = 0
        for _ in range(50):
            answered = application(ask("jane"))
            waited += not isinstance(answered, Response)
            await finish(answered)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert waited == 0

    run(main())


def test_without_priorities_reads_and_writes_have_limits() -> None:
    async def main() -> None:
        metrics = RequestMetrics(Registry())
        filters = (identify, MaxInFlightFilter(2, 1, metrics))
        application = Application(filters, Router(Nothing(), {}, {}, lambda _: None, [work_a_second]), metrics)
        methods = ("GET", "POST", "GET", "GET", "POST", "GET")
        users = ("jane",) * 5 + ("root",)
        tasks = []
        for method, user in zip(methods, users, strict=True):
            tasks.append(asyncio.ensure_future(finish(application(ask(user, method)))))
            await asyncio.sleep(0)
        answers = await asyncio.gather(*tasks)
        assert [each.status for each in answers] == [200, 200, 200, 429, 429, 200]
        assert (answers[3].body, dict(answers[3].headers)["Retry-After"]) == (TEXT, "1")
        assert (await finish(application(ask("jane", "POST")))).status == 200

    run(main())
