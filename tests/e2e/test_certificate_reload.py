"""Authorities of clients and the serving certificate are replaced while the server runs."""

from __future__ import annotations

import http.client
import ssl
from pathlib import Path

import pytest

from support.certificates import CLIENT, SERVER, Certificate
from support.server import Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e


def connect(
    server: Server, leaf: Certificate | None, folder: Path, trusted: Certificate
) -> http.client.HTTPSConnection:
    trusted.write(folder)
    context = ssl.create_default_context(cadata=trusted.pem.decode())
    context.check_hostname = False
    if leaf is not None:
        context.load_cert_chain(*leaf.write(folder))
    return http.client.HTTPSConnection("127.0.0.1", server.secure_port, context=context, timeout=PATIENCE_S)


def ask(connection: http.client.HTTPSConnection) -> int:
    connection.request("GET", "/api/v1/namespaces")
    response = connection.getresponse()
    response.read()
    return response.status


def is_trusted(connection: http.client.HTTPSConnection) -> bool:
    """Whether the server shows a certificate of the authority that the client trusts, and takes the client's."""
    try:
        return ask(connection) == 200
    except ssl.SSLCertVerificationError:
        return False


def test_replaced_files_are_taken_up(tmp_path: Path) -> None:
    authorities = [Certificate("clients", is_authority=True, edwards=edwards) for edwards in (False, True)]
    boss = [Certificate("boss", "system:masters", issuer=each, usages=(CLIENT,)) for each in authorities]
    serving = [Certificate("serving", is_authority=True) for _ in range(2)]
    issued = [Certificate("127.0.0.1", issuer=each, usages=(SERVER,)) for each in serving]
    clients, certificate, key = tmp_path / "clients.crt", tmp_path / "tls.crt", tmp_path / "tls.key"

    def put(number: int) -> None:
        clients.write_bytes(authorities[number].pem)
        certificate.write_bytes(issued[number].pem)
        key.write_bytes(issued[number].key_pem)

    put(0)
    flags = ("--client-ca-file", str(clients), "--tls-cert-file", str(certificate), "--tls-private-key-file", str(key))
    with Server(None, *flags) as server:
        first = connect(server, boss[0], tmp_path, serving[0])
        assert ask(first) == 200
        assert ask(connect(server, boss[1], tmp_path, serving[0])) == 401
        put(1)
        # The connection that is open is judged by the new authorities, too.
        assert wait_for(lambda: (status := ask(first)) != 200 and status) == 401
        wait_for(lambda: is_trusted(connect(server, boss[1], tmp_path, serving[1])))
        clients.write_text("nonsense")
        server.wait_for_log("the old content stays")
        assert ask(connect(server, boss[1], tmp_path, serving[1])) == 200
