"""Pods, services and deployments are data here: kubectl creates, patches, scales and deletes them as any others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.kubectl import Kubectl
from support.server import Server

pytestmark = pytest.mark.e2e

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.2", ports: [{containerPort: 80}]}
"""


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with Server() as server:
        yield Kubectl(server.kubeconfig, tmp_path_factory.mktemp("home"))


def shown(kubectl: Kubectl, *what: str) -> Any:
    return json.loads(kubectl("get", *what, "-o", "json"))


def test_a_deployment_is_applied_patched_and_scaled(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=DEPLOYMENT)
    sidecar = '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side"}]}}}}'
    kubectl("patch", "deployment", "web", "-p", sidecar)
    kubectl("set", "image", "deployment/web", "web=nginx:1.3")
    kubectl("set", "env", "deployment/web", "-c", "web", "COLOR=red")
    kubectl("scale", "deployment", "web", "--replicas=3")
    spec = shown(kubectl, "deployment", "web")["spec"]
    assert spec["replicas"] == 3
    images = {container["name"]: container["image"] for container in spec["template"]["spec"]["containers"]}
    assert images == {"web": "nginx:1.3", "side": "side"}
    # What was not applied is not taken away by the next apply; what was is.
    kubectl("apply", "-f", "-", stdin=DEPLOYMENT.replace("ports: [{containerPort: 80}]", "command: [run]"))
    containers = {
        one["name"]: one for one in shown(kubectl, "deployment", "web")["spec"]["template"]["spec"]["containers"]
    }
    assert containers.keys() == {"web", "side"}
    assert "ports" not in containers["web"]
    assert containers["web"]["env"] == [{"name": "COLOR", "value": "red"}]
    kubectl("set", "image", "deployment/web", "web=nginx:1.4")
    error = kubectl("apply", "--server-side", "-f", "-", stdin=DEPLOYMENT.replace("1.2", "1.9"), code=1)
    assert '.spec.template.spec.containers[name="web"].image' in error
    kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=DEPLOYMENT.replace("1.2", "1.9"))
    kubectl("rollout", "pause", "deployment/web")
    assert shown(kubectl, "deployment", "web")["spec"]["paused"] is True
    kubectl("delete", "deployment", "web", "--timeout=100s")


def test_a_pod_waits_for_its_node_only_where_it_has_one(kubectl: Kubectl) -> None:
    kubectl("run", "free", "--image=nginx")
    assert shown(kubectl, "pod", "free")["status"]["phase"] == "Pending"
    kubectl("delete", "pod", "free", "--timeout=100s")
    kubectl("run", "bound", "--image=nginx", "--overrides", '{"spec":{"nodeName":"n1"}}')
    kubectl("delete", "pod", "bound", "--wait=false")
    assert shown(kubectl, "pod", "bound")["metadata"]["deletionGracePeriodSeconds"] == 30
    kubectl("delete", "pod", "bound", "--force", "--grace-period=0")
    assert "NotFound" in kubectl("get", "pod", "bound", code=1)


def test_a_service_is_exposed_and_explained(kubectl: Kubectl) -> None:
    kubectl("create", "service", "clusterip", "web", "--tcp=80:8080", "--clusterip=None")
    (port,) = shown(kubectl, "service", "web")["spec"]["ports"]
    assert (port["port"], port["targetPort"], port["protocol"]) == (80, 8080, "TCP")
    assert "sessionAffinity" in kubectl("explain", "service.spec")
    assert "containers" in kubectl("explain", "deployment.spec.template.spec")
    kubectl("delete", "service", "web")


def test_tables_show_what_kubectl_users_know(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "shown", "--image=nginx:2", "--replicas=3")
    lines = kubectl("get", "deploy", "shown", "-o", "wide").splitlines()
    assert lines[0].split() == [
        "NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"
    ]  # fmt: skip
    assert lines[1].split()[:2] == ["shown", "0/3"]
    assert lines[1].split()[-3:] == ["nginx", "nginx:2", "app=shown"]
    kubectl("run", "lonely", "--image=busybox")
    assert kubectl("get", "pods", "lonely").splitlines()[1].split()[:4] == ["lonely", "0/1", "Pending", "0"]


def test_services_get_addresses_of_their_own(kubectl: Kubectl) -> None:
    for name in ("first", "second"):
        kubectl("create", "service", "nodeport", name, "--tcp=80")
    first, second = (shown(kubectl, "service", name)["spec"] for name in ("first", "second"))
    assert first["clusterIP"].startswith("10.0.0.")
    assert first["clusterIP"] != second["clusterIP"]
    assert first["ports"][0]["nodePort"] != second["ports"][0]["nodePort"]
    assert f"80:{first['ports'][0]['nodePort']}/TCP" in kubectl("get", "service", "first")
