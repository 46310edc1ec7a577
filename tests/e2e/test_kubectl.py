"""Real kubectl against a real server, as a user would: real definitions, their objects, every day's verbs."""

from __future__ import annotations

import gzip
import json
import select
from collections.abc import Iterator
from typing import Any

import pytest

from support import data
from support.kubectl import Kubectl
from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

PROJECTS = ("cert-manager", "gateway-api", "prometheus-operator")

WIDGETS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    schema:
      openAPIV3Schema:
        type: object
        description: A widget.
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [size]
            properties:
              size: {type: integer, minimum: 1, description: How large.}
              color: {type: string, default: red}
"""

WIDGET = """
apiVersion: example.com/v1
kind: Widget
metadata: {name: one, namespace: shop, labels: {app: a}}
spec: {size: 3}
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def kubectl(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    command = Kubectl(server.kubeconfig, tmp_path_factory.mktemp("home"))
    command("create", "namespace", "shop")
    command("apply", "-f", "-", stdin=WIDGETS)
    command.await_established("crd/widgets.example.com")
    command("apply", "-f", "-", stdin=WIDGET)
    return command


def _load(project: str, name: str) -> list[dict[str, Any]]:
    corpus = data.find("corpus")
    if corpus is None:
        pytest.skip("the corpus of real definitions is not here")
    return json.loads(gzip.decompress((corpus / project / f"{name}.json.gz").read_bytes()))


def test_version_and_resources_are_shown(kubectl: Kubectl) -> None:
    assert "v1.36.0+quarterdeck" in kubectl("version")
    assert "example.com/v1" in kubectl("api-resources", "--api-group=example.com")
    assert "example.com/v1" in kubectl("api-versions")


def test_get_prints_the_columns_of_the_definition(kubectl: Kubectl) -> None:
    lines = kubectl("get", "wd", "-n", "shop").splitlines()
    assert lines[0].split() == ["NAME", "SIZE"]
    assert lines[1].split() == ["one", "3"]
    assert "color: red" in kubectl("get", "widget", "one", "-n", "shop", "-o", "yaml")
    assert kubectl("get", "widgets", "-A", "-l", "app=a", "-o", "name").strip() == "widget.example.com/one"


def test_explain_shows_the_schema(kubectl: Kubectl) -> None:
    text = kubectl("explain", "widgets.spec")
    assert "What is wanted." in text
    assert "size" in text
    assert "-required-" in text


def test_apply_refuses_what_the_schema_refuses(kubectl: Kubectl) -> None:
    error = kubectl("apply", "-f", "-", stdin=WIDGET.replace("size: 3", "size: 0"), code=1)
    assert "spec.size in body should be greater than or equal to 1" in error
    error = kubectl("apply", "-f", "-", stdin=WIDGET.replace("size: 3", "size: 3, sise: 4"), code=1)
    assert 'unknown field "spec.sise"' in error


def test_objects_are_changed_by_every_kind_of_patch(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=WIDGET.replace("name: one", "name: two"))
    kubectl("apply", "-f", "-", stdin=WIDGET.replace("name: one", "name: two").replace("size: 3", "size: 4"))
    kubectl("patch", "widget", "two", "-n", "shop", "--type=merge", "-p", '{"spec":{"color":"blue"}}')
    operation = '[{"op":"replace","path":"/spec/size","value":5}]'
    kubectl("patch", "widget", "two", "-n", "shop", "--type=json", "-p", operation)
    kubectl("label", "widget", "two", "-n", "shop", "tier=gold")
    kubectl("annotate", "widget", "two", "-n", "shop", "note=kept")
    shown = json.loads(kubectl("get", "widget", "two", "-n", "shop", "-o", "json"))
    assert shown["spec"] == {"size": 5, "color": "blue"}
    assert shown["metadata"]["labels"]["tier"] == "gold"
    assert shown["metadata"]["annotations"]["note"] == "kept"
    kubectl("delete", "widget", "two", "-n", "shop", "--timeout=100s")
    assert "NotFound" in kubectl("get", "widget", "two", "-n", "shop", code=1)


def test_watch_shows_what_happens(kubectl: Kubectl) -> None:
    watching = kubectl.start("get", "widgets", "-n", "shop", "--watch-only", "-o", "name")
    try:
        # The watch begins some time after the process: write until it is seen.
        assert watching.stdout is not None
        attempt = 0
        while not select.select([watching.stdout], [], [], 0)[0]:
            kubectl("label", "widget", "one", "-n", "shop", f"attempt=a{attempt}", "--overwrite")
            attempt += 1
        assert watching.stdout.readline().strip() == "widget.example.com/one"
    finally:
        watching.kill()
        watching.wait()


def test_wait_follows_an_object_to_its_end(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=WIDGET.replace("name: one", "name: three"))
    kubectl("wait", "--for=jsonpath={.spec.size}=3", "widget/three", "-n", "shop", "--timeout=100s")
    waiting = kubectl.start("wait", "--for=delete", "widget/three", "-n", "shop", "--timeout=100s")
    kubectl("delete", "widget", "three", "-n", "shop", "--wait=false")
    assert waiting.wait(timeout=PATIENCE_S) == 0


def test_core_types_are_created_by_protobuf(kubectl: Kubectl) -> None:
    kubectl("create", "configmap", "settings", "-n", "shop", "--from-literal=a=b")
    kubectl("create", "secret", "generic", "key", "-n", "shop", "--from-literal=p=w")
    kubectl("create", "serviceaccount", "robot", "-n", "shop")
    assert json.loads(kubectl("get", "cm", "settings", "-n", "shop", "-o", "json"))["data"] == {"a": "b"}
    assert json.loads(kubectl("get", "secret", "key", "-n", "shop", "-o", "json"))["data"] == {"p": "dw=="}
    assert kubectl("get", "events", "-n", "shop") == ""


def test_a_go_client_reads_a_watch_in_protobuf(kubectl: Kubectl) -> None:
    """`kubectl events` is a typed client: it asks for protobuf first."""
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "told", "namespace": "shop"},
        "involvedObject": {"apiVersion": "example.com/v1", "kind": "Widget", "name": "one", "namespace": "shop"},
        "reason": "Painted",
        "message": "in red",
        "type": "Normal",
        "lastTimestamp": "2026-01-02T03:04:05Z",
    }
    kubectl("create", "-f", "-", stdin=json.dumps(event))
    watching = kubectl.start("events", "-n", "shop", "--watch")
    try:
        assert watching.stdout is not None
        assert "MESSAGE" in watching.stdout.readline()
        assert "Painted" in watching.stdout.readline()
        kubectl("create", "-f", "-", stdin=json.dumps(event).replace("told", "later").replace("red", "green"))
        assert "in green" in watching.stdout.readline()
    finally:
        watching.kill()
        watching.wait()
        kubectl("delete", "events", "--all", "-n", "shop")


