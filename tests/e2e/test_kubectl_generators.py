"""What `kubectl create` makes of every kind that it knows, and the commands of those who run workloads and nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import least_objects
from support.kubectl import Kubectl
from support.server import Server

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with Server() as server:
        yield Kubectl(server.kubeconfig, tmp_path_factory.mktemp("home"))


def shown(kubectl: Kubectl, *what: str) -> Any:
    return json.loads(kubectl("get", *what, "-o", "json"))


CREATED = {
    "clusterrole/made": ("clusterrole", "made", "--verb=get,list", "--resource=pods,deployments.apps"),
    "clusterrole/paths": ("clusterrole", "paths", "--verb=get", "--non-resource-url=/logs/*"),
    "clusterrolebinding/made": ("clusterrolebinding", "made", "--clusterrole=made", "--user=ann"),
    "configmap/made": ("configmap", "made", "--from-literal=a=b"),
    "cronjob/made": ("cronjob", "made", "--image=busybox", "--schedule=*/5 * * * *", "--", "date"),
    "deployment/made": ("deployment", "made", "--image=nginx", "--replicas=2", "--port=80"),
    "ingress/made": ("ingress", "made", "--rule=example.com/path*=made:80", "--class=nginx"),
    "job/made": ("job", "made", "--image=busybox", "--", "date"),
    "namespace/made": ("namespace", "made"),
    "poddisruptionbudget/made": ("poddisruptionbudget", "made", "--selector=app=made", "--min-available=1"),
    "priorityclass/made": ("priorityclass", "made", "--value=1000", "--description=high"),
    "quota/made": ("quota", "made", "--hard=secrets=1000,services=500"),
    "role/made": ("role", "made", "--verb=get", "--resource=pods", "--resource-name=one"),
    "rolebinding/made": ("rolebinding", "made", "--role=made", "--serviceaccount=default:made"),
    "secret/made": ("secret", "generic", "made", "--from-literal=a=b"),
    "secret/registry": (
        "secret",
        "docker-registry",
        "registry",
        "--docker-username=u",
        "--docker-password=p",
        "--docker-server=s",
    ),
    "service/made": ("service", "nodeport", "made", "--tcp=80:8080"),
    "service/outside": ("service", "externalname", "outside", "--external-name=example.com"),
    "serviceaccount/made": ("serviceaccount", "made"),
}


def test_create_makes_every_kind_that_it_knows(kubectl: Kubectl) -> None:
    for what, arguments in CREATED.items():
        kubectl("create", *arguments)
        kubectl("describe", what)
        kind, name = what.split("/")
        assert name in kubectl("get", what), kind
        assert kubectl("create", *arguments, code=1).count("already exists") == 1
    assert kubectl("create", "token", "made").count(".") == 2
    rules = shown(kubectl, "role/made")["rules"]
    assert rules == [{"apiGroups": [""], "resourceNames": ["one"], "resources": ["pods"], "verbs": ["get"]}]
    for what in CREATED:
        kubectl("delete", what, "--wait=false")


def test_a_job_is_made_of_a_cron_job(kubectl: Kubectl) -> None:
    kubectl("create", "cronjob", "nightly", "--image=busybox", "--schedule=0 3 * * *", "--", "date")
    kubectl("create", "job", "tonight", "--from=cronjob/nightly")
    job = shown(kubectl, "job/tonight")
    assert job["metadata"]["ownerReferences"][0]["name"] == "nightly"
    assert job["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"] == job["metadata"]["uid"]


def test_roles_are_reconciled(kubectl: Kubectl, tmp_path: Path) -> None:
    role = (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: kept, namespace: default}\nrules: %s\n"
    )
    wanted = tmp_path / "role.yaml"
    wanted.write_text(role % '[{apiGroups: [""], resources: [pods], verbs: [get]}]')
    assert "reconciled" in kubectl("auth", "reconcile", "-f", str(wanted))
    wanted.write_text(role % '[{apiGroups: [""], resources: [pods], verbs: [list]}]')
    kubectl("auth", "reconcile", "-f", str(wanted))
    verbs = {verb for rule in shown(kubectl, "role/kept")["rules"] for verb in rule["verbs"]}
    assert verbs == {"get", "list"}
    assert kubectl("auth", "can-i", "get", "pods") == "yes\n"
    assert kubectl("auth", "can-i", "get", "pods", "--as=ann", code=1) == ""


def test_a_rollout_is_followed_paused_and_taken_back(kubectl: Kubectl) -> None:
    """Nobody rolls out here: the status is written as a deployment controller would."""
    kubectl("create", "deployment", "web", "--image=nginx:1")
    kubectl("rollout", "pause", "deployment/web")
    assert shown(kubectl, "deployment/web")["spec"]["paused"] is True
    kubectl("rollout", "resume", "deployment/web")
    kubectl("rollout", "restart", "deployment/web")
    deployment = shown(kubectl, "deployment/web")
    assert "kubectl.kubernetes.io/restartedAt" in deployment["spec"]["template"]["metadata"]["annotations"]
    done = {"observedGeneration": deployment["metadata"]["generation"], "replicas": 1, "updatedReplicas": 1}
    status = json.dumps({"status": {**done, "availableReplicas": 1, "readyReplicas": 1}})
    kubectl("patch", "deployment", "web", "--subresource=status", "--type=merge", "-p", status)
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=100s")


def test_a_deployment_is_autoscaled(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "scaled", "--image=nginx")
    kubectl("autoscale", "deployment", "scaled", "--min=2", "--max=5", "--cpu=80%")
    spec = shown(kubectl, "hpa/scaled")["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 5)
    assert spec["metrics"][0]["resource"]["target"] == {"type": "Utilization", "averageUtilization": 80}
    old = json.loads(kubectl("get", "horizontalpodautoscalers.v1.autoscaling/scaled", "-o", "json"))["spec"]
    assert old["targetCPUUtilizationPercentage"] == 80


def test_a_node_is_tainted_cordoned_and_drained(kubectl: Kubectl) -> None:
    node = least_objects.read()["v1", "Node"]
    kubectl("create", "-f", "-", stdin=json.dumps(node))
    kubectl("taint", "nodes", "least", "key=value:NoSchedule")
    kubectl("cordon", "least")
    spec = shown(kubectl, "node/least")["spec"]
    assert spec["unschedulable"] is True
    assert {"key": "key", "value": "value", "effect": "NoSchedule"} in spec["taints"]
    kubectl("label", "node", "least", "disk=ssd")
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "here", "labels": {"app": "here"}},
        "spec": {"nodeName": "least", "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "i"}]},
    }
    kubectl("create", "-f", "-", stdin=json.dumps(pod))
    # A pod that has not begun, or is not ready, may go although its budget is used up.
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    kubectl("patch", "pod", "here", "--subresource=status", "-p", json.dumps({"status": ready}))
    kubectl("create", "poddisruptionbudget", "here", "--selector=app=here", "--min-available=1")
    # As the disruption controller would tell.
    counts = {"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1}
    status = json.dumps({"status": {**counts, "expectedPods": 1}})
    kubectl("patch", "poddisruptionbudget", "here", "--subresource=status", "--type=merge", "-p", status)
    refused = kubectl("drain", "least", "--force", "--timeout=2s", code=1)
    assert "disruption budget" in refused
    kubectl("delete", "poddisruptionbudget", "here")
    assert "evicted" in kubectl("drain", "least", "--force", "--timeout=100s")
    kubectl("uncordon", "least")
    kubectl("delete", "node", "least")


def test_top_tells_that_there_are_no_metrics(kubectl: Kubectl) -> None:
    assert "Metrics API not available" in kubectl("top", "pods", code=1)
    assert "Metrics API not available" in kubectl("top", "nodes", code=1)


def test_a_certificate_is_approved_and_denied(kubectl: Kubectl) -> None:
    for name, verb, condition in (("good", "approve", "Approved"), ("bad", "deny", "Denied")):
        request = {**least_objects.read()["certificates.k8s.io/v1", "CertificateSigningRequest"]}
        kubectl("create", "-f", "-", stdin=json.dumps({**request, "metadata": {"name": name}}))
        assert "Pending" in kubectl("get", "csr", name)
        kubectl("certificate", verb, name)
        assert condition in kubectl("get", "csr", name)
        kubectl("delete", "csr", name)
