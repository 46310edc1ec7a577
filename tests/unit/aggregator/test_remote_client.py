"""What is asked of servers behind APIServices, and how it is told why they do not serve."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from quarterdeck.aggregator import client
from quarterdeck.aggregator.apiservices import read
from quarterdeck.aggregator.client import CHECKER, RemoteClient
from quarterdeck.aggregator.remotes import Remotes
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook.client import ServiceUnresolved
from quarterdeck.webhook.config import Service
from support.certificates import Certificate
from support.origin import Handler, Origin, certificate_for, server_context, serving
from support.waiting import PATIENCE_S

AUTHORITY = Certificate("authority", is_authority=True)
NAME = x509.DNSName("svc.ns.svc")
PATH = "/apis/g.dev/v1"


def build(**spec: Any) -> dict[str, Any]:
    spec = {"group": "g.dev", "version": "v1", "service": {"namespace": "ns", "name": "svc"}, **spec}
    spec.setdefault("caBundle", base64.b64encode(AUTHORITY.pem).decode())
    return {"metadata": {"name": "v1.g.dev"}, "spec": spec}


def answering(answer: bytes) -> Handler:
    async def handle(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            origin.heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(answer)
            await writer.drain()

    return handle


class World:
    """A server that answers, and whoever asks; `ports` are the endpoints of its service, asked in turn."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.ports = [origin.port]
        self.http = HTTPClient()
        self.client = RemoteClient(Remotes(self.resolve), self.http)

    def resolve(self, service: Service) -> tuple[str, int]:
        if service != ("ns", "svc", 443):
            raise ServiceUnresolved(f'service "{service.name}" not found')
        self.ports.append(self.ports.pop(0))
        return "127.0.0.1", self.ports[-1]

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.origin.port}{PATH}"


@pytest.fixture
def begin(tmp_path: Path) -> Callable[..., contextlib.AbstractAsyncContextManager[World]]:
    @contextlib.asynccontextmanager
    async def begun(answer: bytes, name: x509.GeneralName = NAME) -> AsyncIterator[World]:
        context = server_context(certificate_for(name, issuer=AUTHORITY), tmp_path)
        async with serving(answering(answer), context) as origin, asyncio.timeout(PATIENCE_S):
            world = World(origin)
            yield world
            world.http.close()

    return begun


def status(code: int, body: bytes = b"{}") -> bytes:
    return b"HTTP/1.1 %d Said\r\nX-A: 1\r\nContent-Length: %d\r\n\r\n%b" % (code, len(body), body)


async def test_whoever_serves_is_believed_by_its_name(begin: Any) -> None:
    async with begin(status(200)) as world:
        assert await world.client.check(build()) == ""
        (head,) = world.origin.heads
        assert head.startswith(b"GET /apis/g.dev/v1 HTTP/1.1\r\n")
        assert b"\r\nX-Remote-User: system:kube-aggregator\r\nX-Remote-Group: system:masters\r\n" in head


@pytest.mark.parametrize("code", [301, 403, 404, 500])
async def test_another_status_is_told(begin: Any, code: int) -> None:
    async with begin(status(code)) as world:
        text = f"failing or missing response from {world.url}: bad status from {world.url}: {code}"
        assert await world.client.check(build()) == text


async def test_a_strangers_certificate_is_told(begin: Any) -> None:
    async with begin(status(200), x509.DNSName("other.ns.svc")) as world:
        told = await world.client.check(build())
        assert told.startswith(
            f'failing or missing response from {world.url}: Get "{world.url}": tls: failed to verify'
        )
        assert await world.client.check(build(caBundle=None, insecureSkipTLSVerify=True)) == ""


async def test_one_endpoint_that_serves_is_enough(begin: Any) -> None:
    async with begin(status(200)) as world:
        world.ports = [1, 1, world.origin.port]
        assert await world.client.check(build()) == ""
        world.ports = [1, 1]
        assert "https://127.0.0.1:1/" in await world.client.check(build())


async def test_no_connection_is_told() -> None:
    world = World(Origin())
    world.ports = [1]
    url = f"https://127.0.0.1:1{PATH}"
    refused = f'failing or missing response from {url}: Get "{url}": dial tcp 127.0.0.1:1: connect: connection refused'
    assert await world.client.check(build()) == refused


async def test_who_does_not_answer_is_not_waited_for(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "TIMEOUT_S", 0.2)
    async with begin(b"") as world:
        late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        assert (await world.client.check(build())).endswith(f'Get "{world.url}": {late}')
        with pytest.raises(CallFailed, match="context deadline exceeded"):
            await world.client.get(read(build()), "/apis", CHECKER)


async def test_an_unknown_service_is_told() -> None:
    world = World(Origin())
    told = await world.client.check(build(service={"namespace": "ns", "name": "other", "port": 443}))
    assert told == 'service "other" not found'


async def test_a_bundle_without_certificates_cannot_be_used() -> None:
    with pytest.raises(ValueError, match="unable to load root certificates"):
        await World(Origin()).client.check(build(caBundle="bm90aGluZw=="))


async def test_documents_are_read_whole(begin: Any) -> None:
    async with begin(status(200, b"x" * 100_000)) as world:
        document = await world.client.get(read(build()), "/apis", CHECKER, ("Accept", "a/b"))
        assert (document.status, document.fields["x-a"], len(document.body)) == (200, "1", 100_000)
        assert b"\r\nAccept: a/b\r\n" in world.origin.heads[0]


async def test_documents_without_end_are_not(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "DOCUMENT_BYTES_MAX", 1000)
    async with begin(status(200, b"x" * 1001)) as world:
        with pytest.raises(CallFailed, match="response body exceeds 1000 bytes"):
            await world.client.get(read(build()), "/apis", CHECKER)
