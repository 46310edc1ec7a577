"""`quarterdeck assets` in the hands of envtest, as its releases start, poll and stop their processes."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.envtest import ControlPlane, Process
from support.ports import free_port
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("cache")
    command = [sys.executable, "-m", "quarterdeck", "assets", "-p", "path"]
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)}
    told = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout for _ in "12"]
    assert told[0] == told[1]
    command[-1] = "env"
    line = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert line == f"export KUBEBUILDER_ASSETS={told[0]}"
    return Path(told[0].strip())


@pytest.fixture(params=[True, False], ids=["group", "process"])
def plane(request: pytest.FixtureRequest, assets: Path) -> Iterator[ControlPlane]:
    plane = ControlPlane(assets, signals_group=request.param, more={"max-requests-inflight": ["100"]})
    plane.start()
    yield plane
    assert plane.stop() == (0, -signal.SIGTERM)


def test_envtest_starts_it_uses_it_and_stops_it(plane: ControlPlane) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "made"}}
    made = json.loads(plane.call("POST", "/api/v1/namespaces", json.dumps(namespace).encode()))
    assert made["status"]["phase"] == "Active"
    token = plane.call(
        "POST",
        "/api/v1/namespaces/default/serviceaccounts",
        json.dumps({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}).encode(),
    )
    assert json.loads(token)["metadata"]["name"] == "robot"
    review = plane.call("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", b'{"spec": {}}')
    assert json.loads(review)["status"]["token"]


@pytest.mark.parametrize(
    ("name", "flag", "has_it"), [("kube-apiserver", "insecure-port", False), ("etcd", "unsafe-no-fsync", True)]
)
def test_its_help_has_the_flags_that_envtest_looks_for(assets: Path, name: str, flag: str, has_it: bool) -> None:
    assert Process(assets / name, "", signals_group=False).has_flag(flag) is has_it


def test_both_end_with_the_process_that_started_them(assets: Path) -> None:
    code = """
import subprocess, sys, time
assets, port = sys.argv[1:]
server = subprocess.Popen([assets + "/kube-apiserver", "--secure-port=" + port], stdout=subprocess.PIPE, text=True)
etcd = subprocess.Popen([assets + "/etcd", "--listen-client-urls=http://127.0.0.1:0"])
server.stdout.readline()
print(server.pid, etcd.pid, flush=True)
time.sleep(600)
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(assets), str(free_port())], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    handles = [os.pidfd_open(int(word)) for word in parent.stdout.readline().split()]
    assert len(handles) == 2
    parent.kill()
    parent.wait()
    for handle in handles:
        wait_until_ended(handle)
    parent.stdout.close()


def wait_until_ended(handle: int) -> None:
    assert select.select([handle], [], [], 30)[0], "it still runs"
    os.close(handle)


def test_flags_of_etcd_are_taken_with_values_as_words_of_their_own(assets: Path) -> None:
    command = [
        assets / "kube-apiserver",
        "--etcd-servers",
        "http://127.0.0.1:1",
        "--storage-backend=etcd3",
        "--secure-port",
        "0",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "is ready" in process.stdout.readline()
    process.terminate()
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "ignored" not in errors


def test_flags_of_the_folder_come_before_those_of_who_starts_it(assets: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "quarterdeck", "assets"]
    flags = ["--runtime-config=batch/v1=false", "--service-cluster-ip-range", "10.9.0.0/24"]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    told = subprocess.run([*command, "--", *flags], env=environment, capture_output=True, text=True, check=True).stdout
    folder = Path(told.strip())
    assert folder.name != assets.name
    plane = ControlPlane(folder, signals_group=False)
    plane.start()
    try:
        assert "batch" not in {group["name"] for group in json.loads(plane.call("GET", "/apis"))["groups"]}
        service = json.loads(plane.call("GET", "/api/v1/namespaces/default/services/kubernetes"))
        assert service["spec"]["clusterIP"] == "10.0.0.1"
    finally:
        plane.stop()


def test_kubectl_is_there(assets: Path) -> None:
    done = subprocess.run([assets / "kubectl", "version", "--client"], capture_output=True, text=True, check=True)
    assert "Client Version" in done.stdout


def test_what_is_no_flag_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "quarterdeck", "assets", str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 2
    assert "a folder is named by --dir" in done.stderr
    assert list(tmp_path.iterdir()) == []
