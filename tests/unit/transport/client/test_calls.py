"""Calls of servers on the loopback: good ones, and all that can be wrong with one."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from pathlib import Path

import pytest
from cryptography import x509

from quarterdeck.transport.client import failures, trust
from quarterdeck.transport.client.answers import Answer, read_keep_alive
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient, Server, build_request
from quarterdeck.transport.client.trust import Trust, UntrustableBundle
from support.certificates import Certificate
from support.origin import LOCALHOST, Origin, answering, certificate_for, server_context, serving

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
AUTHORITY = Certificate("authority", is_authority=True)


async def post(client: HTTPClient, server: Server, body: bytes = b"{}", **options: object) -> Answer:
    chosen: dict[str, object] = {"timeout_s": 20, "answer_bytes_max": 1000} | options
    return await client.post(server, "/path?timeout=1s", {"Host": "a.b"}, body, **chosen)  # type: ignore[arg-type]


def plain(origin: Origin) -> Server:
    return Server("127.0.0.1", origin.port, "127.0.0.1", None)


async def test_kept_connection_is_used_again() -> None:
    async with serving(answering(OK)) as origin:
        client = HTTPClient()
        for _ in range(5):
            answer = await post(client, plain(origin), b"body")
            assert (answer.status, answer.body) == (200, b"ok")
        client.close()
    assert (origin.connections, origin.requests) == (1, 5)
    assert origin.heads[0] == b"POST /path?timeout=1s HTTP/1.1\r\nHost: a.b\r\nContent-Length: 4\r\n\r\n"
    assert origin.bodies[0] == b"body"


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
async def test_tls(tmp_path: Path, name: str) -> None:
    context = server_context(certificate_for(*LOCALHOST, issuer=AUTHORITY), tmp_path)
    async with serving(answering(OK), context) as origin:
        client = HTTPClient()
        server = Server("127.0.0.1", origin.port, name, Trust(AUTHORITY.pem))
        for _ in range(3):
            assert (await post(client, server, b"x" * 100_000)).body == b"ok"
        client.close()
    assert (origin.connections, origin.requests) == (1, 3)


async def test_server_certificate_in_the_bundle_is_believed(tmp_path: Path) -> None:
    own = certificate_for(*LOCALHOST)
    async with serving(answering(OK), server_context(own, tmp_path)) as origin:
        client = HTTPClient()
        assert (await post(client, Server("127.0.0.1", origin.port, "localhost", Trust(own.pem)))).status == 200
        client.close()


BROKEN_TLS = {
    "unknown authority": (
        certificate_for(*LOCALHOST, issuer=Certificate("other", is_authority=True)),
        "localhost",
        "x509: certificate signed by unknown authority",
    ),
    "wrong name": (
        certificate_for(x509.DNSName("a.b"), x509.DNSName("*.c"), issuer=AUTHORITY),
        "s.ns.svc",
        "x509: certificate is valid for a.b, *.c, not s.ns.svc",
    ),
    "wrong address": (
        certificate_for(x509.IPAddress(ipaddress.ip_address("10.0.0.1")), issuer=AUTHORITY),
        "127.0.0.1",
        "x509: certificate is valid for 10.0.0.1, not 127.0.0.1",
    ),
    "no address": (
        certificate_for(x509.DNSName("a.b"), issuer=AUTHORITY),
        "127.0.0.1",
        "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    ),
    "common name": (
        certificate_for(issuer=AUTHORITY),
        "origin",
        "x509: certificate relies on legacy Common Name field, use SANs instead",
    ),
    "expired": (
        certificate_for(*LOCALHOST, issuer=AUTHORITY, days=(-9, -1)),
        "localhost",
        "x509: certificate has expired or is not yet valid: current time 2",
    ),
    "not yet": (
        certificate_for(*LOCALHOST, issuer=AUTHORITY, days=(1, 9)),
        "localhost",
        "x509: certificate has expired or is not yet valid: current time 2",
    ),
}


@pytest.mark.parametrize("name", BROKEN_TLS)
async def test_broken_tls(tmp_path: Path, name: str) -> None:
    certificate, wanted, text = BROKEN_TLS[name]
    async with serving(answering(OK), server_context(certificate, tmp_path)) as origin:
        client = HTTPClient()
        with pytest.raises(CallFailed) as caught:
            await post(client, Server("127.0.0.1", origin.port, wanted, Trust(AUTHORITY.pem)))
        assert caught.value.text.startswith(f"tls: failed to verify certificate: {text}")
        client.close()
    assert origin.requests == 0


def test_expiry_is_told_with_its_time() -> None:
    """Kept apart from the calls: the text holds the time of day."""
    leaf = certificate_for(*LOCALHOST, days=(-9, -1)).certificate
    end = leaf.not_valid_after_utc.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert trust._describe_verification(10, leaf, "x").endswith(f"is after {end}")


async def test_plain_server_where_tls_is_wanted() -> None:
    async def handle(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    async with serving(handle) as origin:
        client = HTTPClient()
        with pytest.raises(CallFailed) as caught:
            await post(client, Server("127.0.0.1", origin.port, "localhost", Trust(AUTHORITY.pem)))
        assert caught.value.text == "http: server gave HTTP response to HTTPS client"


def test_bundle_without_certificate() -> None:
    with pytest.raises(UntrustableBundle, match="unable to parse bytes as PEM block"):
        Trust(b"no")


async def test_refused_connection() -> None:
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(CallFailed) as caught:
            await post(HTTPClient(), Server("127.0.0.1", port, "x", None))
    assert caught.value.text == f"dial tcp 127.0.0.1:{port}: connect: connection refused"


def test_unknown_host() -> None:
    failure = failures.describe_dial(socket.gaierror(socket.EAI_NONAME, "?"), "absent.invalid", 443)
    assert failure == "dial tcp: lookup absent.invalid: no such host"


async def _hang(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)
    await asyncio.sleep(3600)


async def _drip(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await origin.read_request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"1\r\nx\r\n")
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("handle", [_hang, _drip])
async def test_deadline(handle: object) -> None:
    async with serving(handle) as origin:  # type: ignore[arg-type]
        client = HTTPClient()
        with pytest.raises(CallFailed) as caught:
            await post(client, plain(origin), timeout_s=0.1, answer_bytes_max=1 << 30)
        assert caught.value.text == "context deadline exceeded"
        assert caught.value.is_timeout
        assert not client._by_server


async def test_hanging_handshake_ends_at_the_deadline() -> None:
    async with serving(_hang) as origin:
        server = Server("127.0.0.1", origin.port, "localhost", Trust(AUTHORITY.pem))
        client = HTTPClient()
        with pytest.raises(CallFailed) as caught:
            await post(client, server, timeout_s=0.05)
        assert caught.value.is_timeout
        assert not client._by_server


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", "response body exceeds 1000 bytes"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n", "response body exceeds 1000 bytes"),
        (b"garbage\r\n", 'net/http: HTTP/1.x transport connection broken: malformed HTTP response "garbage"'),
        (b"", "EOF"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "unexpected EOF"),
    ],
)
async def test_bad_answer(answer: bytes, text: str) -> None:
    async with serving(answering(answer, then_close=True)) as origin:
        client = HTTPClient()
        with pytest.raises(CallFailed) as caught:
            await post(client, plain(origin))
        assert caught.value.text == text
        assert not client._by_server
    assert origin.requests == 1


async def test_redirect_is_not_followed() -> None:
    away = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    async with serving(answering(away)) as origin:
        client = HTTPClient()
        assert (await post(client, plain(origin))).status == 307
        client.close()
    assert origin.requests == 1


async def test_connection_closed_while_idle_is_not_used() -> None:
    async with serving(answering(OK, then_close=True)) as origin:
        client = HTTPClient()
        for _ in range(3):
            assert (await post(client, plain(origin))).body == b"ok"
        client.close()
    assert (origin.connections, origin.requests) == (3, 3)


async def _close_second(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The first request of a connection is answered; the second one is read and left."""
    await origin.read_request(reader)
    writer.write(OK)
    await origin.read_request(reader)


