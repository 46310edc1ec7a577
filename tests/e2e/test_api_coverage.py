"""The roles that are written of a run allow this run, and no more."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import kubernetes.client
import kubernetes.config
import pytest
import yaml

from quarterdeck.testing import ControlPlane
from quarterdeck.testing.coverage import CoverageError
from quarterdeck.testing.served import Served
from support import definitions
from support.waiting import PROCESS_PATIENCE_S

pytestmark = pytest.mark.e2e

AGENT = "operator/1"


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with ControlPlane(coverage=True) as running:
        yield running


def connect(plane: ControlPlane, *, user: str = "") -> kubernetes.client.CoreV1Api:
    configuration = kubernetes.client.Configuration()
    kubernetes.config.load_kube_config(str(plane.kubeconfig), client_configuration=configuration)
    client = kubernetes.client.ApiClient(configuration)
    client.user_agent = AGENT if not user else "other"
    if user:
        client.set_default_header("Impersonate-User", user)
    return kubernetes.client.CoreV1Api(client)


def operate(core: kubernetes.client.CoreV1Api, name: str) -> None:
    core.create_namespaced_config_map("default", {"metadata": {"name": name}})
    core.list_config_map_for_all_namespaces()
    core.patch_namespaced_config_map("boat", "default", {"data": {"a": name}})


def test_the_roles_of_a_run_allow_it_and_no_more(plane: ControlPlane) -> None:
    operate(connect(plane), "boat")
    roles = plane.coverage.roles(user_agents=AGENT, subject="bob")
    assert {each["kind"] for each in roles} == {"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}
    bob = connect(plane, user="bob")
    with pytest.raises(kubernetes.client.ApiException, match="forbidden"):
        operate(bob, "other")
    plane.apply(*roles)
    operate(bob, "other")
    for refused in (
        lambda: bob.list_namespaced_secret("default"),
        lambda: bob.delete_namespaced_config_map("boat", "default"),
        lambda: bob.patch_namespaced_config_map("other", "default", {}),
    ):
        with pytest.raises(kubernetes.client.ApiException, match="forbidden"):
            refused()


def test_an_apply_that_makes_its_object_needs_create(plane: ControlPlane) -> None:
    before = _verbs(plane, "secrets")
    path = "/api/v1/namespaces/default/secrets/s?fieldManager=me"
    made = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
    assert plane.call("PATCH", path, made, content_type="application/apply-patch+yaml")[0] == 201
    assert _verbs(plane, "secrets") - before == {"create", "patch"}


def _verbs(plane: ControlPlane, resource: str) -> set[str]:
    callers = plane.coverage.report()["callers"]
    return {each["verb"] for one in callers for each in one["requests"] if each.get("resource") == resource}


def test_the_command_writes_the_report_and_the_roles(plane: ControlPlane) -> None:
    plane.call("GET", "/api/v1/nodes")

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "quarterdeck", "coverage", *arguments, "--kubeconfig", str(plane.kubeconfig)]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S).stdout

    assert "nodes" in run("report")
    roles = list(yaml.safe_load_all(run("roles", "--name", "mine")))
    assert {each["metadata"]["name"] for each in roles} == {"mine"}
    run("reset")
    told = plane.coverage.report()
    assert (told["callers"], told["leftOut"]) == ([], 0)


def test_the_command_tells_what_of_a_definition_was_used(plane: ControlPlane) -> None:
    plane.coverage.reset()
    rule = {"rule": "self.size < 9"}
    spec = {
        "type": "object",
        "properties": {"size": {"type": "integer"}, "colour": {"type": "string"}},
        "x-kubernetes-validations": [rule],
    }
    schema = {"type": "object", "properties": {"spec": spec}}
    plane.apply(definitions.of_things("covered.example.com", definitions.version(schema)))
    things = "/apis/covered.example.com/v1/namespaces/default/things"
    thing = {"apiVersion": "covered.example.com/v1", "kind": "Thing", "metadata": {"name": "one"}}
    plane.apply({**thing, "spec": {"size": 1}})

    def run(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "quarterdeck", "coverage", "report", *arguments]
        command += ["--kubeconfig", str(plane.kubeconfig)]
        ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S)
        return ran.returncode, ran.stdout

    code, told = run("--only=fields", "--only=rules", "--fail-under-fields=67", "--fail-under-rules=1")
    assert code == 3
    for part in ("FIELDS set: 2 of 3 (66 %)", "never set: .spec.colour", "never"):
        assert part in told
    assert "VERBS" not in told
    assert (
        plane.call("PATCH", f"{things}/one", {"spec": {"size": 9}}, content_type="application/merge-patch+json")[0]
        == 422
    )
    code, told = run("--only=rules", "--fail-under-rules=100", "-o", "json")
    assert code == 0
    (counted,) = json.loads(told)["rules"]
    assert (counted["path"], counted["evaluated"], counted["false"]) == (".spec", 2, 1)
    code, told = run("-o", "html")
    assert (code, told[:15]) == (0, "<!DOCTYPE html>")
    assert "things.covered.example.com/v1" in told


def test_nothing_is_noted_where_it_was_not_asked_for() -> None:
    with ControlPlane() as plain, pytest.raises(CoverageError):
        plain.coverage.report()


def test_each_cluster_has_its_own(plane: ControlPlane) -> None:
    path = "/api/v1/namespaces/default/endpoints/one"
    cluster = plane.cluster()
    cluster.call("GET", path)

    def asked_for(served: Served) -> list[tuple[str, list[str]]]:
        told = [each for caller in served.coverage.report()["callers"] for each in caller["requests"]]
        return [(each["verb"], each["names"]) for each in told if each.get("resource") == "endpoints"]

    assert asked_for(cluster) == [("get", ["one"])]
    assert asked_for(plane) == []
    plane.apply(definitions.of_things("own.example.com"))
    named = {
        served.url: [each["definition"] for each in served.coverage.report()["fields"]] for served in (plane, cluster)
    }
    assert "things.own.example.com" in named[plane.url]
    assert named[cluster.url] == []
    cluster.apply(*cluster.coverage.roles(subject="jane"))  # objects like others
