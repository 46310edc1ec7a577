"""Runs of real clients are recorded, and played against servers that behave as before and against others."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes.client
import kubernetes.config
import kubernetes.watch
import pytest

from quarterdeck.recording.file import read
from quarterdeck.testing import ControlPlane
from quarterdeck.testing.clients import kopf_runner
from support import definitions, kubectl
from support.waiting import PATIENCE_S, PROCESS_PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

GROUP = "replay.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def fresh() -> Iterator[ControlPlane]:
    """One that starts beside the run that is recorded."""
    plane = ControlPlane()
    plane.begin()
    try:
        yield plane
    finally:
        plane.stop()


def replay(plane: ControlPlane, path: Path, *flags: str) -> tuple[int, list[str]]:
    command = [sys.executable, "-m", "quarterdeck", "replay", str(path), "--kubeconfig", str(plane.kubeconfig), *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


def run_a_client(plane: ControlPlane) -> None:
    """With a watch beside its writes, names that the server makes up, a conflict, pages."""
    with kubernetes.config.new_client_from_config(str(plane.kubeconfig)) as client:
        api = kubernetes.client.CoreV1Api(client)
        revision = api.list_namespaced_config_map("default").metadata.resource_version
        watch = kubernetes.watch.Watch()
        seen: list[str] = []

        def follow() -> None:
            for event in watch.stream(api.list_namespaced_config_map, "default", resource_version=revision):
                seen.append(event["type"])
                if len(seen) == 4:
                    watch.stop()

        following = threading.Thread(target=follow)
        following.start()
        made = api.create_namespaced_config_map("default", {"metadata": {"generateName": "made-"}, "data": {"a": "1"}})
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": made.metadata.name, "uid": made.metadata.uid}
        api.create_namespaced_config_map("default", {"metadata": {"name": "owned", "ownerReferences": [owner]}})
        changed = {**client.sanitize_for_serialization(made), "data": {"a": "2"}}
        api.replace_namespaced_config_map(made.metadata.name, "default", changed)
        with pytest.raises(kubernetes.client.ApiException):
            api.replace_namespaced_config_map(made.metadata.name, "default", changed)
        first = api.list_namespaced_config_map("default", limit=1)
        api.list_namespaced_config_map("default", limit=10, _continue=first.metadata._continue)
        api.create_namespaced_secret("default", {"metadata": {"name": "s"}, "string_data": {"k": "hidden"}})
        api.delete_namespaced_config_map("owned", "default")
        following.join(PATIENCE_S)
        assert seen == ["ADDED", "ADDED", "MODIFIED", "DELETED"]


def test_a_run_is_played_again(fresh: ControlPlane, tmp_path: Path) -> None:
    path = tmp_path / "run"
    with ControlPlane(record=path) as plane:
        run_a_client(plane)
    assert b"hidden" not in path.read_bytes()
    assert not [each for each in read(path) if each.get("status") == 422]
    fresh.wait()
    code, told = replay(fresh, path, "--impersonate")
    assert (code, told[-1].split(": ")[1]) == (0, "0 different"), told


def test_what_is_different_is_told(fresh: ControlPlane, tmp_path: Path) -> None:
    path = tmp_path / "run"
    with ControlPlane(record=path) as plane:
        run_a_client(plane)
    fresh.wait()
    fresh.faults.error(503, resources="configmaps", verbs="update", times=1)
    differences = fresh.replay(path, wait_s=2)
    fresh.faults.check()
    assert any("PUT" in each and "status is 503" in each and each.endswith("was 200") for each in differences)
    assert any("MODIFIED" in each for each in differences)
    code, told = replay(fresh, path, "--wait", "1s")
    assert code == 1
    assert any("already exists, was 201" in each for each in told)


OPERATOR = f"""
import kopf

@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False
    settings.scanning.disabled = True

@kopf.on.create("{GROUP}", "v1", "things")
def paint(patch, **_):
    patch.status["painted"] = True
