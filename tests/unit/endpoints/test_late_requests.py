"""What a client is told whose request was cancelled because it took too long."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.endpoints.application import Application
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.deadline import DeadlineFilter
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.router import Router
from quarterdeck.metrics.registry import Registry
from quarterdeck.transport.messages import ConnectionInfo, Request, Response


class Nothing:
    """No resource is served."""

    def find(self, group: str, version: str, resource: str) -> None:
        return None

    def is_builtin_group(self, group: str) -> bool:
        return False


def build(path: str, query: str = "") -> Request:
    return Request("GET", path, query, {}, b"", ConnectionInfo("127.0.0.1", is_secure=True))


async def test_a_late_request_is_a_timeout_and_another_cancellation_passes() -> None:
    async def wait(_: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError

    application = Application((), Router(Nothing(), {}, {}, lambda _: None, [wait]), RequestMetrics(Registry()))
    for is_late in (True, False):
        request = build("/api/v1/pods")
        request.headers["accept"] = "application/yaml"
        task = asyncio.ensure_future(application(request))
        await asyncio.sleep(0)
        request.is_late = is_late
        task.cancel()
        if not is_late:
            with pytest.raises(asyncio.CancelledError):
                await task
            continue
        answer = await task
        assert isinstance(answer, Response)
        assert (answer.status, answer.headers[0]) == (504, ("Content-Type", "text/plain; charset=utf-8"))
        assert answer.body == (
            b'{"metadata":{},"status":"Failure",'
            b'"message":"Timeout: request did not complete within the allotted timeout",'
            b'"reason":"Timeout","details":{},"code":504}\n'
        )


@pytest.mark.parametrize("text, wanted_s", [("5s", 5.0), ("0s", 0.0), ("-3s", 0.0), ("1m30s", 90.0), ("", 0.0)])
def test_the_timeout_of_a_query(text: str, wanted_s: float) -> None:
    request = RequestContext(build("/api/v1/pods", f"timeout={text}"), "", 100.0)
    DeadlineFilter(60.0)(request, request.info)
    assert (request.http.timeout_s, request.ends_s) == (wanted_s, 100.0 + min(wanted_s or 60.0, 60.0))