async def test_stale_connection_is_replaced_once_where_that_is_safe() -> None:
    async with serving(_close_second) as origin:
        client = HTTPClient()
        await post(client, plain(origin))
        assert (await post(client, plain(origin), is_repeatable=True)).body == b"ok"
        assert origin.connections == 2
        with pytest.raises(CallFailed) as caught:
            await post(client, plain(origin))
        assert caught.value.text == "EOF"
        client.close()
    assert origin.requests == 4


async def test_new_connection_is_not_tried_twice() -> None:
    async with serving(answering(b"", then_close=True)) as origin:
        with pytest.raises(CallFailed):
            await post(HTTPClient(), plain(origin), is_repeatable=True)
    assert origin.connections == 1


async def test_connections_are_bounded_and_waiters_come_in_order() -> None:
    running = most = 0

    async def handle(origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal running, most
        while True:
            await origin.read_request(reader)
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
            writer.write(OK)

    async with serving(handle) as origin:
        client = HTTPClient(connections_per_server_max=3)
        await asyncio.gather(*(post(client, plain(origin), b"%d" % turn) for turn in range(20)))
        assert most <= 3
        assert sorted(origin.bodies, key=int) == [b"%d" % turn for turn in range(20)]
        assert origin.connections <= 3
        client.close()


async def test_cancelled_calls_leave_nothing() -> None:
    async with serving(_hang) as origin:
        client = HTTPClient(connections_per_server_max=2)
        calls = [asyncio.ensure_future(post(client, plain(origin))) for _ in range(5)]
        while origin.connections < 2:
            await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        assert all(
            isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*calls, return_exceptions=True)
        )
        assert not client._by_server


async def test_waiting_for_a_connection_counts(tmp_path: Path) -> None:
    async with serving(_hang) as origin:
        client = HTTPClient(connections_per_server_max=1)
        first = asyncio.ensure_future(post(client, plain(origin)))
        while not origin.connections:
            await asyncio.sleep(0)
        with pytest.raises(CallFailed) as caught:
            await post(client, plain(origin), timeout_s=0.05)
        assert caught.value.is_timeout
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert not client._by_server


def test_keep_alive_of_the_server() -> None:
    assert read_keep_alive("timeout=5, max=100") == 5
    assert read_keep_alive("max=3") is None
    assert read_keep_alive("timeout=x") is None


def test_request_lines_hold_no_line_ends() -> None:
    with pytest.raises(ValueError, match="line end"):
        build_request("POST", "/a\r\nX: y", {}, b"")
