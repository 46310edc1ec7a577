"""With a virtual clock and a seed the same run has the same answers, to the byte, in any process."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cmd import kubeconfig
from quarterdeck.cmd.client import Client
from quarterdeck.testing import ControlPlane
from support.server import Server

pytestmark = pytest.mark.e2e

START = "2026-01-01T00:00:00Z"
CLOCK = "/quarterdeck/v1/clock"
MAPS = "/api/v1/namespaces/default/configmaps"
EVENTS = "/api/v1/namespaces/default/events"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def event(name: str) -> dict[str, Any]:
    about = {"kind": "ConfigMap", "namespace": "default", "name": "a"}
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "involvedObject": about}


def scenario(credentials: Path) -> list[bytes]:
    """What a run of many kinds of requests is answered, an operator's days among them."""
    answers: list[bytes] = []
    seen = Client(kubeconfig.load(credentials))

    def ask(method: str, path: str, body: object = None, **sent: Any) -> Any:
        seen.send(method, path, body, **sent)
        answers.append(seen.receive()[1])
        return json.loads(answers[-1])

    patch = {"sent": "application/merge-patch+json"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema, "subresources": {"status": {}}}
    spec = {"group": "boats.example.com", "scope": "Namespaced", "versions": [version]}
    spec["names"] = {"plural": "boats", "kind": "Boat"}
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    ask("POST", crds, {"metadata": {"name": "boats.boats.example.com"}, "spec": spec})
    ask("GET", f"{crds}/boats.boats.example.com")
    boats = "/apis/boats.example.com/v1/namespaces/default/boats"
    boat = {"apiVersion": "boats.example.com/v1", "kind": "Boat", "metadata": {"generateName": "boat-"}}
    owners = [ask("POST", boats, boat)["metadata"] for _ in range(5)]
    pod = {"containers": [{"name": "c", "image": "i"}]}
    labels = {"app": "a"}
    template = {"metadata": {"labels": labels}, "spec": pod}
    deployment = {"selector": {"matchLabels": labels}, "template": template}
    ask("POST", "/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": "d"}, "spec": deployment})
    ask("POST", "/api/v1/namespaces/default/services", {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}})
    cron = {"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": {"spec": {**pod, "restartPolicy": "Never"}}}}}
    made = ask("POST", "/apis/batch/v1/namespaces/default/cronjobs", {"metadata": {"name": "c"}, "spec": cron})
    lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    ask("POST", lease, {"metadata": {"name": "leader"}, "spec": {"holderIdentity": "a", "leaseDurationSeconds": 15}})
    for _ in range(3):  # what a CronJob's controller would do, each hour
        now = ask("POST", CLOCK, {"advance": "1h"})["now"]
        owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "c", "uid": made["metadata"]["uid"]}
        job = {"metadata": {"generateName": "c-", "ownerReferences": [owner]}, "spec": cron["jobTemplate"]["spec"]}
        ask("POST", JOBS, job)
        ask("PATCH", f"{lease}/leader", {"spec": {"renewTime": now.replace("Z", ".000000Z")}}, **patch)
        ask("POST", EVENTS, event(f"at-{now[11:13]}"))
        ask("GET", EVENTS)
    for owner in owners[:3]:
        ask("PATCH", f"{boats}/{owner['name']}/status", {"status": {"floats": True}}, **patch)
        dependent = {"apiVersion": "boats.example.com/v1", "kind": "Boat", "name": owner["name"], "uid": owner["uid"]}
        ask("POST", MAPS, {"metadata": {"generateName": "sail-", "ownerReferences": [dependent]}})
        ask("DELETE", f"{boats}/{owner['name']}")
    ask("POST", "/api/v1/namespaces", {"metadata": {"generateName": "x-"}})
    ask("DELETE", "/apis/batch/v1/namespaces/default/cronjobs/c?propagationPolicy=Foreground")
    ask("POST", CLOCK, {"step": "-20m"})
    ask("POST", CLOCK, {"advance": "26h"})
    ask("DELETE", crds + "/boats.boats.example.com")
    ask("POST", CLOCK, {"advance": "10s"})
    for path in (MAPS, JOBS, EVENTS, crds, "/api/v1/namespaces", "/api/v1/namespaces/default/services/s", lease):
        ask("GET", path)
        ask("GET", path, accept=TABLE)
    for group in ("rbac.authorization.k8s.io", "flowcontrol.apiserver.k8s.io", "scheduling.k8s.io"):
        for resource in ask("GET", f"/apis/{group}/v1")["resources"]:
            if "/" not in resource["name"]:
                ask("GET", f"/apis/{group}/v1/{resource['name']}")
    ask("GET", "/apis/apiregistration.k8s.io/v1/apiservices")
    for path in (MAPS, JOBS, EVENTS):
        seen.send("GET", f"{path}?watch=1&timeoutSeconds=1&resourceVersion={owners[0]['resourceVersion']}")
        answers.append(seen.receive()[1])
    seen.close()
    return answers


def run(plane: ControlPlane) -> list[bytes]:
    with plane.cluster(clock=START, seed=7) as made:
        return scenario(made.kubeconfig)


def test_in_logical_clusters_of_several_processes_and_at_once() -> None:
    with ControlPlane() as one, ControlPlane() as other, ThreadPoolExecutor(2) as threads:
        first = run(one)
        for answers in [*threads.map(run, (other, other)), run(one)]:
            assert answers == first
        with one.cluster(clock=START, seed=8) as made:
            assert scenario(made.kubeconfig) != first


def test_in_servers_of_their_own() -> None:
    with ControlPlane(clock=START, seed=7) as plane:
        first = scenario(plane.kubeconfig)
    with ControlPlane(clock=START, seed=7) as plane:
        assert scenario(plane.kubeconfig) == first


def test_a_server_that_starts_again_gives_no_uid_twice() -> None:
    def make(server: Server, name: str) -> list[str]:
        client = Client(kubeconfig.load(server.kubeconfig))
        for number in range(50):
            body = {"metadata": {"name": f"{name}{number}"}, "data": {"k": "v"}}
            assert client.call("POST", MAPS, body)[0] == 201
        items = json.loads(client.call("GET", MAPS)[1])["items"]
        client.close()
        return [each["metadata"]["uid"] for each in items]

    with Server(None, f"--virtual-clock={START}", "--seed=7") as server:
        before = make(server, "a")
        assert server.terminate() == 0
        server.start()
        uids = make(server, "b")
        assert len(set(uids)) == len(uids) == len(before) + 50
