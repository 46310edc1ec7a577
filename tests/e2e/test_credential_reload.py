"""Files of static tokens and of service accounts' keys are replaced while the server runs."""

from __future__ import annotations

import http.client
import json
import ssl
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from support.golden.client import Client
from support.server import Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e


def write_key(path: Path) -> None:
    encoding, format_, plain = (
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(ec.generate_private_key(ec.SECP256R1()).private_bytes(encoding, format_, plain))


class Asker:
    """One connection, which asks with one token."""

    def __init__(self, server: Server, token: str) -> None:
        context = ssl.create_default_context(cafile=str(server.data_dir / "pki" / "ca.crt"))
        self._connection = http.client.HTTPSConnection(
            "127.0.0.1", server.secure_port, context=context, timeout=PATIENCE_S
        )
        self._token = token

    def __call__(self) -> int:
        self._connection.request("GET", "/version", headers={"Authorization": f"Bearer {self._token}"})
        response = self._connection.getresponse()
        response.read()
        return response.status

    def until(self, status: int) -> None:
        wait_for(lambda: self() == status)


def test_tokens_come_and_go(tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text("alice-token,alice,1\nbob-token,bob,2\n")
    with Server(None, "--token-auth-file", str(file)) as server:
        alice, bob, carol = (Asker(server, f"{name}-token") for name in ("alice", "bob", "carol"))
        assert [alice(), bob(), carol()] == [200, 200, 401]
        file.write_text("bob-token,bob,2\ncarol-token,carol,3\n")
        alice.until(401)
        assert [bob(), carol(), Asker(server, "alice-token")()] == [200, 200, 401]
        file.write_text("dave-token\n")
        server.wait_for_log("the old content stays: token file")
        assert [bob(), carol()] == [200, 200]


def test_keys_are_rotated(tmp_path: Path) -> None:
    signing, verifying = tmp_path / "signing.pem", tmp_path / "verifying.pem"
    write_key(signing)
    write_key(verifying)
    flags = ("--service-account-signing-key-file", str(signing), "--service-account-key-file", str(verifying))
    with Server(None, *flags) as server:
        client = Client("127.0.0.1", server.plain_port)
        accounts = "/api/v1/namespaces/default/serviceaccounts"
        body = {"metadata": {"name": "robot"}}
        assert client("POST", accounts, body).code == 201

        def issue() -> str:
            answer = client("POST", f"{accounts}/robot/token", {"spec": {}})
            return str(json.loads(answer.text)["status"]["token"])

        old = Asker(server, issue())
        assert old() == 200
        write_key(signing)
        old.until(401)
        new = Asker(server, issue())
        assert new() == 200
        verifying.write_text("nonsense")
        server.wait_for_log("the old content stays: data does not contain any valid RSA or ECDSA public keys")
        assert [old(), new()] == [401, 200]
