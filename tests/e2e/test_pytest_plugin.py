"""The fixtures that tests of others use, in a pytest of their own, as they would."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quarterdeck.testing import ControlPlane
from quarterdeck.testing.manifests import ManifestError, load

pytestmark = pytest.mark.e2e

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "boats.plugin.example.com"},
    "spec": {
        "group": "plugin.example.com",
        "scope": "Namespaced",
        "names": {"plural": "boats", "singular": "boat", "kind": "Boat"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
BOAT = {"apiVersion": "plugin.example.com/v1", "kind": "Boat", "metadata": {"name": "one"}, "spec": {"size": 1}}
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "1"}}
MAPS = "/api/v1/namespaces/default/configmaps"
BOATS = "/apis/plugin.example.com/v1/namespaces/default/boats"

INI = """
[pytest]
addopts = -q -p no:cacheprovider
quarterdeck_flags = --request-timeout=33s
quarterdeck_apply = manifests/*.json
"""

CLIENTS = '''
import asyncio, subprocess, sys

BOATS = "/apis/plugin.example.com/v1/namespaces/default/boats"

def test_what_the_configuration_names_is_there(cluster, control_plane):
    for plane in (cluster, control_plane):
        assert plane.call("GET", BOATS + "/one")[1]["spec"] == {"size": 1}
    assert control_plane.url != cluster.url

def test_kubernetes(kubernetes_client):
    import kubernetes.client
    found = kubernetes.client.CoreV1Api(kubernetes_client).list_namespace()
    assert "default" in [each.metadata.name for each in found.items]

def test_kubernetes_asyncio(kubernetes_asyncio_client):
    import kubernetes_asyncio.client
    async def ask():
        async with kubernetes_asyncio_client() as api:
            return await kubernetes_asyncio.client.CustomObjectsApi(api).list_namespaced_custom_object(
                "plugin.example.com", "v1", "default", "boats")
    assert len(asyncio.run(ask())["items"]) == 1

def test_lightkube(lightkube_client):
    from lightkube.resources.core_v1 import ConfigMap
    made = lightkube_client.create(ConfigMap.from_dict({"metadata": {"name": "light", "namespace": "default"}}))
    assert made.metadata.uid

def test_kr8s(kr8s_api):
    from kr8s.objects import ConfigMap
    ConfigMap({"metadata": {"name": "kr8s", "namespace": "default"}}, api=kr8s_api).create()
    assert [each.name for each in kr8s_api.get("configmaps", "kr8s", namespace="default")] == ["kr8s"]

OPERATOR = """
import kopf
@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False
@kopf.on.create("plugin.example.com", "v1", "boats")
def float(patch, **_):
    patch.status["floats"] = True
"""

def test_kopf(kopf_runner, cluster, tmp_path):
    import time
    operator = tmp_path / "operator.py"
    operator.write_text(OPERATOR)
    with kopf_runner("run", "-A", "--standalone", str(operator)) as runner:
        end = time.monotonic() + 60
        while not cluster.call("GET", BOATS + "/one")[1].get("status", {}).get("floats"):
            assert time.monotonic() < end
            time.sleep(0.02)
    assert runner.exit_code == 0
'''

ISOLATED = """
import pytest

MAPS = "/api/v1/namespaces/default/configmaps"

@pytest.mark.parametrize("number", range(4))
def test_each_has_a_cluster_of_its_own(cluster, number):
    assert cluster.call("POST", MAPS, {"metadata": {"name": "mine"}})[0] == 201

@pytest.mark.quarterdeck({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}})
@pytest.mark.quarterdeck({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}}, namespace="n")
def test_markers_say_what_it_holds(cluster, kubeconfig):
    assert cluster.call("GET", "/api/v1/namespaces/n/configmaps/m")[0] == 200
    assert kubeconfig == cluster.kubeconfig
"""

FAILING = """
def test_fails(cluster):
    cluster.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": "hidden"}})
    event = {"metadata": {"name": "e"}, "involvedObject": {"kind": "Boat", "namespace": "default", "name": "one"},
        "reason": "Sunk", "message": "it was heavy", "type": "Warning"}
    assert cluster.call("POST", "/api/v1/namespaces/default/events", event)[0] == 201
    assert cluster.call("GET", "/api/v1/nothing")[0] == 404
    assert False, "as told"
"""


def run(folder: Path, source: str, *arguments: str) -> tuple[int, str]:
    (folder / "pytest.ini").write_text(INI)
    (folder / "manifests").mkdir()
    (folder / "manifests" / "boats.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [BOAT, DEFINITION]})
    )
    (folder / "test_theirs.py").write_text(source)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_clients_are_ready(tmp_path: Path) -> None:
    code, text = run(tmp_path, CLIENTS)
    assert code == 0, text
    assert "6 passed" in text


def test_clusters_know_nothing_of_each_other(tmp_path: Path) -> None:
    code, text = run(tmp_path, ISOLATED, "-n", "2")
    assert code == 0, text
    assert "5 passed" in text


def test_a_failure_is_told_with_what_the_cluster_knows(tmp_path: Path) -> None:
    code, text = run(tmp_path, FAILING)
    assert code == 1
    assert "as told" in text
    objects, events, requests = (
        re.search(rf"-+ quarterdeck: {title} -+\n(.*?)(?=\n-+ |\n=+ )", text, re.DOTALL)
        for title in ("objects", "events", "last requests")
    )
    assert objects is not None
    assert events is not None
    assert requests is not None
    assert "kind: Boat\nmetadata:\n" in objects[1]
    assert "kind: Secret" in objects[1]
    assert "hidden" not in text.replace(FAILING.splitlines()[2], "")
    assert "aGlkZGVu" not in text
    assert events[1] == "Warning Sunk Boat default/one: it was heavy"
    assert "create /api/v1/namespaces/default/events 201" in requests[1]
    assert "list /api/v1/nothing 404" in requests[1]


def test_nothing_is_loaded_before_a_fixture_is_used() -> None:
    source = "import sys, pytest; before = set(sys.modules); import quarterdeck.testing.plugin; "
    source += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["quarterdeck", "quarterdeck.testing", "quarterdeck.testing.plugin"]


def test_a_server_ends_with_its_owner() -> None:
    source = "import time; from quarterdeck.testing import ControlPlane; plane = ControlPlane(); plane.begin(); "
    source += "plane.wait(); print(plane._process.pid, flush=True); time.sleep(600)"
    owner = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    server = int(owner.stdout.readline())
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    end = time.monotonic() + 60
    while Path(f"/proc/{server}").exists() and "Z" not in Path(f"/proc/{server}/stat").read_text().split(")")[1]:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_context_manager_does_the_same(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.yaml").write_text(json.dumps(BOAT))
    (tmp_path / "b.json").write_text(json.dumps(DEFINITION))
    (tmp_path / "notes.txt").write_text("no object")
    with ControlPlane() as plane:
        applied = plane.apply(tmp_path, MAP)
        assert [each["kind"] for each in applied] == ["CustomResourceDefinition", "Boat", "ConfigMap"]
        assert plane.call("GET", f"{BOATS}/one")[1]["metadata"]["uid"] == applied[1]["metadata"]["uid"]
        assert plane.apply({**MAP, "data": {"a": "2"}})[0]["data"] == {"a": "2"}
        titles = [title for title, _ in plane.describe()]
        assert titles == ["objects", "events", "last requests"]
        for source, told in (
            ({**MAP, "kind": "Nothing"}, "Nothing m: the server has no such kind in v1"),
            ({**MAP, "metadata": {}}, "ConfigMap : an object without a name cannot be applied"),
            ({**MAP, "data": 5}, "ConfigMap m: failed to create typed patch object"),
            (tmp_path / "none", f"{tmp_path}/none: no such file, and nothing that it matches"),
        ):
            with pytest.raises(ManifestError, match=re.escape(told)):
                plane.apply(source)
        folder = plane.kubeconfig.parent
    assert not folder.exists()
    with pytest.raises(RuntimeError, match="not running"):
        plane.log()
    plane.stop()


def test_a_wrong_flag_is_told() -> None:
    with pytest.raises(RuntimeError, match="--nothing"), ControlPlane("--nothing"):
        pass


def test_files_that_hold_no_objects_are_told_of(tmp_path: Path) -> None:
    for name, content, told in (
        ("a.yaml", "a: [", "a.yaml: while parsing"),
        ("b.yaml", "a: 1", "b.yaml: an object without apiVersion and kind"),
        ("c.json", "[]", "c.json: an object without apiVersion and kind"),
        ("d.yaml", "{apiVersion: 1, kind: 2}", "d.yaml: an object without apiVersion and kind"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(ManifestError, match=re.escape(told)):
            load([tmp_path / name])
    (tmp_path / "d.yaml").write_text("---\n---\n# nothing\n")
    assert load([tmp_path / "d.yaml"]) == []
