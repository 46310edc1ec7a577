"""`--controllers`: with the garbage collector or the namespace controller off, what they do is left undone, as in
envtest."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Client
from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e
OFF = ("garbage", "orphaning", "namespace")
BOTH_OFF = "--controllers=-garbage-collector-controller,-namespace-controller"


def call(server: Server, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    try:
        data = json.dumps(body) if body is not None else None
        connection.request(method, path, data, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def create(server: Server, namespace: str, name: str, *owners: dict[str, Any]) -> Any:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "ownerReferences": list(owners)}}
    code, answer = call(server, "POST", f"/api/v1/namespaces/{namespace}/configmaps", body)
    assert code == 201, answer
    return answer


def refer(owner: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}


def let_controllers_work(server: Server, name: str) -> None:
    """What was done before is noted in the queues before this definition is, and those controllers that run have worked
    on it when this is served. Those that are off have had no work at all."""
    definitions.install(Client("127.0.0.1", server.plain_port), definitions.of_things(f"{name}.example.com"))
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    connection.request("GET", "/metrics")
    metrics = connection.getresponse().read().decode()
    connection.close()
    done = dict(re.findall(r'^workqueue_work_duration_seconds_count\{name="(\w+)"\} (\d+)$', metrics, re.MULTILINE))
    assert done["crdEstablishing"] != "0"
    assert {name: done[name] for name in OFF} == dict.fromkeys(OFF, "0")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(None, BOTH_OFF) as running:
        yield running


def test_dependents_stay_and_foreground_deletions_wait_without_the_garbage_collector(server: Server) -> None:
    owner = create(server, "default", "owner")
    create(server, "default", "dependent", refer(owner))
    maps = "/api/v1/namespaces/default/configmaps"
    assert call(server, "DELETE", f"{maps}/owner?propagationPolicy=Foreground")[0] == 200
    let_controllers_work(server, "after-owner")
    assert call(server, "GET", f"{maps}/owner")[1]["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert call(server, "GET", f"{maps}/dependent")[0] == 200


def test_a_namespace_stays_terminating_without_its_controller(server: Server) -> None:
    call(server, "POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}})
    create(server, "n", "kept")
    assert call(server, "DELETE", "/api/v1/namespaces/n")[0] == 200
    let_controllers_work(server, "after-namespace")
    namespace = call(server, "GET", "/api/v1/namespaces/n")[1]
    assert namespace["status"] == {"phase": "Terminating"}
    assert call(server, "GET", "/api/v1/namespaces/n/configmaps/kept")[0] == 200


def test_definitions_are_served_whatever_is_switched_off(server: Server) -> None:
    definitions.install(Client("127.0.0.1", server.plain_port), definitions.of_things("example.com"))
