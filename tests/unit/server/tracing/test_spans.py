"""Which spans a server sends of requests and of calls of webhooks, how they hang together, and who decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.transport.messages import Stream
from support import admission_hook, in_process
from support.collector import Collector
from support.in_process import InProcess

pytest.importorskip("opentelemetry.sdk", reason="OpenTelemetry is not installed")

MAPS = "/api/v1/namespaces/default/configmaps"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACED = f"00-{TRACE}-{PARENT}-01"
EVERYONE = "visitor,visitor,visitor\n"
_INTERNAL, _SERVER, _CLIENT = 1, 2, 3


@asynccontextmanager
async def traced(folder: Path, collector: Collector, rate: int | None = None) -> AsyncIterator[InProcess]:
    """The spans are with the collector when the server has ended."""
    file = folder / "tracing.yaml"
    text = f"apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: {collector.endpoint}\n"
    file.write_text(text + (f"samplingRatePerMillion: {rate}\n" if rate is not None else ""))
    async with in_process.running(folder, EVERYONE, tracing_config_file=file) as server:
        yield server


def config_map(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


async def configure(server: InProcess, kind: str, webhook: dict[str, Any]) -> None:
    path = f"/apis/admissionregistration.k8s.io/v1/{kind.lower()}webhookconfigurations"
    value = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": kind.lower()},
        "webhooks": [webhook],
    }
    assert (await server.call("POST", path, value)).status == 201


async def test_the_trace_of_an_administrator_goes_on_into_webhooks(tmp_path: Path) -> None:
    with Collector() as collector:
        async with admission_hook.running(tmp_path) as hook, traced(tmp_path, collector) as server:
            await configure(server, "Mutating", hook.webhook("m", "", "configmaps"))
            await configure(server, "Validating", hook.webhook("v", "", "configmaps"))
            answer = await server.call(
                "POST",
                f"{MAPS}?fieldManager=me",
                config_map("a"),
                traceparent=TRACED,
                baggage="team=blue",
                host="k:6443",
            )
            assert answer.status == 201
            asked = [dict(_fields(head)) for head in hook.heads]
    request, create = collector.named("POST /api/v1/namespaces/{:namespace}/configmaps"), collector.named("Create")
    assert (request.trace, request.parent, request.kind) == (TRACE, PARENT, _SERVER)
    assert (create.trace, create.parent, create.kind) == (TRACE, request.id, _INTERNAL)
    posts = [span for span in collector.spans if span.name == "HTTP POST"]
    for post, name, fields in zip(posts, ("mutating", "validating"), asked, strict=True):
        call = collector.named(f"Call {name} webhook")
        assert (call.trace, call.parent, post.parent, post.kind) == (TRACE, create.id, call.id, _CLIENT)
        assert fields["traceparent"] == f"00-{TRACE}-{post.id}-01"
        assert fields["baggage"] == "team=blue"
        assert call.attributes["configuration"] == name
        assert call.attributes["webhook"] == f"{name[0]}.example.com"
        assert call.attributes["resource"] == "/v1, Resource=configmaps"
        assert (call.attributes["operation"], call.attributes["subresource"]) == ("CREATE", "")
        assert post.attributes["url.full"] == f"https://localhost:{hook.port}/{name[0]}?timeout=10s"
        assert request.begin_ns <= create.begin_ns <= call.begin_ns <= post.begin_ns
        assert post.end_ns <= call.end_ns <= create.end_ns <= request.end_ns
    assert (
        request.attributes.items()
        >= {
            "server.address": "k",
            "server.port": "6443",
            "http.request.method": "POST",
            "http.response.status_code": "201",
            "http.target": f"{MAPS}?fieldManager=me",
            "network.peer.address": "127.0.0.1",
            "url.path": MAPS,
            "url.scheme": "https",
        }.items()
    )
    assert create.attributes["audit-id"] == request.attributes["audit-id"]
    assert (
        create.attributes.items()
        >= {
            "accept": "application/json",
            "api-group": "",
            "api-version": "v1",
            "client": "127.0.0.1",
            "namespace": "default",
            "resource": "configmaps",
            "scope": "resource",
            "url": MAPS,
            "verb": "POST",
        }.items()
    )
    assert collector.resource["service.name"] == "apiserver"
    assert collector.resource["service.instance.id"].startswith("apiserver-")


async def test_others_do_not_decide_what_is_traced(tmp_path: Path) -> None:
    with Collector() as collector:
        async with traced(tmp_path, collector) as server:
            answer = await server.call("GET", "/version", authorization="Bearer visitor", traceparent=TRACED)
            assert answer.status == 200
            assert (await server.call("GET", "/version")).status == 200  # nobody asks for its trace
    assert collector.spans == []


async def test_a_trace_of_the_server_links_to_that_of_another_caller(tmp_path: Path) -> None:
    with Collector() as collector:
        async with traced(tmp_path, collector, 1_000_000) as server:
            answer = await server.call("GET", "/version", authorization="Bearer visitor", traceparent=TRACED)
            assert answer.status == 200
    span = collector.named("GET")
    assert (span.parent, span.links) == ("", [(TRACE, PARENT)])
    assert span.trace != TRACE


async def test_a_caller_may_ask_not_to_be_traced(tmp_path: Path) -> None:
    with Collector() as collector:
        async with traced(tmp_path, collector, 1_000_000) as server:
            answer = await server.call("GET", "/version", traceparent=f"00-{TRACE}-{PARENT}-00")
            assert answer.status == 200
    assert collector.spans == []


@pytest.mark.parametrize(
    ("method", "path", "name", "handled", "status"),
    [
        ("GET", MAPS, "GET /api/v1/namespaces/{:namespace}/configmaps", "List", 200),
        ("GET", f"{MAPS}/none", "GET /api/v1/namespaces/{:namespace}/configmaps/{:name}", "Get", 404),
        ("DELETE", f"{MAPS}/none", "DELETE /api/v1/namespaces/{:namespace}/configmaps/{:name}", "Delete", 404),
        (
            "GET",
            "/apis/apps/v1/namespaces/default/deployments/none/scale",
            "GET /apis/apps/v1/namespaces/{:namespace}/deployments/{:name}/scale",
            "Get",
            404,
        ),
        ("GET", "/healthz", "GET", None, 200),
    ],
)
async def test_names_of_spans(
    tmp_path: Path, method: str, path: str, name: str, handled: str | None, status: int
) -> None:
    with Collector() as collector:
        async with traced(tmp_path, collector, 1_000_000) as server:
            assert (await server.call(method, path)).status == status
    span = collector.named(name)
    assert (span.attributes["http.response.status_code"], span.is_error) == (str(status), False)
    assert [each.name for each in collector.spans if each.parent == span.id] == ([handled] if handled else [])


async def test_what_is_refused_is_traced_without_a_handler(tmp_path: Path) -> None:
    with Collector() as collector:
        async with traced(tmp_path, collector, 1_000_000) as server:
            assert (await server.call("GET", MAPS, authorization="Bearer visitor")).status == 403
            assert (await server.call("GET", MAPS, authorization="Bearer nobody")).status == 401
    (span,) = collector.spans
    assert span.attributes["http.response.status_code"] == "403"


async def test_a_webhook_that_fails_is_an_error_of_the_call(tmp_path: Path) -> None:
    with Collector() as collector:
        async with admission_hook.running(tmp_path) as hook, traced(tmp_path, collector, 1_000_000) as server:
            hook.responds["v"] = lambda _: b"HTTP/1.1 500 no\r\nContent-Length: 0\r\n\r\n"
            await configure(server, "Validating", hook.webhook("v", "", "configmaps"))
            assert (await server.call("POST", MAPS, config_map("a"))).status == 500
    assert collector.named("HTTP POST").is_error
    assert collector.named("HTTP POST").attributes["http.response.status_code"] == "500"
    assert collector.named("POST /api/v1/namespaces/{:namespace}/configmaps").is_error


async def test_a_watch_is_traced_until_it_ends(tmp_path: Path) -> None:
    with Collector() as collector:
        async with traced(tmp_path, collector, 1_000_000) as server:
            watch = await server.call("GET", f"{MAPS}?watch=true")
            assert isinstance(watch, Stream)
            watch.closed()
    span = collector.named("GET /api/v1/namespaces/{:namespace}/configmaps")
    assert span.attributes["http.response.status_code"] == "200"


async def test_requests_at_once_keep_their_traces_apart(tmp_path: Path) -> None:
    callers = [f"00-{number:032x}-{number:016x}-01" for number in range(1, 21)]
    with Collector() as collector:
        async with admission_hook.running(tmp_path) as hook, traced(tmp_path, collector) as server:
            await configure(server, "Mutating", hook.webhook("m", "", "configmaps"))
            calls = [
                server.call("POST", MAPS, config_map(f"a-{number}"), traceparent=caller)
                for number, caller in enumerate(callers)
            ]
            assert {answer.status for answer in await asyncio.gather(*calls)} == {201}
    spans = {span.id: span for span in collector.spans}
    posts = [span for span in collector.spans if span.name == "HTTP POST"]
    assert len(posts) == len(callers)
    for post in posts:
        chain = [post]
        while chain[-1].parent in spans:
            chain.append(spans[chain[-1].parent])
        assert [span.name.split(" ")[0] for span in chain] == ["HTTP", "Call", "Create", "POST"]
        assert {int(span.trace, 16) for span in chain} == {int(chain[-1].parent, 16)}


async def test_a_collector_that_is_gone_holds_nothing_up(tmp_path: Path) -> None:
    with Collector() as collector:
        pass
    async with traced(tmp_path, collector, 1_000_000) as server:
        assert (await server.call("POST", MAPS, config_map("a"))).status == 201


def _fields(head: bytes) -> list[tuple[str, str]]:
    lines = head.decode().split("\r\n")[1:]
    return [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines) if name]
