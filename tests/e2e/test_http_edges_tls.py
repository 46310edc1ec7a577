"""TLS: every client certificate gets through the handshake, and a bad one is a 401, not a dead connection."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509

from quarterdeck._kernels import openssl, tls13, tlssealer
from quarterdeck.transport.limits import Limits
from support import tiny_server
from support.certificates import CLIENT, SERVER, Certificate
from support.waiting import PATIENCE_S

AUTHORITY = Certificate("authority", is_authority=True)
MIDDLE = Certificate("middle", issuer=AUTHORITY, is_authority=True)
LOCAL = (x509.IPAddress(ipaddress.ip_address("127.0.0.1")),)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("tls")
    serving = Certificate("server", issuer=AUTHORITY, usages=(SERVER,), names=LOCAL).write(folder)
    with tiny_server.running(Limits(head_timeout_s=1), serving, AUTHORITY.pem) as port:
        yield port


@pytest.fixture(scope="module")
def patient_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server whose handshakes may take longer than the test waits."""
    folder = tmp_path_factory.mktemp("tls")
    serving = Certificate("server", issuer=AUTHORITY, usages=(SERVER,), names=LOCAL).write(folder)
    limits = Limits(head_timeout_s=10 * tiny_server.HANG_S, linger_timeout_s=10 * PATIENCE_S)
    with tiny_server.running(limits, serving, AUTHORITY.pem) as port:
        yield port


def build_context(folder: Path, *chain: Certificate, version: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=AUTHORITY.pem.decode())
    if version is not None:
        context.minimum_version = context.maximum_version = version
    if chain:
        context.load_cert_chain(*chain[0].write(folder, *chain[1:]))
    return context


def ask(port: int, context: ssl.SSLContext, path: str = "/whoami") -> tuple[int, bytes]:
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE_S, context=context)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        ((), (200, b"system:anonymous")),
        ((Certificate("alice", issuer=AUTHORITY, usages=(CLIENT,)),), (200, b"alice")),
        ((Certificate("below", issuer=MIDDLE, usages=(CLIENT,)), MIDDLE), (200, b"below")),
        ((Certificate("expired", issuer=AUTHORITY, usages=(CLIENT,), days=(-3, -2)),), (401, b"Unauthorized")),
        ((Certificate("server", issuer=AUTHORITY, usages=(SERVER,)),), (401, b"Unauthorized")),
        ((Certificate("stranger", usages=(CLIENT,)),), (401, b"Unauthorized")),
        ((Certificate("no middle", issuer=MIDDLE, usages=(CLIENT,)),), (401, b"Unauthorized")),
    ],
    ids=["none", "good", "intermediate", "expired", "for-servers", "stranger", "intermediate-missing"],
)
def test_certificates_are_judged_after_the_handshake(
    port: int, tmp_path: Path, chain: tuple[Certificate, ...], expected: tuple[int, bytes], version: ssl.TLSVersion
) -> None:
    assert ask(port, build_context(tmp_path, *chain, version=version)) == expected


