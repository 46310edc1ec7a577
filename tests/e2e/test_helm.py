"""Helm 4 against a real server: a chart with a definition and its object from its installation to its end."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.helm import IS_INSTALLED, Helm, HelmError
from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not IS_INSTALLED, reason="helm-python-sdk has no wheel for this platform"),
]

CHART = """
apiVersion: v2
name: gadgets
version: {version}
"""
VALUES = "color: red\n"
DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.helm.example.com}
spec:
  group: helm.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string, enum: [red, green]}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, size: {type: integer}}
"""
GADGET = """
apiVersion: helm.example.com/v1
kind: Gadget
metadata:
  name: {{ .Release.Name }}
spec:
  color: {{ .Values.color }}
  parts: [{name: wheel, size: {{ .Release.Revision }}}]
"""
SETTINGS = """
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
data: {color: {{ .Values.color }}}
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def helm(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Helm:
    return Helm(server.kubeconfig, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two versions; the later one has no settings any more."""
    made = []
    for version in ("1.0.0", "2.0.0"):
        chart = tmp_path_factory.mktemp(version) / "gadgets"
        (chart / "templates").mkdir(parents=True)
        (chart / "crds").mkdir()
        (chart / "Chart.yaml").write_text(CHART.format(version=version))
        (chart / "values.yaml").write_text(VALUES)
        (chart / "crds" / "gadgets.yaml").write_text(DEFINITION)
        (chart / "templates" / "gadget.yaml").write_text(GADGET)
        if version == "1.0.0":
            (chart / "templates" / "settings.yaml").write_text(SETTINGS)
        made.append(str(chart))
    return made


def get(server: Server, path: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def gadget(server: Server, name: str) -> tuple[int, Any]:
    return get(server, f"/apis/helm.example.com/v1/namespaces/default/gadgets/{name}")


def test_a_chart_with_definitions_lives_its_life(server: Server, helm: Helm, charts: list[str]) -> None:
    release = helm("install", charts[0], "r", wait="watcher", timeout=120)
    assert (release["status"], release["revision"]) == ("deployed", 1)
    code, obj = gadget(server, "r")
    assert (code, obj["spec"]) == (200, {"color": "red", "parts": [{"name": "wheel", "size": 1}]})
    assert [entry["operation"] for entry in obj["metadata"]["managedFields"]] == ["Apply"]
    assert get(server, "/api/v1/namespaces/default/secrets/sh.helm.release.v1.r.v1")[1]["type"] == "helm.sh/release.v1"

    release = helm("upgrade", charts[1], "r", {"color": "green"}, wait="watcher", timeout=120)
    assert (release["status"], release["revision"]) == ("deployed", 2)
    assert gadget(server, "r")[1]["spec"] == {"color": "green", "parts": [{"name": "wheel", "size": 2}]}
    assert get(server, "/api/v1/namespaces/default/configmaps/r-settings")[0] == 404
    assert [(one["revision"], one["status"]) for one in helm("history", "r")] == [(1, "superseded"), (2, "deployed")]

    helm("rollback", "r", version=1, wait="watcher", timeout=120)
    assert gadget(server, "r")[1]["spec"] == {"color": "red", "parts": [{"name": "wheel", "size": 1}]}
    assert get(server, "/api/v1/namespaces/default/configmaps/r-settings")[0] == 200
    assert [one["name"] for one in helm("list")] == ["r"]

    helm("uninstall", "r", wait="watcher", timeout=120)
    assert gadget(server, "r")[0] == 404
    assert helm("list") == []
    # Helm leaves definitions, whose objects may be others'.
    assert get(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.helm.example.com")[0] == 200


def test_what_the_schema_refuses_fails_the_release(server: Server, helm: Helm, charts: list[str]) -> None:
    with pytest.raises(HelmError, match="Unsupported value"):
        helm("install", charts[0], "bad", {"color": "blue"}, wait="watcher", timeout=120)
    assert gadget(server, "bad")[0] == 404


def test_a_dry_run_on_the_server_leaves_nothing(server: Server, helm: Helm, charts: list[str]) -> None:
    release = helm("install", charts[0], "dry", dry_run="server")
    assert "kind: Gadget" in release["manifest"]
    assert gadget(server, "dry")[0] == 404


WORKLOADS = """
apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .Release.Name }}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: {{ .Release.Name }}}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: {{ .Release.Name }}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .Release.Name }}}
subjects: [{kind: ServiceAccount, name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      serviceAccountName: {{ .Release.Name }}
      containers: [{name: web, image: nginx, ports: [{containerPort: 80, name: http}]}]
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: 80, targetPort: http}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: {{ .Release.Name }}}
spec:
  rules:
  - host: {{ .Values.host }}
    http:
      paths:
      - {path: /, pathType: Prefix, backend: {service: {name: {{ .Release.Name }}, port: {number: 80}}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: {{ .Release.Name }}}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: {{ .Release.Name }}}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: {{ .Release.Name }}}
spec:
  maxReplicas: 9
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: {{ .Release.Name }}}
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: {{ .Release.Name }}-{{ .Release.Revision }}}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: migrate, image: busybox}]}
"""


@pytest.fixture(scope="module")
def workloads(tmp_path_factory: pytest.TempPathFactory) -> str:
    chart = tmp_path_factory.mktemp("workloads") / "web"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 1.0.0\n")
    (chart / "values.yaml").write_text("replicas: 2\nhost: one.example.com\n")
    (chart / "templates" / "all.yaml").write_text(WORKLOADS)
    return str(chart)


PLACES = {
    "deployment": "/apis/apps/v1/namespaces/default/deployments/web",
    "ingress": "/apis/networking.k8s.io/v1/namespaces/default/ingresses/web",
    "budget": "/apis/policy/v1/namespaces/default/poddisruptionbudgets/web",
    "autoscaler": "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web",
    "binding": "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/web",
}


def test_a_chart_of_workloads_lives_its_life(server: Server, helm: Helm, workloads: str) -> None:
    helm("install", workloads, "web", timeout=120)
    assert {name: get(server, path)[0] for name, path in PLACES.items()} == dict.fromkeys(PLACES, 200)
    address = get(server, "/api/v1/namespaces/default/services/web")[1]["spec"]["clusterIP"]

    helm("upgrade", workloads, "web", {"replicas": 3, "host": "two.example.com"}, timeout=120)
    assert get(server, PLACES["deployment"])[1]["spec"]["replicas"] == 3
    assert get(server, PLACES["ingress"])[1]["spec"]["rules"][0]["host"] == "two.example.com"
    assert get(server, "/apis/batch/v1/namespaces/default/jobs/web-2")[0] == 200
    assert get(server, "/api/v1/namespaces/default/services/web")[1]["spec"]["clusterIP"] == address

    helm("rollback", "web", version=1, timeout=120)
    assert get(server, PLACES["deployment"])[1]["spec"]["replicas"] == 2
    assert get(server, PLACES["ingress"])[1]["spec"]["rules"][0]["host"] == "one.example.com"

    helm("uninstall", "web", timeout=120)
    assert {name: get(server, path)[0] for name, path in PLACES.items()} == dict.fromkeys(PLACES, 404)
