"""Autoscalers that are written in the one version and in the other: who owns what, and what is stored again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Client

pytestmark = pytest.mark.e2e

OLD = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
NEW = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
MERGE = {"Content-Type": "application/merge-patch+json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
MEMORY = {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}}
POLICIES = '"Policies": [{"Type": "Pods", "Value": 1, "PeriodSeconds": 3}]'
PARTIAL = f'{{"ScaleUp": {{"StabilizationWindowSeconds": 3, "SelectPolicy": "Min", {POLICIES}}}}}'
BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with definitions.serving_scaled_things("autoscalers.example.com") as call:
        yield call


def send(client: Client, method: str, path: str, body: Any, manager: str, headers: Any = None) -> Any:
    answer = client(method, f"{path}?fieldManager={manager}", body, headers)
    assert answer.code in (200, 201), answer.text
    return json.loads(answer.body)


def autoscaler(version: str, name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name},
        "spec": {"scaleTargetRef": TARGET, "maxReplicas": 5, **spec},
    }


def owners(obj: Any, member: str) -> list[str]:
    entries = obj["metadata"]["managedFields"]
    return [each["manager"] for each in entries if f"f:{member}" in each["fieldsV1"].get("f:spec", {})]


def test_a_write_in_v1_leaves_metrics_to_who_owns_them(client: Client) -> None:
    send(client, "POST", NEW, autoscaler("v2", "a", metrics=[CPU, MEMORY]), "one")
    changed = send(client, "PATCH", f"{OLD}/a", {"spec": {"maxReplicas": 7}}, "two", MERGE)
    assert (owners(changed, "metrics"), owners(changed, "maxReplicas")) == (["one"], ["two"])
    path = f"{OLD}/a?fieldManager=three"
    refused = client("PATCH", path, autoscaler("v1", "a", maxReplicas=7, minReplicas=2), APPLY)
    assert refused.code == 409, refused.text
    causes = json.loads(refused.body)["details"]["causes"]
    assert [each["field"] for each in causes] == [".spec.minReplicas"]


def test_what_an_apply_leaves_out_conflicts_as_what_the_other_version_writes_of_it(client: Client) -> None:
    send(client, "POST", NEW, autoscaler("v2", "left", metrics=[CPU]), "one")
    given = autoscaler("v1", "left") | {"spec": {"scaleTargetRef": {"apiVersion": ""}, "maxReplicas": 5}}
    refused = client("PATCH", f"{OLD}/left?fieldManager=two", given, APPLY)
    assert refused.code == 409, refused.text
    causes = json.loads(refused.body)["details"]["causes"]
    assert [each["field"] for each in causes] == [".spec.scaleTargetRef.kind", ".spec.scaleTargetRef.name"]


@pytest.mark.parametrize(("first", "then"), [("v1", "v2"), ("v2", "v1")])
@pytest.mark.parametrize("member", ["annotations", "labels"])
def test_an_apply_of_empty_metadata_conflicts_with_nobody_in_the_other_version(
    client: Client, member: str, first: str, then: str
) -> None:
    name, addresses = f"empty-{member}-{first}", {"v1": OLD, "v2": NEW}
    one, two = autoscaler(first, name), autoscaler(then, name, maxReplicas=7)
    for each in (one, two):
        each["metadata"][member] = {}
    send(client, "PATCH", f"{addresses[first]}/{name}", one, "one", APPLY)
    refused = client("PATCH", f"{addresses[then]}/{name}?fieldManager=two", two, APPLY)
    assert refused.code == 409, refused.text
    assert [each["field"] for each in json.loads(refused.body)["details"]["causes"]] == [".spec.maxReplicas"]
    forced = json.loads(client("PATCH", f"{addresses[then]}/{name}?fieldManager=two&force=true", two, APPLY).body)
    fields = {each["manager"]: each["fieldsV1"] for each in forced["metadata"]["managedFields"]}
    assert all(owned["f:metadata"] == {f"f:{member}": {}} for owned in fields.values())


def test_an_apply_that_cannot_be_read_is_refused_where_it_is_compared(client: Client) -> None:
    send(client, "POST", OLD, autoscaler("v1", "unread"), "one")
    metric = {"type": "Resource", "resource": {"name": "memory", "target": {"type": "Value", "averageValue": ""}}}
    refused = client("PATCH", f"{NEW}/unread?fieldManager=two", autoscaler("v2", "unread", metrics=[metric]), APPLY)
    assert (refused.code, json.loads(refused.body)["message"]) == (
        500,
        "failed to convert new object: unable to convert unstructured object to autoscaling/v2, "
        "Kind=HorizontalPodAutoscaler: quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    )


def test_an_apply_of_nothing_in_v1_is_no_write(client: Client) -> None:
    made = send(client, "POST", NEW, autoscaler("v2", "b", metrics=[CPU, MEMORY]), "one")
    nothing = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "b"}}
    send(client, "PATCH", f"{OLD}/b", nothing, "two", APPLY)
    shown = json.loads(client("GET", f"{NEW}/b").body)
    assert shown["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    assert shown["spec"]["metrics"] == [CPU, MEMORY]


def test_what_an_apply_lets_go_goes_though_others_write_in_v1(client: Client) -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 5}}
    send(client, "PATCH", f"{NEW}/c", autoscaler("v2", "c", behavior=behavior), "one", APPLY)
    send(client, "PATCH", f"{OLD}/c", {"spec": {"minReplicas": 2}}, "two", MERGE)
    left = send(client, "PATCH", f"{NEW}/c", autoscaler("v2", "c"), "one", APPLY)
    assert "behavior" not in left["spec"]


@pytest.mark.parametrize("metadata", [{"labels": {"a": "b"}}, {"annotations": {"a": "b"}}, {"finalizers": ["a.b/c"]}])
def test_who_owns_all_metadata_may_apply_in_the_other_version(client: Client, metadata: dict[str, Any]) -> None:
    name = f"other-{next(iter(metadata))}"
    for version, path in (("v1", OLD), ("v2", NEW), ("v1", OLD)):
        given = autoscaler(version, name)
        given["metadata"] |= metadata
        made = send(client, "PATCH", f"{path}/{name}", given, "one", APPLY)
        assert made["apiVersion"] == f"autoscaling/{version}"
        assert {member: made["metadata"][member] for member in metadata} == metadata


def test_a_behavior_that_is_completed_by_readers_is_stored_by_the_next_write(client: Client) -> None:
    given = autoscaler("v1", "d")
    given["metadata"]["annotations"] = {BEHAVIOR: PARTIAL}
    made = send(client, "POST", OLD, given, "one")
    stored = send(client, "PATCH", f"{NEW}/d", {}, "two", MERGE)  # of the other version
    assert stored["metadata"]["resourceVersion"] != made["metadata"]["resourceVersion"]
    again = send(client, "PATCH", f"{NEW}/d", {}, "two", MERGE)
    assert again["metadata"]["resourceVersion"] == stored["metadata"]["resourceVersion"]


@pytest.mark.parametrize(
    ("address", "kind"),
    [("/apis/batch/v1/namespaces/default/jobs", "Job"), ("/api/v1/namespaces/default/replicationcontrollers", "")],
)
def test_a_status_without_labels_is_stored_each_time(client: Client, address: str, kind: str) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    api_version, kind = ("batch/v1", kind) if kind else ("v1", "ReplicationController")
    spec: dict[str, Any] = {"template": template}
    if api_version == "v1":
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        spec = {"selector": {"a": "b"}, "replicas": 0, "template": template}
    body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "s"}, "spec": spec}
    made = send(client, "POST", address, body, "one")
    seen = []
    for _ in range(2):
        shown = send(
            client, "PUT", f"{address}/s/status", {"metadata": {"name": "s"}, "status": {"replicas": 0}}, "one"
        )
        assert shown["metadata"]["labels"] == made["metadata"]["labels"]
        seen.append(shown["metadata"]["resourceVersion"])
    for _ in range(2):
        seen.append(send(client, "PATCH", f"{address}/s", {}, "one", MERGE)["metadata"]["resourceVersion"])
    assert len({made["metadata"]["resourceVersion"], *seen}) == 4
    assert seen[2] == seen[3]
