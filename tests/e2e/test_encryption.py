"""Encryption at rest: what the file holds, keys that change, values that cannot be read."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from support.encryption_files import aesgcm, write_config
from support.golden.client import Client
from support.server import NotStarted, Server
from support.waiting import PROCESS_PATIENCE_S

pytestmark = pytest.mark.e2e

SECRETS = "/api/v1/namespaces/default/secrets"
MARKER = "xMARKERx"
OLD, NEW = ("old", bytes(16)), ("new", bytes(range(16)))


def create(call: Client, name: str) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {"token": MARKER}}
    assert call("POST", SECRETS, secret).code == 201


def read(call: Client, path: str) -> dict[str, Any]:
    answer = call("GET", path)
    found: dict[str, Any] = json.loads(answer.body)
    return found


def stored_values(server: Server, name: str) -> list[bytes]:
    """The bytes of a secret in the file, newest first."""
    with tempfile.TemporaryDirectory() as folder:
        for file in server.data_dir.glob("store.db*"):  # the server has locked its own
            shutil.copy(file, folder)
        connection = sqlite3.connect(Path(folder) / "store.db")
        query = "SELECT value FROM revisions WHERE key = ? ORDER BY revision DESC"
        found = connection.execute(query, (f"/registry/core/secrets/default/{name}",)).fetchall()
        connection.close()
        return [value for (value,) in found]


def migrate(server: Server, *resources: str) -> str:
    command = [sys.executable, "-m", "quarterdeck", "storage", "migrate", *resources]
    command += ["--kubeconfig", str(server.kubeconfig)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False)
    assert done.returncode == 0, done
    return done.stdout


def test_keys_are_rotated_without_a_restart(tmp_path: Path) -> None:
    config = write_config(tmp_path / "c.yaml", aesgcm(OLD), "{identity: {}}")
    flags = ("--encryption-provider-config", str(config), "--encryption-provider-config-automatic-reload")
    with Server(None, *flags) as server:
        call = Client("127.0.0.1", server.plain_port)
        create(call, "a")
        create(call, "b")
        assert stored_values(server, "a")[0].startswith(b"k8s:enc:aesgcm:v1:old:")
        write_config(config, aesgcm(NEW, OLD), "{identity: {}}")
        server.wait_for_log("was taken up")
        create(call, "c")
        assert stored_values(server, "c")[0].startswith(b"k8s:enc:aesgcm:v1:new:")
        assert stored_values(server, "a")[0].startswith(b"k8s:enc:aesgcm:v1:old:")
        # An update that changes nothing writes what another key has written, once.
        before = read(call, f"{SECRETS}/a")
        after = json.loads(call("PUT", f"{SECRETS}/a", before).body)
        assert after["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]
        assert stored_values(server, "a")[0].startswith(b"k8s:enc:aesgcm:v1:new:")
        again = json.loads(call("PUT", f"{SECRETS}/a", after).body)
        assert again["metadata"]["resourceVersion"] == after["metadata"]["resourceVersion"]
        assert "secrets: 1 written, 2 were up to date" in migrate(server, "secrets")
        assert stored_values(server, "b")[0].startswith(b"k8s:enc:aesgcm:v1:new:")
        config.write_text("nonsense")
        server.wait_for_log("error processing encryption config file")
        create(call, "d")
        metrics = call("GET", "/metrics").body.decode()
        for status in ("success", "failure"):
            assert re.search(rf'automatic_reloads_total{{.*status="{status}"}} ', metrics)
        assert (
            'transformation_operations_total{resource="secrets",status="OK",transformation_type="to_storage"' in metrics
        )
        assert call("GET", "/healthz/kms-providers").code == 200
        assert call("GET", "/livez/kms-providers").code == 404
        write_config(config, aesgcm(NEW))
        assert server.terminate() == 0
        assert MARKER not in server.log()
        server.start()
        call = Client("127.0.0.1", server.plain_port)
        assert len(read(call, SECRETS)["items"]) == 4
        assert b64encode(MARKER.encode()).decode() == read(call, f"{SECRETS}/b")["data"]["token"]


def test_plain_values_are_encrypted_and_decrypted_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Server(data) as server:
        create(Client("127.0.0.1", server.plain_port), "a")
        assert stored_values(server, "a")[0].startswith(b"{")
    config = write_config(tmp_path / "c.yaml", aesgcm(NEW), "{identity: {}}")
    flags = ("--encryption-provider-config", str(config))
    with Server(data, *flags) as server:
        assert "secrets: 1 written" in migrate(server, "secrets")
        assert stored_values(server, "a")[0].startswith(b"k8s:enc:")
    write_config(config, "{identity: {}}", aesgcm(NEW))
    with Server(data, *flags) as server:
        assert "secrets: 1 written" in migrate(server, "secrets")
        assert stored_values(server, "a")[0].startswith(b"{")
    with Server(data) as server:
        assert read(Client("127.0.0.1", server.plain_port), f"{SECRETS}/a")["data"]


def test_a_server_without_the_key_starts_and_tells_what_it_cannot_read(tmp_path: Path) -> None:
    data = tmp_path / "data"
    config = write_config(tmp_path / "c.yaml", aesgcm(OLD))
    flags = ("--encryption-provider-config", str(config))
    with Server(data, *flags) as server:
        create(Client("127.0.0.1", server.plain_port), "a")
    write_config(config, aesgcm(("old", bytes(range(16)))))
    texts = {
        flags: "cipher: message authentication failed",
        (): "identity transformer tried to read encrypted data",
    }
    for given, text in texts.items():
        with Server(data, *given) as server:
            call = Client("127.0.0.1", server.plain_port)
            one = call("GET", f"{SECRETS}/a")
            status = json.loads(one.body)
            assert (one.code, status["message"]) == (500, f"Internal error occurred: {text}")
            listed = call("GET", SECRETS)
            status = json.loads(listed.body)
            assert (listed.code, status["reason"]) == (500, "StorageReadError")
            assert status["details"]["causes"][0]["message"] == text
            assert call("GET", "/api/v1/namespaces/kube-system/secrets").code == 200
            assert call("POST", SECRETS, {"metadata": {"name": "a"}}).code == 409
            server.wait_until_ready()
    write_config(config, aesgcm(OLD))
    with Server(data, *flags) as server:
        call = Client("127.0.0.1", server.plain_port)
        assert read(call, f"{SECRETS}/a")["data"]
        assert shutil.which("kubectl") is None or "a" in kubectl(server, "get", "secrets", "-o", "name")


def kubectl(server: Server, *arguments: str) -> str:
    command = ["kubectl", "--kubeconfig", str(server.kubeconfig), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=True).stdout


def test_a_file_that_cannot_be_used_ends_the_start(tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("kind: EncryptionConfiguration\nsecret: xKEYx\n")
    with pytest.raises(NotStarted) as caught:
        Server(tmp_path / "data", "--encryption-provider-config", str(config))
    assert caught.value.code == 1
    assert "error while parsing file: error decoding encryption provider configuration file" in caught.value.text
    assert "xKEYx" not in caught.value.text and "Traceback" not in caught.value.text


def test_a_plugin_holds_the_key(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="grpcio is not installed")
    from support.kms_plugin import Plugin

    socket = tmp_path / "kms.sock"
    kms = f"{{kms: {{apiVersion: v2, name: vault, endpoint: 'unix://{socket}', timeout: 1s}}}}"
    config = write_config(tmp_path / "c.yaml", kms)
    flags = ("--encryption-provider-config", str(config))
    data = tmp_path / "data"
    with Plugin(socket) as plugin, Server(data, *flags) as server:
        call = Client("127.0.0.1", server.plain_port)
        create(call, "a")
        assert stored_values(server, "a")[0].startswith(b"k8s:enc:kms:v2:vault:")
        assert call("GET", "/readyz/kms-providers").code == 200
        assert "key_id_hash_total" in call("GET", "/metrics").body.decode()
        assert server.terminate() == 0
        plugin.calls.clear()
        server.start()
        call = Client("127.0.0.1", server.plain_port)
        assert read(call, f"{SECRETS}/a")["data"]
        assert plugin.calls.count("Decrypt") == 1
    with Server(data, *flags) as server:  # without its plugin
        call = Client("127.0.0.1", server.plain_port)
        assert call("GET", f"{SECRETS}/a").code == 500
        assert call("POST", SECRETS, {"metadata": {"name": "b"}}).code == 500
        assert call("GET", "/readyz").code == call("GET", "/healthz").code == 500
        assert call("GET", "/livez").code == 200
        with Plugin(socket):
            end = time.monotonic() + 60
            while call("GET", f"{SECRETS}/a").code != 200:
                assert time.monotonic() < end, server.log()
                call("GET", "/healthz")  # has the plugin asked again
                time.sleep(0.1)
            assert len(read(call, SECRETS)["items"]) == 1
            create(call, "b")
            server.wait_until_ready()
