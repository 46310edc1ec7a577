"""How requests end for their audit: bugs, clients that leave, backends that are full."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.audit.event import Event
from quarterdeck.audit.metrics import AuditMetrics
from quarterdeck.audit.policyfile import parse
from quarterdeck.audit.sinks import Backends
from quarterdeck.endpoints.application import Application
from quarterdeck.endpoints.filters.auditing import AuditFilter, Auditor, RefusalAudit
from quarterdeck.endpoints.filters.authentication import AuthenticationFilter
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.router import Router
from quarterdeck.metrics.registry import Registry
from quarterdeck.server import instruments
from quarterdeck.transport.messages import ConnectionInfo, Request, Response

POLICY = b"apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]"


class Nothing:
    """No resource is served."""

    def find(self, group: str, version: str, resource: str) -> None:
        return None

    def is_builtin_group(self, group: str) -> bool:
        return False


class Known:
    def authenticate(self, request: Request, _warnings: list[str], _annotations: dict[str, str]) -> User | None:
        return User("jane") if "authorization" in request.headers else None


class Kept:
    """A backend that answers what it is told to; None: nobody waits for it."""

    def __init__(self, answer: bool | None = None) -> None:
        self.waits_first = answer is not None
        self.events: list[dict[str, Any]] = []
        self._answer = answer

    def process(self, event: Event, *, is_last: bool = True) -> Awaitable[bool] | None:
        self.events.append(orjson.loads(b"".join(event.line())))
        return None if self._answer is None else asyncio.ensure_future(self._tell(self._answer))

    async def _tell(self, answer: bool) -> bool:
        return answer

    async def close(self) -> None: ...

    @property
    def ends(self) -> list[tuple[str, int]]:
        return [(event["stage"], event.get("responseStatus", {}).get("code", 0)) for event in self.events]


def build(kept: Kept, answer: Callable[[Request], Response | Awaitable[Response]]) -> tuple[Application, AuditMetrics]:
    metrics = AuditMetrics(Registry())
    auditor = Auditor(parse(POLICY), Backends([kept], metrics), metrics)
    filters = (
        RefusalAudit(AuthenticationFilter(Known(), instruments.time_authentication(Registry())), auditor),
        AuditFilter(auditor),
    )
    router = Router(Nothing(), {}, {}, lambda _: None, [answer])
    return Application(filters, router, RequestMetrics(Registry())), metrics


def get(**headers: str) -> Request:
    given = {"authorization": "Bearer x", **headers}
    return Request("GET", "/nothing", "", given, b"", ConnectionInfo("10.0.0.1", is_secure=True))


def test_a_bug_is_a_panic() -> None:
    def fail(_: Request) -> Response:
        raise RuntimeError("boom")

    kept = Kept()
    application, _ = build(kept, fail)
    assert application(get()).status == 500  # type: ignore[union-attr]
    assert kept.ends == [("RequestReceived", 0), ("Panic", 500)]
    assert kept.events[1]["responseStatus"]["message"] == "APIServer panic'd: boom"


async def test_a_client_that_leaves_is_told_of() -> None:
    async def wait(_: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError

    kept = Kept()
    application, _ = build(kept, wait)
    request = get()
    for is_late, code in ((False, 200), (True, 504)):
        task = asyncio.ensure_future(application(request))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        request.is_late = is_late
        task.cancel()
        if is_late:
            assert (await task).status == 504
        else:
            with pytest.raises(asyncio.CancelledError):
                await task
        assert kept.ends[-1] == ("ResponseComplete", code)
        request = get()
    assert kept.events[1]["responseStatus"]["message"] == "Connection closed early"


async def test_a_request_whose_event_is_not_kept_is_not_begun() -> None:
    begun: list[str] = []

    def answer(request: Request) -> Response:
        begun.append(request.path)
        return Response(200, [], b"ok")

    for is_kept, status in ((False, 500), (True, 200)):
        kept = Kept(is_kept)
        application, metrics = build(kept, answer)
        response = await application(get())  # type: ignore[misc]
        assert response.status == status
        assert metrics.rejected.value == (0 if is_kept else 1)
        assert kept.ends == [("RequestReceived", 0), ("ResponseComplete", 200)][: 1 + is_kept]
    assert begun == ["/nothing"]


def test_a_request_that_there_is_no_room_for() -> None:
    kept = Kept()
    application, _ = build(kept, lambda _: Response(429, [("Retry-After", "1")], b"Too many requests"))
    assert application(get()).status == 429  # type: ignore[union-attr]
    assert kept.ends == [("RequestReceived", 0), ("ResponseComplete", 429)]


def test_who_is_not_known_has_one_event() -> None:
    kept = Kept()
    application, _ = build(kept, lambda _: Response(200, [], b"ok"))
    request = get()
    del request.headers["authorization"]
    assert application(request).status == 401  # type: ignore[union-attr]
    assert kept.ends == [("ResponseStarted", 401)]
    assert kept.events[0]["user"] == {}


def test_texts_of_clients_are_bounded_and_read_as_utf_8() -> None:
    kept = Kept()
    application, _ = build(kept, lambda _: Response(200, [], b"ok"))
    agent = "ü".encode().decode("latin-1")
    application(get(**{"user-agent": agent * 600, "audit-id": agent}))
    event = kept.events[0]
    assert event["userAgent"] == "ü" * 512 + "...TRUNCATED"
    assert event["auditID"] == "ü"
