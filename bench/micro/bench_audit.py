"""What the audit of a request costs: a policy of ten rules, both events, their lines in a file.

    python bench/micro/bench_audit.py

CPU microseconds of the process for each request, its threads included: those of a get that the filters and the router
answer with fixed bytes, without an audit and with one, 32 requests at a time as 32 clients send them.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable
from functools import partial
from pathlib import Path

import uvloop

from quarterdeck.apimachinery.user import User
from quarterdeck.audit.policyfile import parse
from quarterdeck.audit.settings import (
    BATCH,
    BLOCKING,
    BLOCKING_STRICT,
    AuditSettings,
    BatchSettings,
    Delivery,
    LogSettings,
)
from quarterdeck.authorization.always import AlwaysAllow
from quarterdeck.endpoints.application import Application, Filter
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.authentication import AuthenticationFilter
from quarterdeck.endpoints.filters.authorization import AuthorizationFilter
from quarterdeck.endpoints.filters.deadline import check_timeout
from quarterdeck.endpoints.filters.impersonation import ImpersonationFilter
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.router import Router
from quarterdeck.metrics.registry import Registry
from quarterdeck.server import audit
from quarterdeck.transport.messages import ConnectionInfo, Request, Response

REQUESTS = 64_000
AT_ONCE = 32
ADMIN = User("system:admin", groups=("system:masters", "system:authenticated"))
HEADERS = {"user-agent": "kubectl/v1.36.0 (linux/amd64) kubernetes/abcdef", "accept": "application/json"}
BODY = b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"a":"%b"}}' % (b"x" * 1000)
RULES = """
- {level: None, users: ["system:kube-proxy"], verbs: [watch], resources: [{group: "", resources: [endpoints]}]}
- {level: None, users: ["system:unsecured"], namespaces: [kube-system], verbs: [get]}
- {level: None, users: [kubelet], verbs: [get], resources: [{group: "", resources: [nodes, nodes/status]}]}
- {level: None, userGroups: ["system:nodes"], verbs: [get], resources: [{group: "", resources: [nodes]}]}
- {level: None, nonResourceURLs: ["/healthz*", /version, "/swagger*"]}
- {level: None, resources: [{group: "", resources: [events]}]}
- {level: Request, userGroups: ["system:nodes"], verbs: [update, patch]}
- {level: Metadata, resources: [{group: "", resources: [secrets, serviceaccounts/token]}]}
- {level: Request, verbs: [create], resources: [{group: apps}]}
- {level: Metadata}
"""
POLICY = f"apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [%s]\nrules:{RULES}"


class Somebody:
    def authenticate(self, _request: Request, _warnings: list[str]) -> User:
        return ADMIN


class Nothing:
    def find(self, group: str, version: str, resource: str) -> None: ...

    def is_builtin_group(self, group: str) -> bool:
        return False


def answer(_: Request) -> Response:
    return Response(200, [("Content-Type", "application/json")], BODY)


def build(auditing: audit.Auditing | None) -> Application:
    authorizer = AlwaysAllow()
    impersonation, authorization = ImpersonationFilter(authorizer), AuthorizationFilter(authorizer)
    early: tuple[Filter, ...] = (check_timeout, AuthenticationFilter(Somebody()))
    filters: tuple[Filter, ...] = (*early, impersonation, authorization)
    if auditing is not None:
        filters = auditing.around(early, impersonation, lambda _request, _info: None, authorization, authorizer)
    router = Router(Nothing(), {}, {}, lambda _request: None, [answer])
    return Application(filters, router, RequestMetrics(Registry()))


async def send(application: Application, count: int) -> None:
    connection = ConnectionInfo("127.0.0.1", is_secure=True)
    path = "/api/v1/namespaces/default/configmaps/a"
    for _ in range(count // AT_ONCE):
        waiting = []
        for _ in range(AT_ONCE):
            found = application(Request("GET", path, "", dict(HEADERS), b"", connection))
            if isinstance(found, Awaitable):
                waiting.append(asyncio.ensure_future(found))
        if waiting:
            await asyncio.wait(waiting)
        else:
            await asyncio.sleep(0)


async def measure(name: str, mode: str, omitted: str, off_us: float, folder: Path) -> float:
    auditing = None
    if mode:
        policy = folder / "policy.yaml"
        policy.write_text(POLICY % omitted)
        delivery = Delivery(mode, BatchSettings(buffer_size=1_000_000))
        settings = AuditSettings(policy, LogSettings(str(folder / f"{name}.log"), delivery=delivery))
        auditing = audit.build(settings, Registry())
    application = build(auditing)
    await send(application, 3200)
    begin_s = time.process_time()
    await send(application, REQUESTS)
    if auditing is not None:
        await auditing.backends.close()
    us = (time.process_time() - begin_s) / REQUESTS * 1e6
    print(f"{name:42} {us:7.1f} us   {us - off_us:+6.1f}")
    return us


def main() -> None:
    begin_s = time.process_time()
    for _ in range(20):
        parse((POLICY % "").encode())
    print(f"{'a policy is read':42} {(time.process_time() - begin_s) / 20 * 1e6:7.1f} us")
    with tempfile.TemporaryDirectory() as folder:
        run = partial(measure, folder=Path(folder))
        off_us = uvloop.run(run("no audit", "", "", 0.0))
        for mode in (BATCH, BLOCKING, BLOCKING_STRICT):
            uvloop.run(run(f"{mode}, both stages", mode, "", off_us))
            uvloop.run(run(f"{mode}, ResponseComplete alone", mode, "RequestReceived", off_us))
    context = RequestContext(Request("GET", "/", "", {}, b"", ConnectionInfo("", is_secure=True)), "", 0.0)
    begin_s = time.process_time()
    for _ in range(1_000_000):
        _ = context.audit is None
    print(f"{'what a server without audit asks':42} {(time.process_time() - begin_s) * 1e3:7.1f} ns")


if __name__ == "__main__":
    main()
