"""A filter may have to wait for another server: what comes after it waits too, and nothing before it is done again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import orjson
import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints.application import Application, Filter
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.router import Router
from quarterdeck.metrics.registry import Registry
from quarterdeck.transport.messages import ConnectionInfo, Request, Response


class Nothing:
    """No resource is served."""

    def find(self, group: str, version: str, resource: str) -> None:
        return None

    def is_builtin_group(self, group: str) -> bool:
        return False


async def ask(*filters: Filter) -> Response:
    router = Router(Nothing(), {}, {}, lambda _: None, [lambda _: Response(200, [], b"served")])
    application = Application(filters, router, RequestMetrics(Registry()))
    answered = application(Request("GET", "/somewhere", "", {}, b"", ConnectionInfo("127.0.0.1", is_secure=True)))
    return answered if isinstance(answered, Response) else await answered


def build(calls: list[str], name: str, answer: Callable[[], Response | None] = lambda: None) -> tuple[Filter, Filter]:
    """A filter that answers at once and one that waits."""

    def now(_request: RequestContext, _info: RequestInfo) -> Response | None:
        calls.append(name)
        return answer()

    async def wait() -> Response | None:
        calls.append(f"{name} waited")
        return answer()

    def later(_request: RequestContext, _info: RequestInfo) -> Awaitable[Response | None]:
        calls.append(name)
        return wait()

    return now, later


async def test_the_filters_after_one_that_waits_are_asked_when_it_is_done() -> None:
    calls: list[str] = []
    first, second, third = (build(calls, name) for name in ("first", "second", "third"))
    response = await ask(first[0], second[1], third[0], third[1])
    assert response.body == b"served"
    assert calls == ["first", "second", "second waited", "third", "third", "third waited"]


@pytest.mark.parametrize("waits", [False, True])
async def test_a_filter_after_one_that_waits_may_answer(waits: bool) -> None:
    calls: list[str] = []
    second = build(calls, "second", lambda: Response(418, [], b"no"))[waits]
    assert (await ask(build(calls, "first")[1], second, build(calls, "third")[0])).status == 418
    assert "third" not in calls


async def test_what_a_filter_raises_after_waiting_is_answered() -> None:
    def refuse() -> Response | None:
        raise errors.Unauthorized

    response = await ask(build([], "first", refuse)[1])
    assert response.status == 401
    assert orjson.loads(response.body)["reason"] == "Unauthorized"  # type: ignore[arg-type]
