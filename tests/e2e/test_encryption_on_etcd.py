"""Encryption at rest where etcd keeps the values and several servers read them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.storage.etcd3.layout import SameKeys
from quarterdeck.storage.etcd3.settings import Settings
from quarterdeck.storage.etcd3.store import EtcdStorage
from support import etcd
from support.encryption_files import aesgcm, write_config
from support.golden.client import Client
from support.kms_plugin import Plugin
from support.server import Server
from support.waiting import PROCESS_PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

SECRETS = "/api/v1/namespaces/default/secrets"
PLAIN = "{identity: {}}"
OLD, NEW = ("old", bytes(16)), ("new", bytes(range(16)))


@pytest.fixture(scope="module")
def cluster() -> Iterator[etcd.Cluster]:
    with etcd.cluster() as made:
        yield made


def flags(cluster: etcd.Cluster, prefix: str, config: Path) -> list[str]:
    own = (
        "--etcd-servers",
        ",".join(cluster.urls),
        "--etcd-prefix",
        prefix,
        "--encryption-provider-config",
        str(config),
    )
    return ["--storage-backend=etcd3", *own, "--encryption-provider-config-automatic-reload"]


def client(server: Server) -> Client:
    return Client("127.0.0.1", server.plain_port)


def create(call: Client, name: str) -> dict[str, Any]:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {"token": "xMARKERx"}}
    answer = call("POST", SECRETS, secret)
    assert answer.code == 201, answer.text
    made: dict[str, Any] = json.loads(answer.body)
    return made


def stored(cluster: etcd.Cluster, prefix: str, name: str) -> bytes:
    async def read() -> bytes:
        store = await EtcdStorage.open(Settings(cluster.urls, compaction_interval_s=0), layout=SameKeys(f"{prefix}/"))
        item = await store.get(f"/registry/secrets/default/{name}")
        await store.close()
        assert item is not None
        return item.value

    return asyncio.run(read())


def test_servers_with_the_keys_read_what_each_other_wrote(cluster: etcd.Cluster, tmp_path: Path) -> None:
    config = write_config(tmp_path / "c.yaml", aesgcm(OLD), PLAIN, resources="[secrets]")
    given = flags(cluster, "/shared", config)
    with Server(None, *given) as one, Server(None, *given) as two:
        create(client(one), "a")
        value = stored(cluster, "/shared", "a")
        assert value.startswith(b"k8s:enc:aesgcm:v1:old:") and b"MARKER" not in value
        assert client(two)("GET", f"{SECRETS}/a").code == 200
        # An update that changes nothing writes what another key has written.
        write_config(config, aesgcm(NEW, OLD), PLAIN, resources="[secrets]")
        for server in (one, two):
            server.wait_for_log("was taken up")
        before = json.loads(client(two)("GET", f"{SECRETS}/a").body)
        after = json.loads(client(two)("PUT", f"{SECRETS}/a", before).body)
        assert after["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]
        assert stored(cluster, "/shared", "a").startswith(b"k8s:enc:aesgcm:v1:new:")
        again = json.loads(client(one)("PUT", f"{SECRETS}/a", after).body)
        assert again["metadata"]["resourceVersion"] == after["metadata"]["resourceVersion"]
        assert "xMARKERx" not in one.log() + two.log()


def test_a_snapshot_holds_them_as_a_directory_does(cluster: etcd.Cluster, tmp_path: Path) -> None:
    config = write_config(tmp_path / "c.yaml", aesgcm(NEW), PLAIN, resources="[secrets]")
    saved, restored = tmp_path / "saved", tmp_path / "restored"
    with Server(None, *flags(cluster, "/saved", config)) as server:
        made = create(client(server), "a")
        run("snapshot", "save", saved, "--kubeconfig", server.kubeconfig)
    assert b"k8s:enc:aesgcm:v1:new:" in saved.read_bytes()
    run("snapshot", "restore", saved, "--data-dir", restored)
    with Server(restored, "--encryption-provider-config", str(config)) as server:
        found = json.loads(client(server)("GET", f"{SECRETS}/a").body)
    assert found["data"] == made["data"]


def run(*arguments: object) -> None:
    command = [sys.executable, "-m", "quarterdeck", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False)
    assert done.returncode == 0, done


def test_a_server_without_the_key_says_so_until_it_has_it(cluster: etcd.Cluster, tmp_path: Path) -> None:
    with_key = write_config(tmp_path / "with.yaml", aesgcm(NEW), PLAIN, resources="[secrets]")
    without = write_config(tmp_path / "without.yaml", aesgcm(OLD), PLAIN, resources="[secrets]")
    with (
        Server(None, *flags(cluster, "/apart", with_key)) as one,
        Server(None, *flags(cluster, "/apart", without)) as two,
    ):
        create(client(one), "a")
        call = client(two)
        wait_for(lambda: call("GET", f"{SECRETS}?resourceVersion=0").code == 500, two.log)
        assert json.loads(call("GET", SECRETS).body)["reason"] == "StorageReadError"
        assert call("GET", f"{SECRETS}/a").code == 500
        assert call("GET", "/api/v1/namespaces/default/configmaps").code == 200
        assert call("POST", SECRETS, {"metadata": {"name": "a"}}).code == 409
        write_config(without, aesgcm(OLD, NEW), PLAIN, resources="[secrets]")
        wait_for(lambda: call("GET", SECRETS).code == 200, two.log)
        assert json.loads(call("GET", f"{SECRETS}/a").body)["data"]


def test_a_plugin_is_asked_for_the_keys_of_other_servers(cluster: etcd.Cluster, tmp_path: Path) -> None:
    socket = tmp_path / "kms.sock"
    kms = f"{{kms: {{apiVersion: v2, name: vault, endpoint: 'unix://{socket}', timeout: 3s}}}}"
    given = flags(cluster, "/plugin", write_config(tmp_path / "c.yaml", kms, PLAIN, resources="[secrets]"))
    with Plugin(socket) as plugin, Server(None, *given) as one, Server(None, *given) as two:
        plugin.calls.clear()
        made = create(client(one), "a")
        assert stored(cluster, "/plugin", "a").startswith(b"k8s:enc:kms:v2:vault:")
        call = client(two)
        revision = made["metadata"]["resourceVersion"]
        answer = call("GET", f"{SECRETS}?resourceVersion={revision}")
        assert [each["metadata"]["name"] for each in json.loads(answer.body)["items"]] == ["a"]
        assert plugin.calls.count("Decrypt") == 1
        assert two.terminate() == 0
        two.start()
        assert client(two)("GET", f"{SECRETS}/a").code == 200
