"""Helm 4 against a real server: a chart with a definition and its object from its installation to its end."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.helm import IS_INSTALLED, Helm, HelmError
from support.server import Server

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(180),
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
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=10)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def gadget(server: Server, name: str) -> tuple[int, Any]:
    return get(server, f"/apis/helm.example.com/v1/namespaces/default/gadgets/{name}")


def test_a_chart_with_definitions_lives_its_life(server: Server, helm: Helm, charts: list[str]) -> None:
    release = helm("install", charts[0], "r", wait="watcher", timeout=30)
    assert (release["status"], release["revision"]) == ("deployed", 1)
    code, obj = gadget(server, "r")
    assert (code, obj["spec"]) == (200, {"color": "red", "parts": [{"name": "wheel", "size": 1}]})
    assert [entry["operation"] for entry in obj["metadata"]["managedFields"]] == ["Apply"]
    assert get(server, "/api/v1/namespaces/default/secrets/sh.helm.release.v1.r.v1")[1]["type"] == "helm.sh/release.v1"

    release = helm("upgrade", charts[1], "r", {"color": "green"}, wait="watcher", timeout=30)
    assert (release["status"], release["revision"]) == ("deployed", 2)
    assert gadget(server, "r")[1]["spec"] == {"color": "green", "parts": [{"name": "wheel", "size": 2}]}
    assert get(server, "/api/v1/namespaces/default/configmaps/r-settings")[0] == 404
    assert [(one["revision"], one["status"]) for one in helm("history", "r")] == [(1, "superseded"), (2, "deployed")]

    helm("rollback", "r", version=1, wait="watcher", timeout=30)
    assert gadget(server, "r")[1]["spec"] == {"color": "red", "parts": [{"name": "wheel", "size": 1}]}
    assert get(server, "/api/v1/namespaces/default/configmaps/r-settings")[0] == 200
    assert [one["name"] for one in helm("list")] == ["r"]

    helm("uninstall", "r", wait="watcher", timeout=30)
    assert gadget(server, "r")[0] == 404
    assert helm("list") == []
    # Helm leaves definitions, whose objects may be others'.
    assert get(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.helm.example.com")[0] == 200


def test_what_the_schema_refuses_fails_the_release(server: Server, helm: Helm, charts: list[str]) -> None:
    with pytest.raises(HelmError, match="Unsupported value"):
        helm("install", charts[0], "bad", {"color": "blue"}, wait="watcher", timeout=30)
    assert gadget(server, "bad")[0] == 404


def test_a_dry_run_on_the_server_leaves_nothing(server: Server, helm: Helm, charts: list[str]) -> None:
    release = helm("install", charts[0], "dry", dry_run="server")
    assert "kind: Gadget" in release["manifest"]
    assert gadget(server, "dry")[0] == 404
