"""Metadata of other servers' objects: what is sent, and what is made of answers, honest ones and others."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography import x509

from quarterdeck.aggregator import linereader, remoteobjects
from quarterdeck.aggregator.apiservices import APIService
from quarterdeck.aggregator.client import RemoteClient
from quarterdeck.aggregator.remoteobjects import RemoteMetadata
from quarterdeck.aggregator.remotes import Remotes
from quarterdeck.apimachinery import errors
from quarterdeck.controllers.remoteobjects import RemoteKind, Unreachable
from quarterdeck.registry.deletion import Options
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook.config import Service
from support.certificates import Certificate
from support.origin import Origin, certificate_for, server_context, serving
from support.waiting import PATIENCE_S

AUTHORITY = Certificate("authority", is_authority=True)
KIND = RemoteKind("v1.g.dev", "ns/svc:443", "g.dev", "v1", "things", "Thing", True, True)
ONE = {"metadata": {"name": "one", "namespace": "ns", "uid": "u", "resourceVersion": "7"}}
Begin = Callable[..., contextlib.AbstractAsyncContextManager[RemoteMetadata]]


class Script:
    """What a server sends, by pieces; `then` is what it does behind the last one."""

    def __init__(self, *sent: bytes, then: Callable[[], Awaitable[object]] | None = None) -> None:
        self.sent = sent
        self.then = then
        self.origin = Origin()
        self.asked: list[tuple[bytes, bytes]] = []

    async def handle(self, origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
            body = await reader.readexactly(int(lengths[0].split(b":")[1])) if lengths else b""
            self.asked.append((head, body))
            for piece in self.sent:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)
            if self.then is not None:
                await self.then()
                return


def answer(status: int, value: Any) -> bytes:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


def stream(*events: Any) -> list[bytes]:
    """Every event in two pieces."""
    sent = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"]
    for event in events:
        line = event if isinstance(event, bytes) else json.dumps(event).encode() + b"\n"
        middle = len(line) // 2
        sent += [b"%x\r\n%b\r\n" % (len(part), part) for part in (line[:middle], line[middle:]) if part]
    return sent


END = b"0\r\n\r\n"


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    @contextlib.asynccontextmanager
    async def begun(script: Script, *, is_available: bool = True) -> AsyncIterator[RemoteMetadata]:
        context = server_context(certificate_for(x509.DNSName("svc.ns.svc"), issuer=AUTHORITY), tmp_path)
        async with serving(script.handle, context) as origin, asyncio.timeout(PATIENCE_S):
            service = Service("ns", "svc", 443)
            api = APIService("v1.g.dev", "g.dev", "v1", 1, 1, is_available, False, service, AUTHORITY.pem)
            http = HTTPClient()
            client = RemoteClient(Remotes(lambda _: ("127.0.0.1", origin.port)), http)
            services: Any = SimpleNamespace(get={"v1.g.dev": api}.get)
            yield RemoteMetadata(services, client)
            http.close()

    return begun


async def test_an_object_is_asked_for_as_the_collector(begin: Begin) -> None:
    script = Script(answer(200, ONE))
    async with begin(script) as remote:
        assert await remote.get(KIND, "ns", "a/b") == ONE["metadata"]
    ((head, _),) = script.asked
    assert head.startswith(b"GET /apis/g.dev/v1/namespaces/ns/things/a%2Fb HTTP/1.1\r\n")
    assert b"\r\nX-Remote-User: system:serviceaccount:kube-system:generic-garbage-collector\r\n" in head
    assert b"\r\nUser-Agent: kube-controller-manager\r\n" in head
    assert b"\r\nAccept: application/json;as=PartialObjectMetadata;" in head


@pytest.mark.parametrize("details", [{"name": "one", "kind": "things"}, {}, None])
async def test_an_object_is_gone_where_its_server_says_so(begin: Begin, details: Any) -> None:
    told = {"kind": "Status", "reason": "NotFound", "message": 'things "one" not found', "details": details}
    async with begin(Script(answer(404, told))) as remote:
        assert await remote.get(KIND, "ns", "one") is None


@pytest.mark.parametrize(
    "told",
    [
        b"404 page not found\n",
        {},
        {"kind": "Status", "code": 404},
        {"kind": "Status", "reason": "NotFound", "details": {"name": "ns"}},
        {"kind": "Status", "reason": "NotFound", "message": "the server could not find the requested resource"},
        {"kind": "Thing", "reason": "NotFound"},
    ],
)
async def test_an_answer_that_speaks_of_no_object_is_no_word_about_one(begin: Begin, told: Any) -> None:
    async with begin(Script(answer(404, told))) as remote:
        with pytest.raises(errors.Unreasoned):
            await remote.get(KIND, "ns", "one")


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_server_without_time_is_no_server(begin: Begin, status: int) -> None:
    async with begin(Script(answer(status, b"later"))) as remote:
        with pytest.raises(Unreachable):
            await remote.get(KIND, "ns", "one")


async def test_a_server_that_hangs_is_none(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remoteobjects, "TIMEOUT_S", 0.1)
    for script in (Script(b"H"), Script(answer(200, b"x" * 100)[:-1])):
        async with begin(script) as remote:
            with pytest.raises(Unreachable, match="deadline"):
                await remote.get(KIND, "ns", "one")


async def test_nobody_is_called_that_is_not_available(begin: Begin) -> None:
    script = Script(answer(200, ONE))
    async with begin(script, is_available=False) as remote:
        with pytest.raises(Unreachable):
            await remote.get(KIND, "ns", "one")
        with pytest.raises(Unreachable):
            await remote.get(KIND._replace(service="v9.g.dev"), "ns", "one")
    assert script.asked == []


async def test_a_delete_has_its_conditions(begin: Begin) -> None:
    script = Script(answer(200, {}))
    async with begin(script) as remote:
        options = Options("Foreground", precondition_uid="u", precondition_resource_version="7")
        await remote.delete(KIND, "ns", "one", options)
        await remote.delete(KIND, "", "one", Options("Background", precondition_uid="u"))
    bodies = [json.loads(body) for _, body in script.asked]
    assert [(body["propagationPolicy"], body["preconditions"]) for body in bodies] == [
        ("Foreground", {"uid": "u", "resourceVersion": "7"}),
        ("Background", {"uid": "u"}),
    ]
    assert script.asked[1][0].startswith(b"DELETE /apis/g.dev/v1/things/one HTTP/1.1\r\n")


async def test_a_patch_is_a_merge_patch(begin: Begin) -> None:
    script = Script(answer(200, ONE))
    async with begin(script) as remote:
        await remote.patch(KIND, "ns", "one", {"metadata": {"finalizers": None}})
    ((head, body),) = script.asked
    assert head.startswith(b"PATCH ") and b"\r\nContent-Type: application/merge-patch+json\r\n" in head
    assert json.loads(body) == {"metadata": {"finalizers": None}}


@pytest.mark.parametrize(
    ("status", "told", "error"),
    [
        (409, {"kind": "Status", "reason": "Conflict", "message": "m"}, errors.Conflict),
        (404, {"kind": "Status", "reason": "NotFound", "message": "m"}, errors.NotFound),
        (403, {"kind": "Status", "reason": "Forbidden", "message": "m"}, errors.Unreasoned),
        (500, b"bad", errors.Unreasoned),
        (302, b"", errors.Unreasoned),
        (503, b"", Unreachable),
    ],
)
async def test_why_nothing_was_changed(begin: Begin, status: int, told: Any, error: type[Exception]) -> None:
    async with begin(Script(answer(status, told))) as remote:
        with pytest.raises(error):
            await remote.delete(KIND, "ns", "one", Options("Background"))
        with pytest.raises(error):
            await remote.patch(KIND, "ns", "one", {})


async def test_a_list_comes_in_pages(begin: Begin) -> None:
    script = Script(answer(200, {"metadata": {"continue": "x&y", "resourceVersion": "9"}, "items": [ONE]}))
    async with begin(script) as remote:
        assert await remote.list(KIND, "") == ([ONE["metadata"]], "x&y", "9")
        await remote.list(KIND, "x&y")
    targets = [head.split(b" ")[1] for head, _ in script.asked]
    assert targets == [b"/apis/g.dev/v1/things?limit=500", b"/apis/g.dev/v1/things?limit=500&continue=x%26y"]


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        "text",
        {"name": "one"},
        {"uid": "u"},
        {"name": "", "uid": "u"},
        {"name": 1, "uid": "u"},
        {"name": "one", "uid": ["u"]},
        {"name": "one", "uid": "u", "namespace": 5},
        {"name": "one", "uid": "u", "resourceVersion": 5},
        {"name": "one", "uid": "u", "deletionTimestamp": {}},
        {"name": "one", "uid": "u", "finalizers": "text"},
        {"name": "one", "uid": "u", "finalizers": [1]},
        {"name": "one", "uid": "u", "ownerReferences": {}},
        {"name": "one", "uid": "u", "ownerReferences": ["text"]},
        {"name": "one", "uid": "u", "ownerReferences": [{"uid": 5}]},
    ],
)
async def test_what_is_no_metadata_is_nothing(begin: Begin, metadata: Any) -> None:
    async with begin(Script(answer(200, {"metadata": metadata, "items": [{"metadata": metadata}]}))) as remote:
        with pytest.raises(errors.Unreasoned):
            await remote.get(KIND, "ns", "one")
        with pytest.raises(errors.Unreasoned):
            await remote.list(KIND, "")
    async with begin(Script(*stream({"type": "ADDED", "object": {"metadata": metadata}}))) as remote:
        with pytest.raises(errors.Unreasoned):
            await read(remote)


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"items": 3}', b'{"items": [1]}', b'{"metadata": []}', b"null"])
async def test_a_list_that_is_none_is_no_list(begin: Begin, body: bytes) -> None:
    async with begin(Script(answer(200, body))) as remote:
        with pytest.raises(errors.Unreasoned):
            await remote.list(KIND, "")


async def read(remote: RemoteMetadata, timeout_s: int = 60) -> list[tuple[str, Any]]:
    return [(event.type, event.metadata) async for event in remote.watch(KIND, "7", timeout_s)]


async def test_a_watch_tells_event_by_event_until_it_ends(begin: Begin) -> None:
    bookmark = {"metadata": {"resourceVersion": "9"}}
    events = [
        {"type": "ADDED", "object": ONE},
        b"\n",
        {"type": "BOOKMARK", "object": bookmark},
        {"type": "DELETED", "object": ONE},
    ]
    script = Script(*stream(*events), END)
    async with begin(script) as remote:
        assert await read(remote) == [
            ("ADDED", ONE["metadata"]),
            ("BOOKMARK", bookmark["metadata"]),
            ("DELETED", ONE["metadata"]),
        ]
    target = script.asked[0][0].split(b" ")[1]
    assert target == b"/apis/g.dev/v1/things?allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=60&watch=true"


async def test_a_watch_that_is_too_old_has_to_list(begin: Begin) -> None:
    gone = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}}
    async with begin(Script(*stream(gone))) as remote:
        with pytest.raises(errors.Expired):
            await read(remote)
    async with begin(Script(answer(410, {"kind": "Status", "code": 410}))) as remote:
        with pytest.raises(errors.Expired):
            await read(remote)


@pytest.mark.parametrize("line", [b"nothing\n", b"[]\n", b'{"type": "ADDED"}\n', b'{"type": 5, "object": {}}\n'])
async def test_what_is_no_event_ends_a_watch(begin: Begin, line: bytes) -> None:
    async with begin(Script(*stream(line))) as remote:
        with pytest.raises(errors.Unreasoned):
            await read(remote)


async def test_a_watch_that_breaks_is_no_end(begin: Begin) -> None:
    async def leave() -> None:
        return

    async with begin(Script(*stream({"type": "ADDED", "object": ONE}), then=leave)) as remote:
        with pytest.raises(Unreachable):
            await read(remote)


async def test_a_line_without_end_is_not_kept(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linereader, "LINE_BYTES_MAX", 100_000)
    piece = b"%x\r\n%b\r\n" % (50_000, b"x" * 50_000)
    async with begin(Script(*stream(), *[piece] * 20)) as remote:
        with pytest.raises(Unreachable, match="a line exceeds"):
            await read(remote)


async def test_a_watch_has_its_time_also_where_its_server_forgets(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remoteobjects, "WATCH_SLACK_S", 0.2)
    async with begin(Script(*stream({"type": "ADDED", "object": ONE}), b"1\r\nx\r\n")) as remote:
        assert len(await read(remote, 0)) == 1


async def test_more_than_a_window_waits_at_its_server(begin: Begin) -> None:
    events = [{"type": "ADDED", "object": {**ONE, "spec": "x" * 50_000}}] * 40
    async with begin(Script(*stream(*events), END)) as remote:
        seen = 0
        async for _ in remote.watch(KIND, "7", 60):
            seen += 1
            await asyncio.sleep(0.002)
        assert seen == 40