def test_a_resumed_session_is_never_offered(port: int, tmp_path: Path) -> None:
    alice = Certificate("below", issuer=MIDDLE, usages=(CLIENT,))
    context = build_context(tmp_path, alice, MIDDLE)
    session = None
    for _ in range(2):
        with (
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as raw,
            context.wrap_socket(raw, server_hostname="127.0.0.1", session=session) as connection,
        ):
            connection.sendall(b"GET /whoami HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert tiny_server.read_all(connection).endswith(b"below")
            assert not connection.session_reused
            session = connection.session


def test_what_is_negotiated(port: int, tmp_path: Path) -> None:
    context = build_context(tmp_path)
    for offered, chosen in ((["http/1.1", "h2"], "h2"), (["http/1.1"], "http/1.1"), (["h3"], None), (None, None)):
        if offered is not None:
            context.set_alpn_protocols(offered)
        else:
            context = build_context(tmp_path)
        with (
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as raw,
            context.wrap_socket(raw, server_hostname="127.0.0.1") as connection,
        ):
            assert connection.selected_alpn_protocol() == chosen


def test_tls_1_1_is_refused(port: int, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context = build_context(tmp_path, version=ssl.TLSVersion.TLSv1_1)
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    with pytest.raises((ssl.SSLError, ConnectionError)):
        ask(port, context)
    assert ask(port, build_context(tmp_path), "/livez") == (200, b"ok")


def test_plain_http_is_told_so(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = tiny_server.read_all(connection)
    assert answer == b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_who_is_refused_sees_the_end_at_once(patient_port: int, tmp_path: Path, version: ssl.TLSVersion) -> None:
    """The server reads on for a while, so that nothing resets the connection, but has said goodbye."""
    with (
        socket.create_connection(("127.0.0.1", patient_port), timeout=PATIENCE_S) as raw,
        build_context(tmp_path, version=version).wrap_socket(raw, server_hostname="127.0.0.1") as connection,
    ):
        connection.sendall(b"GET /\r\n\r\n")
        connection.sendall(b"x" * 100_000)
        assert tiny_server.read_all(connection).endswith(b"400 Bad Request")


@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00"])
def test_a_handshake_that_goes_nowhere_is_ended(port: int, sent: bytes) -> None:
    assert tiny_server.kept_s(port, sent) >= 1


def test_garbage_ends_the_handshake(patient_port: int) -> None:
    tiny_server.kept_s(patient_port, b"\x00" * 100)


def test_large_bodies_and_streams_pass(port: int, tmp_path: Path) -> None:
    body = bytes(range(256)) * 12288
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE_S, context=build_context(tmp_path))
    connection.request("POST", "/echo", body=body)
    assert connection.getresponse().read() == body
    connection.request("GET", "/stream/3000")
    assert connection.getresponse().read() == b"0123456789abcdef" * 64 * 3000
    connection.request("POST", "/echo", body=b"x" * (8 << 20))
    answer = connection.getresponse()
    assert answer.status == 413
    assert b"limit is 3145728" in answer.read()


def test_a_client_that_says_goodbye_gets_its_answer(port: int, tmp_path: Path) -> None:
    context = build_context(tmp_path)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as raw:
        received = b""
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                raw.sendall(outgoing.read())
                incoming.write(raw.recv(65536))
        tls.write(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        with pytest.raises(ssl.SSLWantReadError):
            tls.unwrap()
        raw.sendall(outgoing.read())
        while data := raw.recv(65536):
            incoming.write(data)
    try:
        received = tls.read(65536)
    except ssl.SSLError:
        pytest.skip("this OpenSSL reads nothing after its own goodbye")
    assert received.endswith(b"late")


def test_where_openssl_is_hidden_good_certificates_still_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openssl, "prepare_server", lambda *arguments: False)
    serving = Certificate("server", issuer=AUTHORITY, usages=(SERVER,), names=LOCAL).write(tmp_path)
    authorities = tmp_path / "authorities.pem"
    authorities.write_bytes(AUTHORITY.pem)
    alice = Certificate("alice", issuer=AUTHORITY, usages=(CLIENT,))
    with tiny_server.running(Limits(), (*serving, [authorities]), AUTHORITY.pem) as port:
        assert ask(port, build_context(tmp_path)) == (200, b"system:anonymous")
        assert ask(port, build_context(tmp_path, alice)) == (200, b"alice")
        with pytest.raises((ssl.SSLError, ConnectionError)):
            ask(port, build_context(tmp_path, Certificate("stranger", usages=(CLIENT,))))


@pytest.mark.parametrize("hidden", [(), ("build_records",), ("build_records", "build_sealer")], ids=len)
def test_records_are_read_and_written_in_any_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hidden: tuple[str, ...]
) -> None:
    """By keys, by OpenSSL, and where that is hidden by Python's ssl."""
    for name in hidden:
        monkeypatch.setattr(tlssealer if name == "build_sealer" else tls13, name, lambda *_: None)
    body = bytes(range(256)) * 1000
    serving = Certificate("server", issuer=AUTHORITY, usages=(SERVER,), names=LOCAL).write(tmp_path)
    with tiny_server.running(Limits(), serving, AUTHORITY.pem) as port:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE_S, context=build_context(tmp_path))
        for size in (1, 16_384, len(body)):
            connection.request("POST", "/echo", body[:size])
            assert connection.getresponse().read() == body[:size]
        connection.request("GET", "/stream/3")
        assert connection.getresponse().read()
        connection.close()
        with (
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as plain,
            build_context(tmp_path).wrap_socket(plain, server_hostname="127.0.0.1") as secure,
        ):
            secure.sendall(b"GET /whoami HTTP/1.1\r\nHost: x\r\n\r\n" * 2 + b"GET /whoami HTTP/1.1\r\n")
            secure.sendall(b"Host: x\r\nConnection: close\r\n\r\n")
            assert tiny_server.read_all(secure).count(b"HTTP/1.1 ") == 3
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as plain:
            secure = build_context(tmp_path).wrap_socket(plain, server_hostname="127.0.0.1")
            broken = socket.socket(fileno=secure.detach())
            broken.sendall(b"\x17\x03\x03\x00\x20" + b"n" * 32)  # no record of this connection
            assert tiny_server.read_all(broken)[:1] in (b"\x15", b"\x17", b"")  # an alert, and the end
            broken.close()
