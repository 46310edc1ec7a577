"""The chart: Helm finds nothing wrong with it, a server takes its objects strictly, and knows the flags of its pods."""

from __future__ import annotations

import http.client
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from quarterdeck.cmd import options
from support.helm import IS_INSTALLED, Helm, HelmError
from support.server import Server
from support.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "packaging/helm/quarterdeck"

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not IS_INSTALLED, reason="helm-python-sdk has no wheel for this platform"),
]

Object = dict[str, Any]
VALUES: dict[str, Object] = {
    "embedded": {},
    "memory": {"storage": {"kind": "memory"}, "service": {"type": "NodePort"}, "serviceAccount": {"create": False}},
    "etcd": {
        "storage": {
            "kind": "etcd",
            "etcd": {"servers": ["https://etcd-0:2379", "https://etcd-1:2379"], "secretName": "etcd-client"},
        },
        "replicas": 3,
        "keys": {"secretName": "keys"},
        "tls": {"secretName": "serving"},
        "flags": ["--audit-log-path=-", "--request-timeout=30s"],
        "podLabels": {"team": "blue"},
        "podAnnotations": {"note": "yes"},
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [{"key": "a", "operator": "Exists"}],
        "imagePullSecrets": [{"name": "registry"}],
    },
}
REFUSED: list[Object] = [
    {"replicas": 2},
    {"replicas": 0},
    {"storage": {"kind": "etcd"}},
    {"storage": {"kind": "etcd", "etcd": {"servers": ["https://etcd:2379"]}}, "replicas": 2},
    {"storage": {"kind": "tape"}},
    {"storage": {"embedded": {"size": "much"}}},
    {"flags": ["request-timeout=30s"]},
    {"image": {"repository": ""}},
    {"colour": "red"},
]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def helm(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Helm:
    return Helm(server.kubeconfig, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module", params=VALUES)
def manifests(request: pytest.FixtureRequest, helm: Helm) -> Iterator[tuple[str, list[Object]]]:
    """Of an installed release."""
    release = helm("install", str(CHART), request.param, VALUES[request.param], timeout=120)
    assert release["status"] == "deployed"
    yield request.param, [each for each in yaml.safe_load_all(release["manifest"]) if each]
    helm("uninstall", request.param, timeout=120)


def ask(server: Server, method: str, path: str, value: Object | None = None) -> tuple[int, Object]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    try:
        connection.request(method, path, json.dumps(value), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def place(obj: Object) -> str:
    group = obj["apiVersion"] if "/" in obj["apiVersion"] else ""
    root = f"/apis/{group}" if group else f"/api/{obj['apiVersion']}"
    return f"{root}/namespaces/default/{obj['kind'].lower()}s"


def pod_of(objects: list[Object]) -> Object:
    (found,) = (each for each in objects if each["kind"] in ("StatefulSet", "Deployment"))
    return found["spec"]["template"]["spec"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", VALUES)
def test_helm_finds_nothing_wrong(helm: Helm, kind: str) -> None:
    report = helm("lint", str(CHART), VALUES[kind], strict=True)
    assert report["errors"] == []
    assert [each for each in report["messages"] if each["severity"] > 1] == []


@pytest.mark.parametrize("values", REFUSED, ids=json.dumps)
def test_values_that_make_no_sense_are_refused(helm: Helm, values: Object) -> None:
    with pytest.raises(HelmError, match="values don't meet the specifications of the schema"):
        helm("install", str(CHART), "refused", values, dry_run="client")


def test_a_server_takes_its_objects_strictly(server: Server, manifests: tuple[str, list[Object]]) -> None:
    kind, objects = manifests
    kinds = ["Deployment" if kind != "embedded" else "StatefulSet", "Service"]
    assert sorted(each["kind"] for each in objects) == sorted(
        [*kinds, *(["ServiceAccount"] if kind != "memory" else [])]
    )
    for each in objects:
        assert ask(server, "GET", f"{place(each)}/{each['metadata']['name']}")[0] == 200
        twin = {**each, "metadata": {**each["metadata"], "name": "twin"}}
        code, answer = ask(server, "POST", f"{place(each)}?dryRun=All&fieldValidation=Strict", twin)
        assert code == 201, answer


def test_the_restricted_level_of_pod_security_lets_its_pods_in(
    server: Server, manifests: tuple[str, list[Object]]
) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": manifests[0], "labels": labels}}
    assert ask(server, "POST", "/api/v1/namespaces", namespace)[0] == 201
    spec = {**pod_of(manifests[1]), "serviceAccountName": "default"}
    if manifests[0] == "embedded":
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data-embedded-quarterdeck-0"}}]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}
    code, answer = ask(server, "POST", f"/api/v1/namespaces/{manifests[0]}/pods?dryRun=All", pod)
    assert code == 201, answer


def test_the_server_knows_its_flags_and_paths(server: Server, manifests: tuple[str, list[Object]]) -> None:
    spec = pod_of(manifests[1])
    (container,) = spec["containers"]
    arguments = [each.replace("$(POD_IP)", "10.0.0.9") for each in container["args"]]
    parsed, ignored = options.parse(arguments)
    assert ignored == []
    config = options.build_config(parsed)
    assert config.secure_port == container["ports"][0]["containerPort"]
    assert config.is_ephemeral == (manifests[0] == "memory")
    assert (config.etcd is not None) == (manifests[0] == "etcd")
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    named = {each.partition("=")[2] for each in arguments if "=/" in each}
    assert {str(Path(path).parent) for path in named - {str(config.data_dir)}} <= set(mounts)
    assert mounts[str(config.data_dir)] == "data"
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
        connection.request("GET", container[probe]["httpGet"]["path"])
        assert connection.getresponse().status in (200, 500)
        connection.close()


def test_names_of_a_release_lead_from_the_service_to_the_pods(manifests: tuple[str, list[Object]]) -> None:
    by_kind = {each["kind"]: each for each in manifests[1]}
    workload = by_kind.get("StatefulSet") or by_kind["Deployment"]
    labels = workload["spec"]["template"]["metadata"]["labels"]
    assert by_kind["Service"]["spec"]["selector"].items() <= labels.items()
    assert workload["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert workload["spec"].get("serviceName", by_kind["Service"]["metadata"]["name"]) == workload["metadata"]["name"]


def test_the_version_is_that_of_the_package() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
