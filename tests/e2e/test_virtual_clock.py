"""Time that stands until a test has it go: what control planes and logical clusters do by it, as clients see it."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cmd import kubeconfig
from quarterdeck.cmd.client import Client
from quarterdeck.testing import ControlPlane
from quarterdeck.testing.clock import ClockError
from quarterdeck.testing.cluster import Cluster
from quarterdeck.testing.faults import FaultError
from quarterdeck.testing.served import Served
from support.waiting import PROCESS_PATIENCE_S

pytestmark = pytest.mark.e2e

START = "2026-01-01T00:00:00Z"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
CLOCK = "/quarterdeck/v1/clock"
MAPS = "/api/v1/namespaces/default/configmaps"
EVENTS = "/api/v1/namespaces/default/events"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
CONTROLLERS = "--controllers=*,ttl-after-finished-controller,token-cleaner-controller,resourcequota-controller"


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with ControlPlane(CONTROLLERS, "--enable-bootstrap-token-auth") as running:
        yield running


@pytest.fixture
def cluster(plane: ControlPlane) -> Iterator[Cluster]:
    with plane.cluster(clock=START, seed=7) as made:
        yield made


def must(answer: tuple[int, Any]) -> Any:
    status, value = answer
    assert status < 300, value
    return value


def config_map(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "1"}}


def event(name: str) -> dict[str, Any]:
    about = {"kind": "ConfigMap", "namespace": "default", "name": "a"}
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "involvedObject": about}


def watch(served: Served, path: str, revision: str) -> list[Any]:
    """The events since then."""
    with served._borrow() as client:
        client.send("GET", f"{path}?watch=1&timeoutSeconds=1&resourceVersion={revision}")
        return [json.loads(line) for line in client.receive()[1].splitlines()]


# - what goes by it


def test_objects_are_as_old_as_the_clock_says(cluster: Cluster) -> None:
    assert cluster.clock.now == BEGIN
    metadata = must(cluster.call("POST", MAPS, config_map("a")))["metadata"]
    assert (metadata["creationTimestamp"], metadata["managedFields"][0]["time"]) == (START, START)
    assert cluster.clock.advance("10m") == BEGIN + timedelta(minutes=10)
    made = must(cluster.call("POST", MAPS, config_map("b")))
    assert made["metadata"]["creationTimestamp"] == "2026-01-01T00:10:00Z"
    assert cluster.clock.advance(timedelta(days=2)) == BEGIN + timedelta(days=2, minutes=10)
    assert cluster.clock.advance(1.5).microsecond == 500_000
    namespaces = must(cluster.call("GET", "/api/v1/namespaces"))["items"]
    assert {each["metadata"]["creationTimestamp"] for each in namespaces} == {START}


def test_ages_of_tables_are_counted_to_it(cluster: Cluster) -> None:
    must(cluster.call("POST", MAPS, config_map("a")))
    cluster.clock.advance("95m")
    with cluster._borrow() as client:
        for path in (MAPS, f"{MAPS}/a"):
            client.send("GET", path, accept=TABLE)
            rows = json.loads(client.receive()[1])["rows"]
            assert [row["cells"] for row in rows if row["cells"][0] == "a"] == [["a", 1, "95m"]]


def test_a_namespace_waits_for_its_time_to_be_emptied(cluster: Cluster) -> None:
    must(cluster.call("POST", "/api/v1/namespaces", {"metadata": {"name": "x"}}))
    must(cluster.call("POST", "/api/v1/namespaces/x/configmaps", config_map("a")))
    must(cluster.call("DELETE", "/api/v1/namespaces/x"))
    found = must(cluster.call("GET", "/api/v1/namespaces/x"))
    assert (found["status"]["phase"], found["metadata"]["deletionTimestamp"]) == ("Terminating", START)
    cluster.clock.advance("999ms")
    assert cluster.call("GET", "/api/v1/namespaces/x")[0] == 200
    cluster.clock.advance("1ms")
    assert cluster.call("GET", "/api/v1/namespaces/x")[0] == 404


def test_events_go_an_hour_after_they_were_written_last(cluster: Cluster) -> None:
    for name in ("a", "b"):
        must(cluster.call("POST", EVENTS, event(name)))
    cluster.clock.advance("30m")
    changed = must(cluster.call("PATCH", f"{EVENTS}/b", {"count": 2}, content_type="application/merge-patch+json"))
    cluster.clock.advance("30m")
    assert [each["metadata"]["name"] for each in must(cluster.call("GET", EVENTS))["items"]] == ["b"]
    seen = watch(cluster, EVENTS, changed["metadata"]["resourceVersion"])
    assert [(each["type"], each["object"]["metadata"]["name"]) for each in seen] == [("DELETED", "a")]
    cluster.clock.advance("30m")
    assert must(cluster.call("GET", EVENTS))["items"] == []


def test_finished_jobs_go_after_their_time_each_at_its_own(cluster: Cluster) -> None:
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    for hours in (1, 2, 3):
        spec = {"ttlSecondsAfterFinished": 3600 * hours, "template": {"spec": pod}}
        must(cluster.call("POST", JOBS, {"metadata": {"name": f"j{hours}"}, "spec": spec}))
        at = {"lastTransitionTime": START, "lastProbeTime": START, "status": "True"}
        conditions = [{"type": "SuccessCriteriaMet", **at}, {"type": "Complete", **at}]
        status = {"conditions": conditions, "startTime": START, "completionTime": START, "succeeded": 1}
        body = {"status": status}
        must(cluster.call("PATCH", f"{JOBS}/j{hours}/status", body, content_type="application/merge-patch+json"))
    revision = must(cluster.call("GET", JOBS))["metadata"]["resourceVersion"]
    cluster.clock.advance("150m")
    assert [each["metadata"]["name"] for each in must(cluster.call("GET", JOBS))["items"]] == ["j3"]
    gone = [each["object"]["metadata"] for each in watch(cluster, JOBS, revision)]
    told = {(each["name"], each.get("deletionTimestamp", "")) for each in gone}
    assert told >= {("j1", "2026-01-01T01:00:00Z"), ("j2", "2026-01-01T02:00:00Z")}, told


def test_tokens_that_the_server_issues_end_by_it(cluster: Cluster) -> None:
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    must(cluster.call("POST", accounts, {"metadata": {"name": "robot"}}))
    asked = {"spec": {"expirationSeconds": 3600}}
    status = must(cluster.call("POST", f"{accounts}/robot/token", asked))["status"]
    assert status["expirationTimestamp"] == "2026-01-01T01:00:00Z"

    def review() -> bool:
        body = {"spec": {"token": status["token"]}}
        found = must(cluster.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", body))
        return bool(found["status"].get("authenticated"))

    assert review()
    cluster.clock.advance("59m")
    assert review()
    cluster.clock.advance("5m")
    assert not review()


def test_bootstrap_tokens_are_cleaned_up_when_they_end(cluster: Cluster) -> None:
    secrets = "/api/v1/namespaces/kube-system/secrets"
    data = {"token-id": "abcdef", "token-secret": "0123456789abcdef", "expiration": "2026-01-02T00:00:00Z"}
    secret = {"metadata": {"name": "bootstrap-token-abcdef"}, "type": "bootstrap.kubernetes.io/token"}
    must(cluster.call("POST", secrets, secret | {"stringData": data}))
    cluster.clock.advance("23h59m59s")
    assert cluster.call("GET", f"{secrets}/bootstrap-token-abcdef")[0] == 200
    cluster.clock.advance("1s")
    assert cluster.call("GET", f"{secrets}/bootstrap-token-abcdef")[0] == 404


def test_the_servers_own_lease_is_kept_however_far_time_goes(cluster: Cluster) -> None:
    cluster.clock.advance("72h")
    (lease,) = must(cluster.call("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"))["items"]
    renewed = datetime.fromisoformat(lease["spec"]["renewTime"])
    assert renewed + timedelta(seconds=lease["spec"]["leaseDurationSeconds"]) > cluster.clock.now


def test_what_needs_no_time_is_done_although_it_stands(cluster: Cluster) -> None:
    """Definitions are served, quotas told, dependents collected."""
    names = {"plural": "boats", "kind": "Boat"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    spec = {"group": "boats.example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    crd = {"kind": "CustomResourceDefinition", "metadata": {"name": "boats.boats.example.com"}, "spec": spec}
    cluster.apply({"apiVersion": "apiextensions.k8s.io/v1", **crd})
    boats = "/apis/boats.example.com/v1/namespaces/default/boats"
    boat = {"apiVersion": "boats.example.com/v1", "kind": "Boat", "metadata": {"name": "one"}}
    uid = must(cluster.call("POST", boats, boat))["metadata"]["uid"]
    owner = {"apiVersion": "boats.example.com/v1", "kind": "Boat", "name": "one", "uid": uid}
    owned = config_map("sail")
    owned["metadata"]["ownerReferences"] = [owner]
    must(cluster.call("POST", MAPS, owned))
    quotas = "/api/v1/namespaces/default/resourcequotas"
    must(cluster.call("POST", quotas, {"metadata": {"name": "q"}, "spec": {"hard": {"count/boats": "5"}}}))
    must(cluster.call("DELETE", f"{boats}/one"))
    assert cluster.call("GET", f"{MAPS}/sail")[0] == 404
    assert must(cluster.call("GET", f"{quotas}/q"))["status"]["hard"] == {"count/boats": "5"}


# - whose it is


def test_each_cluster_has_its_own_and_others_have_none(plane: ControlPlane, cluster: Cluster) -> None:
    with plane.cluster(clock="2030-06-01T12:00:00+02:00") as other, plane.cluster() as real:
        cluster.clock.advance("1h")
        assert (cluster.clock.now, other.clock.now) == (
            BEGIN + timedelta(hours=1),
            datetime(2030, 6, 1, 10, tzinfo=UTC),
        )
        made = must(other.call("POST", MAPS, config_map("a")))
        assert made["metadata"]["creationTimestamp"] == "2030-06-01T10:00:00Z"
        made = must(real.call("POST", MAPS, config_map("a")))["metadata"]["creationTimestamp"]
        assert abs(datetime.fromisoformat(made) - datetime.now(UTC)) < timedelta(minutes=5)
        for without in (real, plane):
            with pytest.raises(ClockError, match="no virtual clock"):
                without.clock.advance("1s")


def test_forks_go_on_from_the_time_of_their_original_and_snapshots_have_none(cluster: Cluster) -> None:
    cluster.clock.advance("1h")
    kept = cluster.snapshot()
    with cluster.fork() as fork:
        fork.clock.advance("1h")
        assert (cluster.clock.now, fork.clock.now) == (BEGIN + timedelta(hours=1), BEGIN + timedelta(hours=2))
    cluster.clock.advance("1h")
    cluster.restore(kept)
    assert cluster.clock.now == BEGIN + timedelta(hours=2)


def test_forks_give_no_uid_that_their_original_has_given(plane: ControlPlane, cluster: Cluster) -> None:
    def make(served: Cluster, *names: str) -> list[str]:
        return [must(served.call("POST", MAPS, config_map(name)))["metadata"]["uid"] for name in names]

    there = make(cluster, *(f"a{number}" for number in range(5)))
    kept = cluster.snapshot()
    names = [f"b{number}" for number in range(60)]
    with (
        cluster.fork() as fork,
        cluster.fork() as again,
        plane.cluster(snapshot=kept, clock=START, seed=7) as of_snapshot,
    ):
        made = make(fork, *names)
        assert len({*there, *made, *make(cluster, *names)}) == 125
        assert make(again, *names) == made == make(of_snapshot, *names)


def test_a_cluster_keeps_its_time_while_it_rests() -> None:
    with ControlPlane("--logical-clusters-awake-max=1") as plane, plane.cluster(clock=START) as first:
        first.clock.advance("1h")
        must(first.call("POST", EVENTS, event("a")))
        with plane.cluster(clock=START):
            assert must(plane.call("GET", f"/clusters/{first.name}"))["awake"] is False
        assert first.clock.now == BEGIN + timedelta(hours=1)
        first.clock.advance("1h")
        assert must(first.call("GET", EVENTS))["items"] == []


def test_who_may_not_use_the_path_has_no_time_pass(cluster: Cluster) -> None:
    target = kubeconfig.load(cluster.kubeconfig)
    client = Client(dataclasses.replace(target, headers={**target.headers, "Impersonate-User": "nobody"}))
    assert client.call("POST", CLOCK, {"advance": "1h"})[0] == 403
    client.close()
    assert cluster.clock.now == BEGIN


def test_what_is_no_change_of_a_clock_is_refused(cluster: Cluster) -> None:
    for body in (
        {},
        [],
        {"advance": 5},
        {"advance": "x"},
        {"advance": "-1s"},
        {"time": "now"},
        {"time": 5},
        {"to": "1h"},
    ):
        status, told = cluster.call("POST", CLOCK, body)
        assert (status, told["reason"]) == (400, "BadRequest"), body
    assert cluster.call("POST", CLOCK, {"step": "1h", "advance": "1h"})[0] == 400
    assert cluster.call("POST", CLOCK, {"step": "-50000000h"})[0] == 400
    assert cluster.call("PUT", CLOCK, {"advance": "1h"})[0] == 405
    assert cluster.clock.now == BEGIN


def test_what_is_no_clock_of_a_cluster_is_refused(plane: ControlPlane) -> None:
    for query in ("clock=yesterday", "seed=7", "clock=now&seed=x"):
        status, told = plane.call("PUT", f"/clusters/refused?{query}")
        assert (status, told["reason"]) == (400, "BadRequest"), query
    assert plane.call("GET", "/clusters/refused")[0] == 404


# - steps


def test_the_time_of_day_jumps_and_nothing_becomes_due(cluster: Cluster) -> None:
    must(cluster.call("POST", MAPS, config_map("a")))
    must(cluster.call("POST", "/api/v1/namespaces", {"metadata": {"name": "x"}}))
    must(cluster.call("DELETE", "/api/v1/namespaces/x"))
    assert cluster.clock.step("-1h") == BEGIN - timedelta(hours=1)
    made = must(cluster.call("POST", MAPS, config_map("b")))
    assert made["metadata"]["creationTimestamp"] == "2025-12-31T23:00:00Z"
    with cluster._borrow() as client:
        client.send("GET", f"{MAPS}/a", accept=TABLE)
        assert json.loads(client.receive()[1])["rows"][0]["cells"] == ["a", 1, "<invalid>"]
    changed = must(
        cluster.call("PATCH", f"{MAPS}/a", {"data": {"k": "v"}}, content_type="application/merge-patch+json")
    )
    assert changed["metadata"]["creationTimestamp"] == START
    assert int(changed["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])
    assert cluster.clock.set(datetime(2031, 1, 1)) == datetime(2031, 1, 1, tzinfo=UTC)
    assert cluster.call("GET", "/api/v1/namespaces/x")[0] == 200
    cluster.clock.advance("1s")
    assert cluster.call("GET", "/api/v1/namespaces/x")[0] == 404


def test_a_rule_has_the_time_of_day_jump_when_a_request_comes(plane: ControlPlane, cluster: Cluster) -> None:
    with cluster.faults.clock_step(-90, resources="configmaps", verbs="create", times=1) as fault:
        made = [must(cluster.call("POST", MAPS, config_map(name)))["metadata"] for name in "ab"]
        assert fault.fired == 1
    assert [each["creationTimestamp"] for each in made] == ["2025-12-31T23:58:30Z"] * 2
    with plane.cluster() as real, pytest.raises(FaultError, match="no virtual clock"):
        real.faults.clock_step(60)
    with pytest.raises(FaultError, match="not be 0"):
        cluster.faults.clock_step(0)


# - from outside


def quarterdeck(plane: Served, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "quarterdeck", "clock", *arguments, "--kubeconfig", str(plane.kubeconfig)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_command(plane: ControlPlane, cluster: Cluster) -> None:
    assert quarterdeck(cluster, "now") == (0, f"{START}\n", "")
    assert quarterdeck(cluster, "advance", "1h30m") == (0, "2026-01-01T01:30:00Z\n", "")
    assert quarterdeck(cluster, "step", "--back", "2h") == (0, "2025-12-31T23:30:00Z\n", "")
    assert quarterdeck(cluster, "step", "1h") == (0, "2026-01-01T00:30:00Z\n", "")
    assert quarterdeck(cluster, "set", "2027-01-01T00:00:00Z") == (0, "2027-01-01T00:00:00Z\n", "")
    code, told, _ = quarterdeck(cluster, "now", "-o", "json")
    assert (code, json.loads(told)["passedSeconds"]) == (0, 5400)
    code, _, told = quarterdeck(cluster, "advance", "later")
    assert code == 1
    assert "invalid duration" in told
    assert quarterdeck(plane, "now")[0] == 1


MARKED = """
import datetime, pytest