"""


def test_a_run_of_an_operator_is_a_regression_test(
    fresh: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    operator = tmp_path / "operator.py"
    operator.write_text(OPERATOR)
    with ControlPlane(record=path) as plane:
        plane.apply(definitions.of_things(GROUP))
        monkeypatch.setenv("KUBECONFIG", str(plane.kubeconfig))
        monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(plane.kubeconfig))
        with kopf_runner("run", "-n", "default", "--standalone", str(operator)) as runner:
            head = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": {}}
            assert plane.call("POST", THINGS, head)[0] == 201
            wait_for(
                lambda: plane.call("GET", f"{THINGS}/one")[1].get("status", {}).get("painted"), lambda: runner.output
            )
        assert runner.exit_code == 0
    assert any(each.get("agent", "").startswith("kopf") for each in read(path))
    fresh.wait()
    assert [each for each in fresh.replay(path) if f"/apis/{GROUP}/" in each] == []


def test_what_kubectl_did(fresh: ControlPlane, tmp_path: Path) -> None:
    path = tmp_path / "run"
    objects = tmp_path / "objects.yaml"
    objects.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k}\ndata: {a: '1'}\n")
    with ControlPlane(record=path) as plane:
        run = kubectl.Kubectl(plane.kubeconfig, tmp_path)
        for arguments in (
            ("apply", "--server-side", "-f", str(objects)),
            ("get", "configmap", "k"),
            ("label", "configmap", "k", "a=b"),
            ("delete", "configmap", "k", "--wait=false"),
        ):
            run(*arguments)
    fresh.wait()
    assert fresh.replay(path) == []


def test_each_logical_cluster_is_played_by_itself(fresh: ControlPlane, tmp_path: Path) -> None:
    path = tmp_path / "run"
    with ControlPlane(record=path) as plane, plane.cluster("one") as one:
        for where, name in ((plane, "own"), (one, "one")):
            assert where.call("POST", MAPS, {"metadata": {"name": name}})[0] == 201
        assert one.call("GET", f"{MAPS}/one")[0] == 200
    fresh.wait()
    with fresh.cluster() as other:
        assert other.replay(path, cluster="one", wait_s=5) == []
        assert other.call("GET", f"{MAPS}/one")[0] == 200
        assert fresh.call("GET", f"{MAPS}/one")[0] == 404


def test_files_that_are_no_recordings(fresh: ControlPlane, tmp_path: Path) -> None:
    fresh.wait()
    (tmp_path / "x").write_text("{}\n")
    for name, told in (("x", "is no recording"), ("none", "No such file")):
        command = [sys.executable, "-m", "quarterdeck", "replay", str(tmp_path / name)]
        command += ["--kubeconfig", str(fresh.kubeconfig)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False)
        assert done.returncode == 1
        assert told in done.stderr


def test_a_file_that_cannot_be_written_ends_the_start(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="--record-file: cannot write"):
        ControlPlane(record=tmp_path / "none" / "run").__enter__()


def made_by_hand(tmp_path: Path, *lines: dict[str, Any]) -> Path:
    path = tmp_path / "hand"
    path.write_text("".join(json.dumps(each) + "\n" for each in ({"recording": 1}, *lines)))
    return path


def test_a_request_is_sent_before_the_events_that_came_while_it_was_under_way(
    fresh: ControlPlane, tmp_path: Path
) -> None:
    """It may be what they tell of."""
    fresh.wait()
    asked = {"user": "admin", "groups": [], "method": "GET"}
    lines: list[dict[str, Any]] = [
        {"request": 1, **asked, "path": f"{MAPS}?watch=1&resourceVersion=0&timeoutSeconds=600"},
        {"answer": 1, "status": 200, "type": "application/json"},
        {"request": 2, **asked, "method": "POST", "path": MAPS, "body": {"metadata": {"name": "m"}}},
        {"event": 1, "body": {"type": "ADDED", "object": {"metadata": {"name": "m"}}}},
        {"answer": 2, "status": 201},
        {"request": 3, "method": "GET", "path": MAPS},
        {"answer": 3, "status": 403},
        {"end": 1},
    ]
    told = fresh.replay(made_by_hand(tmp_path, *lines))
    assert all("ADDED" in each and "was missing" in each for each in told), told
    assert any("object.metadata.uid is" in each for each in told)


def test_a_request_sees_of_those_under_way_with_it_what_it_saw(fresh: ControlPlane, tmp_path: Path) -> None:
    """The first read was answered before the patch, the second one after it, however long reads take now."""
    fresh.wait()
    asked = {"user": "admin", "groups": [], "path": f"{MAPS}/m"}
    patch = {**asked, "method": "PATCH", "type": "application/merge-patch+json", "body": {"data": {"a": "2"}}}
    lines: list[dict[str, Any]] = [
        {
            "request": 1,
            **asked,
            "method": "POST",
            "path": MAPS,
            "body": {"metadata": {"name": "m"}, "data": {"a": "1"}},
        },
        {"answer": 1, "status": 201},
        {"request": 2, **patch},
        {"request": 3, **asked, "method": "GET"},
        {"request": 4, **asked, "method": "GET"},
        {"answer": 3, "status": 200, "body": {"data": {"a": "1"}}},
        {"answer": 2, "status": 200},
        {"answer": 4, "status": 200, "body": {"data": {"a": "2"}}},
    ]
    fresh.faults.delay(0.2, resources="configmaps", verbs="get")
    told = fresh.replay(made_by_hand(tmp_path, *lines))
    assert told
    assert not [each for each in told if ": data" in each], told


def made(revision: int, value: str) -> dict[str, Any]:
    return {"metadata": {"name": "m", "resourceVersion": str(revision)}, "data": {"a": value}}


WATCH = [
    {
        "request": 1,
        "user": "admin",
        "groups": [],
        "method": "GET",
        "path": f"{MAPS}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dm&timeoutSeconds=600",
    },
    {"answer": 1, "status": 200, "type": "application/json"},
]
POST = {
    "request": 2,
    "user": "admin",
    "groups": [],
    "method": "POST",
    "path": MAPS,
    "body": {"metadata": {"name": "m"}, "data": {"a": "1"}},
}
PATCH = {"request": 3, "user": "admin", "groups": [], "method": "PATCH", "path": f"{MAPS}/m"}
PATCH |= {"type": "application/merge-patch+json", "body": {"data": {"a": "2"}}}
READ = {"request": 4, "user": "admin", "groups": [], "method": "GET", "path": f"{MAPS}/m"}
DELETE = {**READ, "request": 5, "method": "DELETE"}
ADDED, MODIFIED, DELETED = (
    {"event": 1, "body": {"type": kind, "object": found}}
    for kind, found in (("ADDED", made(5, "1")), ("MODIFIED", made(6, "2")), ("DELETED", made(6, "1")))
)
CREATED = [POST, {"answer": 2, "status": 201, "body": made(5, "1")}, ADDED]
PATCHED = {"answer": 3, "status": 200, "body": made(6, "2")}
ORDERS: dict[str, list[dict[str, Any]]] = {
    "a read that was answered before the event of a write beside it, and after one of another": [
        *CREATED[:2],
        PATCH,
        READ,
        ADDED,
        {"answer": 4, "status": 200, "body": made(5, "1")},
        MODIFIED,
        PATCHED,
    ],
    "a read that was answered after the event of a write that it had not seen": [
        *CREATED,
        PATCH,
        READ,
        MODIFIED,
        {"answer": 4, "status": 200, "body": made(5, "1")},
        PATCHED,
    ],
    "a read that was answered after a write that it had not seen": [
        *CREATED,
        PATCH,
        READ,
        PATCHED,
        MODIFIED,
        {"answer": 4, "status": 200, "body": made(5, "1")},
    ],
    "a read that saw a write which was answered after it": [
        *CREATED,
        PATCH,
        READ,
        {"answer": 4, "status": 200, "body": made(6, "2")},
        PATCHED,
        MODIFIED,
    ],
    "an event of a deletion, whose answer tells no revision": [
        *CREATED,
        DELETE,
        READ,
        DELETED,
        {"answer": 4, "status": 404},
        {"answer": 5, "status": 200},
    ],
    "a read beside a deletion that answers with what it found": [
        *CREATED[:2],
        DELETE,
        READ,
        ADDED,
        {"answer": 4, "status": 200, "body": made(5, "1")},
        {"answer": 5, "status": 200, "body": made(5, "1")},
        DELETED,
    ],
    "a read that was answered after the event of a deletion that it had not seen": [
        *CREATED,
        DELETE,
        READ,
        DELETED,
        {"answer": 4, "status": 200, "body": made(5, "1")},
        {"answer": 5, "status": 200},
    ],
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("slow", ["get", "patch"])
def test_revisions_tell_what_was_seen_of_requests_under_way(
    fresh: ControlPlane, tmp_path: Path, order: str, slow: str
) -> None:
    fresh.wait()
    fresh.faults.delay(0.2, resources="configmaps", verbs=slow)
    told = fresh.replay(made_by_hand(tmp_path, *WATCH, *ORDERS[order], {"end": 1}), wait_s=5)
    assert told, "what the server adds is not in these bodies"
    wrong = (": data", ".data", ": status", " come", " came")
    # What a deletion answers is made by hand here.
    assert not [each for each in told if any(part in each for part in wrong) and not each.startswith("5: ")], told
