"""Who owns a list that is owned as a whole, after an update that leaves it what it is.

Go compares such lists by reflect.DeepEqual, which sees how their items were sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Client

pytestmark = pytest.mark.e2e

GROUP = "lists.example.com"
POLICIES = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies"
RANGES = "/api/v1/namespaces/default/limitranges"
SCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
PODS = "/api/v1/namespaces/default/pods"
MERGE = {"Content-Type": "application/merge-patch+json"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with definitions.serving_scaled_things(GROUP) as call:
        yield call


def send(client: Client, method: str, path: str, body: Any, manager: str, headers: Any = None) -> Any:
    answer = client(method, f"{path}?fieldManager={manager}", body, headers)
    assert answer.code in (200, 201), answer.text
    return json.loads(answer.body)


def owners(obj: Any, *path: str) -> list[str]:
    """Managers whose fields have a member at that path."""
    found = []
    for entry in obj["metadata"]["managedFields"]:
        fields = entry["fieldsV1"]
        for name in path:
            fields = (fields or {}).get(f"f:{name}")
        if fields is not None:
            found.append(entry["manager"])
    return found


def policy(name: str, rule: dict[str, Any]) -> dict[str, Any]:
    spec = {"podSelector": {}, "policyTypes": ["Egress"], "egress": [rule]}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": name}, "spec": spec}


def limits(name: str, item: dict[str, Any]) -> dict[str, Any]:
    spec = {"limits": [{"type": "Container", **item}]}
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": name}, "spec": spec}


def test_a_member_that_is_sent_empty_takes_the_list(client: Client) -> None:
    peer = {"to": [{"podSelector": {}}]}
    send(client, "POST", POLICIES, policy("a", peer), "one")
    path = f"{POLICIES}/a"
    assert owners(send(client, "PUT", path, policy("a", peer), "two"), "spec", "egress") == ["one"]
    assert owners(send(client, "PUT", path, policy("a", peer | {"ports": []}), "two"), "spec", "egress") == ["two"]
    patch = {"spec": {"egress": [{"to": [{"podSelector": {"matchLabels": {}}}]}]}}
    assert owners(send(client, "PATCH", path, patch, "three", MERGE), "spec", "egress") == ["three"]
    patch = {"spec": {"egress": [peer | {"ports": []}]}}
    changed = send(client, "PATCH", path, patch, "four", STRATEGIC)
    assert owners(changed, "spec", "egress") == ["four"]
    assert changed["spec"]["egress"] == [peer]
    assert owners(
        send(client, "PATCH", path, {"metadata": {"labels": {"a": "b"}}}, "five", MERGE), "spec", "egress"
    ) == ["four"]


def test_an_apply_conflicts_with_who_sent_it_empty(client: Client) -> None:
    peer = {"to": [{"podSelector": {}}]}
    send(client, "PATCH", f"{POLICIES}/b", policy("b", peer), "one", APPLY)
    send(client, "PUT", f"{POLICIES}/b", policy("b", peer | {"ports": []}), "two")
    answer = client("PATCH", f"{POLICIES}/b?fieldManager=one", policy("b", peer | {"ports": []}), APPLY)
    assert answer.code == 409, answer.text
    assert 'conflict with \\"two\\"' in answer.text


@pytest.mark.parametrize(
    ("item", "is_taken"),
    [
        ({"defaultRequest": {"cpu": "1"}}, False),
        ({"defaultRequest": {"cpu": 1}}, False),
        ({"defaultRequest": {"cpu": "1000m"}}, True),
        ({"defaultRequest": {"cpu": "1"}, "min": {}}, True),
        ({"defaultRequest": {"cpu": "1"}, "min": None}, False),
    ],
)
def test_an_amount_that_is_written_otherwise_takes_the_list(client: Client, item: Any, is_taken: bool) -> None:
    client("DELETE", f"{RANGES}/a")
    send(client, "POST", RANGES, limits("a", {"defaultRequest": {"cpu": "1"}}), "one")
    changed = send(client, "PUT", f"{RANGES}/a", limits("a", item), "two")
    assert owners(changed, "spec", "limits") == ["two" if is_taken else "one"]
    assert changed["spec"]["limits"] == [{"type": "Container", "defaultRequest": {"cpu": "1"}}]


@pytest.mark.parametrize(("value", "is_taken"), [("1Gi", False), ("8Gi", True), ("1536Mi", True)])
def test_an_amount_whose_text_is_noted_when_it_is_stored(client: Client, value: str, is_taken: bool) -> None:
    metric = {"resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": value}}}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    spec = {"scaleTargetRef": target, "maxReplicas": 2, "metrics": [{"type": "Resource", **metric}]}
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a"},
        "spec": spec,
    }
    client("DELETE", f"{SCALERS}/a")
    send(client, "POST", SCALERS, scaler, "one")
    changed = send(client, "PUT", f"{SCALERS}/a", scaler, "two")
    assert owners(changed, "spec", "metrics") == ["two" if is_taken else "one"]


def test_a_list_within_a_map_that_is_owned_as_a_whole(client: Client) -> None:
    term = {"matchExpressions": [{"key": "a", "operator": "Exists"}]}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    spec = {
        "containers": [{"name": "c", "image": "i"}],
        "affinity": {"nodeAffinity": {required: {"nodeSelectorTerms": [term]}}},
    }
    send(client, "POST", PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "spec": spec}, "one")
    affinity = {"nodeAffinity": {required: {"nodeSelectorTerms": [term | {"matchFields": []}]}}}
    changed = send(client, "PATCH", f"{PODS}/a", {"spec": {"affinity": affinity}}, "two", MERGE)
    assert owners(changed, "spec", "affinity", "nodeAffinity", required) == ["two"]


def test_within_an_item_of_a_list_that_is_owned_item_by_item(client: Client) -> None:
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    hook = {
        "name": "a.example.com",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://a.example.com"},
        "rules": [{"apiGroups": ["x"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["y"]}],
    }
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    send(client, "POST", path, {**kind, "metadata": {"name": "a"}, "webhooks": [hook]}, "one")
    more = {"matchConditions": [], "clientConfig": {"url": "https://a.example.com", "caBundle": ""}}
    changed = send(client, "PATCH", f"{path}/a", {"webhooks": [hook | more]}, "two", MERGE)
    assert [entry["manager"] for entry in changed["metadata"]["managedFields"]] == ["one"]
    hook["rules"][0]["scope"] = "*"
    more = {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}
    changed = send(client, "PATCH", f"{path}/a", {"webhooks": [hook | more]}, "two", MERGE)
    hook["objectSelector"] = {"matchExpressions": [{"key": "a", "operator": "Exists", "values": []}]}
    changed = send(client, "PATCH", f"{path}/a", {"webhooks": [hook]}, "three", MERGE)
    assert [entry["manager"] for entry in changed["metadata"]["managedFields"]] == ["one", "three"]
    client("DELETE", f"{path}/a")


@pytest.mark.parametrize(
    ("group", "empty"),
    [
        ("columns.example.com", {"additionalPrinterColumns": []}),
        ("properties.example.com", {"schema": {"openAPIV3Schema": {"type": "object", "properties": {}}}}),
        ("same.example.com", {}),
    ],
)
def test_versions_of_a_definition(client: Client, group: str, empty: dict[str, Any]) -> None:
    version = definitions.version({"type": "object"})
    definitions.install(client, definitions.of_things(group, version))
    patch = {"spec": {"versions": [version | empty]}}
    changed = send(client, "PATCH", f"{definitions.PATH}/things.{group}", patch, "two", MERGE)
    assert ("two" in owners(changed, "spec", "versions")) == bool(empty)