MAPS = "/api/v1/namespaces/default/configmaps"
uids = []

@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.quarterdeck({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}},
    clock="2026-01-01T00:00:00Z", seed=3)
def test_marked(cluster, turn):
    cluster.clock.advance("1h")
    assert cluster.clock.now == datetime.datetime(2026, 1, 1, 1, tzinfo=datetime.timezone.utc)
    metadata = cluster.call("GET", MAPS + "/a")[1]["metadata"]
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert cluster.call("GET", MAPS + "/b")[0] == 200
    uids.append(metadata["uid"])
    assert len(set(uids)) == 1

def test_not_marked(cluster):
    with pytest.raises(Exception, match="no virtual clock"):
        cluster.clock.now
"""


@pytest.mark.parametrize("kind", ["logical", "process"])
def test_the_marker(tmp_path: Path, kind: str) -> None:
    ini = f"[pytest]\naddopts = -q -p no:cacheprovider\nquarterdeck_apply = b.json\nquarterdeck_cluster = {kind}\n"
    (tmp_path / "pytest.ini").write_text(ini)
    (tmp_path / "b.json").write_text(json.dumps(config_map("b")))
    (tmp_path / "test_marked.py").write_text(MARKED)
    command = [sys.executable, "-m", "pytest"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False
    )
    assert "3 passed" in done.stdout, done.stdout
