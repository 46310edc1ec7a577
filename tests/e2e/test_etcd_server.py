"""A server whose data is in a real etcd: what it stored is there after kill -9."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import definitions, etcd
from support.server import Server
from support.waiting import wait_for

pytestmark = pytest.mark.e2e
GROUP = "etcd.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module")
def cluster() -> Iterator[etcd.Cluster]:
    with etcd.cluster() as made:
        yield made


@pytest.fixture(scope="module")
def server(cluster: etcd.Cluster) -> Iterator[Server]:
    made = Server(None, "--storage-backend=etcd3", "--etcd-servers", ",".join(cluster.urls))
    try:
        made.wait_until_ready()
        yield made
    finally:
        made.stop()


def call(server: Server, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    url = f"http://127.0.0.1:{server.plain_port}{path}"
    media_type = "application/apply-patch+yaml" if method == "PATCH" else "application/json"
    request = urllib.request.Request(url, data, {"Content-Type": media_type}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text.startswith(b"{") else text


def test_an_etcd_that_can_lose_writes_is_warned_of_once(cluster: etcd.Cluster, server: Server) -> None:
    with urllib.request.urlopen(f"{cluster.urls[0]}/version", timeout=60) as answer:
        assert json.load(answer)["etcdserver"] == "3.5.1"
    warning = "etcd 3.5.1 can lose acknowledged writes"
    server.wait_for_log(warning)
    assert server.log().count(warning) == 1


def test_what_was_acknowledged_is_there_after_a_kill(server: Server) -> None:
    status, _ = call(server, "POST", definitions.PATH, definitions.of_things(GROUP))
    assert status == 201
    while call(server, "GET", THINGS)[0] != 200:
        pass
    thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"n": 1}}
    status, made = call(server, "POST", THINGS, thing)
    assert status == 201
    configmap = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "ä"}}
    status, stored = call(server, "POST", CONFIGMAPS, configmap)
    assert status == 201
    roles = call(server, "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles")[1]["items"]
    page = call(server, "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles?limit=3")[1]

    server.kill()
    server.start()
    server.wait_until_ready()
    assert call(server, "GET", f"{THINGS}/a") == (200, made)
    assert call(server, "GET", f"{CONFIGMAPS}/a") == (200, stored)
    assert call(server, "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles")[1]["items"] == roles
    token = page["metadata"]["continue"]
    rest = call(server, "GET", f"/apis/rbac.authorization.k8s.io/v1/clusterroles?limit=500&continue={token}")[1]
    assert page["items"] + rest["items"] == roles
    status, changed = call(server, "PUT", f"{THINGS}/a", made | {"spec": {"n": 2}})
    assert (status, changed["metadata"]["uid"]) == (200, made["metadata"]["uid"])
    assert call(server, "PUT", f"{THINGS}/a", made)[0] == 409


@pytest.mark.parametrize(
    ("plural", "validation"),
    [
        ("structurals", {"type": "object", "properties": {"spec": {"type": "object"}}}),
        ("untypeds", {"properties": {"spec": {"properties": {"a": {"type": "string"}}}}}),
        ("unknowns", None),
    ],
)
def test_a_definition_of_a_cluster_that_is_older_than_structural_schemas(
    server: Server, cluster: etcd.Cluster, plural: str, validation: Any
) -> None:
    """It preserves unknown fields unless it says otherwise: nothing of its objects goes when they are written."""
    group = f"{plural}.{GROUP}"
    names = {"plural": plural, "singular": plural[:-1], "kind": plural.capitalize(), "listKind": f"{plural}List"}
    spec = {"group": group, "version": "v1", "names": names, "scope": "Namespaced"}
    if validation is not None:
        spec["validation"] = {"openAPIV3Schema": validation}
    kind = {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition"}
    metadata = {"name": f"{plural}.{group}", "uid": plural, "creationTimestamp": "2019-01-01T00:00:00Z"}
    key = f"/registry/apiextensions.k8s.io/customresourcedefinitions/{plural}.{group}"
    record = {"key": key, "value": json.dumps({**kind, "metadata": metadata, "spec": spec})}
    body = json.dumps({name: base64.b64encode(text.encode()).decode() for name, text in record.items()}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{cluster.urls[0]}/v3/kv/put", body), timeout=60) as answer:
        assert answer.status == 200
    path = f"/apis/{group}/v1/namespaces/default/{plural}"
    wait_for(lambda: call(server, "GET", path)[0] == 200)
    sent = {"spec": {"a": "1", "more": {"b": None}}, "other": [1]}
    thing = {"apiVersion": f"{group}/v1", "kind": names["kind"], **sent}
    for method, address, name in (("POST", path, "a"), ("PATCH", f"{path}/b?fieldManager=me", "b")):
        status, made = call(server, method, address, thing | {"metadata": {"name": name}})
        assert status == 201, made
        assert {member: made[member] for member in sent} == sent
        assert call(server, "GET", f"{path}/{name}") == (200, made)
    status, refusal = call(server, "PATCH", f"{path}/b?fieldManager=other", thing | {"spec": {"a": "2"}})
    assert (status, [cause["field"] for cause in refusal["details"]["causes"]]) == (409, [".spec.a"])


def test_an_object_that_etcd_does_not_take_is_refused_in_its_words(server: Server) -> None:
    text = {"name": "large", "annotations": {}}
    thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": text, "spec": {"text": "x" * 1_700_000}}
    definition = definitions.of_things(f"large.{GROUP}")
    assert call(server, "POST", definitions.PATH, definition)[0] == 201
    path = THINGS.replace(GROUP, f"large.{GROUP}")
    while call(server, "GET", path)[0] != 200:
        pass
    status, refusal = call(server, "POST", path, thing | {"apiVersion": f"large.{GROUP}/v1"})
    assert (status, refusal["message"]) == (500, "etcdserver: request is too large")


def command(*arguments: object) -> str:
    process = [sys.executable, "-m", "quarterdeck", *map(str, arguments)]
    done = subprocess.run(process, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def digest_in(text: str) -> str:
    return re.findall("^digest: ([0-9a-f]{64})", text, re.MULTILINE)[0]


def test_what_an_etcd_holds_is_copied_to_a_directory_and_back(
    server: Server, cluster: etcd.Cluster, tmp_path: Path
) -> None:
    service = {"metadata": {"name": "kept"}, "spec": {"type": "NodePort", "ports": [{"port": 80}]}}
    assert call(server, "POST", "/api/v1/namespaces/default/services", service)[0] == 201
    kept = "/api/v1/services?fieldSelector=metadata.name=kept"  # that of the servers tells of their port
    paths = [kept, "/api/v1/namespaces/default/configmaps", THINGS, definitions.PATH]

    def shown(one: Server) -> list[Any]:
        found = [call(one, "GET", path)[1]["items"] for path in paths]
        for each in (each for items in found for each in items):
            del each["metadata"]["resourceVersion"]  # a copy has its own
            each.pop("status", None)
        return found

    wanted = shown(server)
    copy = command("storage", "copy", ",".join(cluster.urls), tmp_path / "copied")
    with Server(tmp_path / "copied") as copied:
        copied.wait_until_ready()
        assert shown(copied) == wanted
        assert copied.terminate() == 0
    assert "the same in both" in copy
    command("storage", "copy", tmp_path / "copied", cluster.urls[0], "--etcd-prefix=/again")
    flags = ("--storage-backend=etcd3", "--etcd-servers", cluster.urls[0], "--etcd-prefix=/again")
    with Server(None, *flags) as again:
        again.wait_until_ready()
        assert shown(again) == wanted
        assert call(again, "DELETE", "/api/v1/namespaces/default/services/kept")[0] == 200
        saved = command("snapshot", "save", tmp_path / "saved", "--kubeconfig", again.kubeconfig)
        assert digest_in(command("snapshot", "status", tmp_path / "saved")) == digest_in(saved)
