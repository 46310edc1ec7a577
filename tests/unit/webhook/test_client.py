"""Calls of webhooks and, where they fail, kube-apiserver's words."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import pytest
from cryptography import x509

from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook.client import Call, ServiceUnresolved, WebhookClient, WebhookFailed
from quarterdeck.webhook.config import Service, read_target
from support.certificates import Certificate
from support.origin import LOCALHOST, answering, certificate_for, server_context, serving

AUTHORITY = Certificate("authority", is_authority=True)
BUNDLE = base64.b64encode(AUTHORITY.pem).decode()


def answer(status: int, body: bytes, kind: str = "application/json") -> bytes:
    return b"HTTP/1.1 %d X\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (
        status,
        kind.encode(),
        len(body),
        body,
    )


def not_found(service: Service) -> tuple[str, int]:
    raise ServiceUnresolved(f'service "{service.name}" not found')


async def call(tmp_path: Path, reply: bytes, timeout_s: float = 10) -> bytes:
    context = server_context(certificate_for(*LOCALHOST, issuer=AUTHORITY), tmp_path)
    async with serving(answering(reply), context) as origin:
        http = HTTPClient()
        target = read_target({"url": f"https://localhost:{origin.port}/x", "caBundle": BUNDLE})
        try:
            found = await WebhookClient(http, not_found).ask(Call(target, b"{}", timeout_s))
        finally:
            http.close()
        head = origin.heads[0].decode()
        assert head.startswith("POST /x?timeout=10s HTTP/1.1\r\n")
        assert f"\r\nHost: localhost:{origin.port}\r\n" in head
        assert "\r\nContent-Type: application/json\r\n" in head
        assert "\r\nAccept-Encoding: gzip\r\n" in head
        return found


async def test_what_a_webhook_answers_is_returned(tmp_path: Path) -> None:
    assert await call(tmp_path, answer(200, b'{"a":1}')) == b'{"a":1}'
    assert await call(tmp_path, answer(201, b"{}"), timeout_s=9.4) == b"{}"


STATUSES = {
    (500, b"{}", ""): 'an error on the server ("unknown") has prevented the request from succeeding',
    (502, b" bad \n", "text/plain"): 'an error on the server ("bad") has prevented the request from succeeding',
    (503, b"", ""): "the server is currently unable to handle the request",
    (404, b"x", ""): "the server could not find the requested resource",
    (403, b"no", "text/plain; charset=utf-8"): "no",
    (302, b"", ""): "the server responded with the status code 302 but did not return more information",
    (418, b"", ""): "the server responded with the status code 418 but did not return more information",
    (500, b'{"kind":"Status","status":"Failure","message":"told"}', ""): "told",
    (406, b"", ""): "the server was unable to respond with a content type that the client supports",
    (200, b"", "a/b"): "0-length response with status code: 200 and content type: a/b",
}


@pytest.mark.parametrize(("status", "body", "kind"), STATUSES)
async def test_another_status_is_told_in_the_words_of_upstream(
    tmp_path: Path, status: int, body: bytes, kind: str
) -> None:
    with pytest.raises(WebhookFailed) as caught:
        await call(tmp_path, answer(status, body, kind or "application/json"))
    assert caught.value.text == STATUSES[status, body, kind]


def packed(body: bytes, status: int = 200) -> bytes:
    head, _, _ = answer(status, body).partition(b"\r\n\r\n")
    return head + b"\r\nContent-Encoding: GZIP\r\n\r\n" + body


async def test_compressed_answers(tmp_path: Path) -> None:
    assert await call(tmp_path, packed(gzip.compress(b'{"a":') + gzip.compress(b"1}"))) == b'{"a":1}'
    with pytest.raises(WebhookFailed) as caught:
        await call(tmp_path, packed(gzip.compress(b'{"kind":"Status","status":"Failure","message":"told"}'), 500))
    assert caught.value.text == "told"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"a":1,"b":2}', "gzip: invalid header"),
        (b"{}", "unexpected EOF"),
        (gzip.compress(b"{}")[:-2], "unexpected EOF"),
        (gzip.compress(b"{}") + b"and more bytes", "gzip: invalid header"),
        (gzip.compress(b"{}")[:-8] + b"wrong sum", "gzip: invalid checksum"),
        (gzip.compress(bytes(16 * 1024 * 1024 + 1)), "response body exceeds 16777216 bytes"),
    ],
    ids=["no gzip", "short", "cut off", "trailing", "sum", "large"],
)
async def test_answers_that_cannot_be_unpacked(tmp_path: Path, body: bytes, text: str) -> None:
    with pytest.raises(WebhookFailed) as caught:
        await call(tmp_path, packed(body))
    assert caught.value.text == f"unexpected error when reading response body. Please retry. Original error: {text}"


async def test_broken_answers(tmp_path: Path) -> None:
    with pytest.raises(WebhookFailed) as caught:
        await call(tmp_path, b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
    assert caught.value.text == (
        "unexpected error when reading response body. Please retry. "
        "Original error: response body exceeds 16777216 bytes"
    )


async def test_service_that_is_not_there() -> None:
    client = WebhookClient(HTTPClient(), not_found)
    config = {"service": {"namespace": "n", "name": "s", "path": "/p"}}
    with pytest.raises(WebhookFailed) as caught:
        await client.call(config, b"{}", 30)
    assert str(caught.value) == 'Post "https://s.n.svc:443/p?timeout=30s": service "s" not found'
    with pytest.raises(WebhookFailed) as caught:
        await client.ask(Call(read_target(config), b"{}", 61))
    assert str(caught.value) == 'Post "https://s.n.svc:443/p?timeout=1m1s": service "s" not found'


async def test_service_is_called_by_its_name(tmp_path: Path) -> None:
    context = server_context(certificate_for(x509.DNSName("s.n.svc"), issuer=AUTHORITY), tmp_path)
    async with serving(answering(answer(200, b"{}")), context) as origin:
        http = HTTPClient()
        client = WebhookClient(http, lambda service: ("127.0.0.1", origin.port))
        config = {"service": {"namespace": "n", "name": "s"}, "caBundle": BUNDLE}
        assert await client.call(config, b"{}", 10) == b"{}"
        http.close()
        assert b"\r\nHost: s.n.svc:443\r\n" in origin.heads[0]


async def test_untrusted_webhook(tmp_path: Path) -> None:
    context = server_context(certificate_for(*LOCALHOST), tmp_path)
    async with serving(answering(b""), context) as origin:
        url = f"https://localhost:{origin.port}/x"
        told = f"{url}?timeout=10s"
        with pytest.raises(WebhookFailed) as caught:
            await WebhookClient(HTTPClient(), not_found).call({"url": url, "caBundle": BUNDLE}, b"{}", 10)
        assert caught.value.text == (
            f'Post "{told}": tls: failed to verify certificate: x509: certificate signed by unknown authority'
        )


async def test_bad_configuration() -> None:
    with pytest.raises(WebhookFailed, match="unable to parse bytes as PEM block"):
        await WebhookClient(HTTPClient(), not_found).call({"url": "https://a.b", "caBundle": "bm8="}, b"{}", 10)


async def test_ports_that_nobody_can_dial() -> None:
    client = WebhookClient(HTTPClient(), not_found)
    for port, text in ((99999, "dial tcp: address 99999: invalid port"), (0, "connect: connection refused")):
        with pytest.raises(WebhookFailed) as caught:
            await client.call({"url": f"https://127.0.0.1:{port}/x"}, b"{}", 1)
        assert caught.value.text.startswith(f'Post "https://127.0.0.1:{port}/x?timeout=1s": ')
        assert caught.value.text.endswith(text)