def test_deleting_a_namespace_deletes_what_is_in_it(kubectl: Kubectl) -> None:
    kubectl("create", "namespace", "brief")
    kubectl("apply", "-f", "-", stdin=WIDGET.replace("namespace: shop", "namespace: brief"))
    kubectl("delete", "namespace", "brief", "--timeout=100s")
    assert "NotFound" in kubectl("get", "namespace", "brief", code=1)
    assert "No resources found" in kubectl.run("get", "widgets", "-n", "brief").err


@pytest.mark.parametrize("project", PROJECTS)
def test_real_definitions_are_installed_and_used(kubectl: Kubectl, project: str) -> None:
    definitions = _load(project, "crds")
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": definitions})
    kubectl("apply", "--server-side", "-f", "-", stdin=listed)
    names = [f"crd/{definition['metadata']['name']}" for definition in definitions]
    kubectl.await_established(*names)
    kubectl("create", "namespace", "corpus") if "corpus" not in kubectl("get", "namespaces", "-o", "name") else None
    for definition in definitions[:3]:
        resource = f"{definition['spec']['names']['plural']}.{definition['spec']['group']}"
        assert definition["spec"]["names"]["kind"] in kubectl("explain", resource)
    accepted = [entry for entry in _load(project, "objects") if entry["op"] == "example" and entry["code"] == 201]
    created: set[tuple[str, str, str]] = set()
    for entry in accepted[:10]:
        obj = entry["request"]
        key = (obj["apiVersion"], obj["kind"], obj["metadata"].get("name", ""))
        if key in created or not key[2]:
            continue
        created.add(key)
        kubectl("create", "--validate=warn", "-f", "-", stdin=json.dumps(obj))
        kubectl("apply", "--validate=warn", "-f", "-", stdin=json.dumps(obj))
        shown = json.loads(kubectl("get", "-f", "-", "-o", "json", stdin=json.dumps(obj)))
        one = shown["items"][0] if shown["kind"] == "List" else shown
        assert one["metadata"]["name"] == obj["metadata"]["name"]
        kubectl("delete", "-f", "-", "--timeout=100s", stdin=json.dumps(obj))
    assert created


def test_explain_tells_of_the_fields_of_built_in_kinds(kubectl: Kubectl) -> None:
    for path in (
        "pod.spec.containers",
        "deployment.spec.strategy",
        "hpa.spec.metrics",
        "validatingadmissionpolicy.spec",
    ):
        text = kubectl("explain", path)
        assert "<empty>" not in text, path
        assert "<no description>" not in text, path
    assert "in place of the image's entrypoint" in kubectl("explain", "pod.spec.containers.command")
