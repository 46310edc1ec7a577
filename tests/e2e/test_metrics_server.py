"""`kubectl top`: resource metrics of a server behind TLS that believes the front proxy's certificate alone."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import pytest

from support.aggregation import API_SERVICES, World
from support.kubectl import Kubectl
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

GROUP = "metrics.k8s.io"
BASE = f"/apis/{GROUP}/v1beta1"
API_SERVICE = f"{API_SERVICES}/v1beta1.{GROUP}"
NOW = {"timestamp": "2026-01-01T00:00:00Z", "window": "20s"}


def kind(name: str, resource: str, *, namespaced: bool) -> dict[str, Any]:
    return {"name": resource, "singularName": "", "namespaced": namespaced, "kind": name, "verbs": ["get", "list"]}


def listed(name: str, *items: dict[str, Any]) -> dict[str, Any]:
    head = {"apiVersion": f"{GROUP}/v1beta1", "kind": f"{name}List", "metadata": {}}
    return head | {"items": [{**NOW, **item} for item in items]}


def usage(cpu: str, memory: str) -> dict[str, Any]:
    return {"usage": {"cpu": cpu, "memory": memory}}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("world"))
    extension = made.extension
    extension.serves_aggregated = False
    containers = {"containers": [{"name": "c", **usage("5m", "3Mi")}, {"name": "d", **usage("2m", "4Mi")}]}
    extension.documents = {
        BASE: {
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": f"{GROUP}/v1beta1",
            "resources": [
                kind("NodeMetrics", "nodes", namespaced=False),
                kind("PodMetrics", "pods", namespaced=True),
            ],
        },
        f"{BASE}/nodes": listed("NodeMetrics", {"metadata": {"name": "n1"}, **usage("250m", "512Mi")}),
        f"{BASE}/namespaces/default/pods": listed(
            "PodMetrics", {"metadata": {"name": "p1", "namespace": "default"}, **containers}
        ),
    }
    try:
        service = extension.api_service(group=GROUP, version="v1beta1", groupPriorityMinimum=100, versionPriority=100)
        assert made.call("POST", API_SERVICES, service)[0] == 201
        node = {"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "1", "memory": "1Gi"}}}
        assert made.call("POST", "/api/v1/nodes", node)[0] == 201
        assert made.call("PUT", "/api/v1/nodes/n1/status", node)[0] == 200
        wait_for(lambda: (made.aggregated(GROUP) or {}).get("freshness") == "Current")
        yield made
    finally:
        made.close()


def test_what_nodes_use(world: World, tmp_path: Path) -> None:
    lines = Kubectl(world.server.kubeconfig, tmp_path)("top", "nodes").splitlines()
    assert lines[0].split()[0] == "NAME"
    assert lines[1].split() == ["n1", "250m", "25%", "512Mi", "50%"]


def test_what_pods_use(world: World, tmp_path: Path) -> None:
    kubectl = Kubectl(world.server.kubeconfig, tmp_path)
    assert kubectl("top", "pods").splitlines()[1].split() == ["p1", "7m", "7Mi"]
    lines = kubectl("top", "pods", "--containers", "--no-headers").splitlines()
    assert [line.split()[1:] for line in lines] == [["c", "5m", "3Mi"], ["d", "2m", "4Mi"]]


def test_the_server_believes_nobody_without_the_certificate(world: World) -> None:
    context = ssl.create_default_context(cadata=world.extension.authority.pem.decode())
    direct = HTTPSConnection("127.0.0.1", world.extension.port, timeout=PATIENCE_S, context=context)
    with pytest.raises((ssl.SSLError, ConnectionError)):
        direct.request("GET", BASE, headers={"X-Remote-User": "admin", "X-Remote-Group": "system:masters"})
        direct.getresponse()
    direct.close()
