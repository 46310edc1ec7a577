"""Corners of writes to subresources: what a body may leave out, what it asks for beforehand, and who owns what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Answer, Client

pytestmark = pytest.mark.e2e

GROUP = "subresources.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
PODS = "/api/v1/namespaces/default/pods"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with definitions.serving_scaled_things(GROUP) as call:
        yield call


def read(answer: Answer, code: int) -> Any:
    assert answer.code == code, answer.text
    return json.loads(answer.body)


# ---- an apply to the status of what is absent


POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
PODS_MADE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
APPLY = {"Content-Type": "application/apply-patch+yaml"}


def apply_to_status(client: Client, items: str, body: dict[str, Any]) -> Answer:
    body = {**body, "metadata": {"name": "absent"}}
    return client("PATCH", f"{items}/absent/status?fieldManager=m", body, APPLY)


def test_an_apply_to_the_status_makes_a_service_to_which_nothing_is_allocated(client: Client) -> None:
    services, body = "/api/v1/namespaces/default/services", {"apiVersion": "v1", "kind": "Service"}
    refused = read(apply_to_status(client, services, body), 422)
    assert refused["message"] == 'Service "absent" is invalid: spec.ports: Required value'
    made = read(apply_to_status(client, services, {**body, "spec": {"ports": [{"port": 80}]}}), 201)
    assert "clusterIP" not in made["spec"]
    read(client("DELETE", f"{services}/absent"), 200)


def test_an_apply_to_the_status_makes_a_policy(client: Client) -> None:
    body = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy"}
    assert "spec.matchConstraints: Required value" in read(apply_to_status(client, POLICIES, body), 422)["message"]
    spec = {"matchConstraints": {"resourceRules": [PODS_MADE]}, "validations": [{"expression": "true"}]}
    told = {**body, "spec": spec, "status": {"observedGeneration": 3}}
    made = read(apply_to_status(client, POLICIES, told), 201)
    assert made["status"] == {}
    (owner,) = made["metadata"]["managedFields"]
    assert (owner["subresource"], owner["fieldsV1"]) == ("status", {"f:status": {"f:observedGeneration": {}}})
    read(client("DELETE", f"{POLICIES}/absent"), 200)


def test_an_apply_to_the_status_makes_nothing_else(client: Client) -> None:
    assert apply_to_status(client, PODS, {"apiVersion": "v1", "kind": "Pod"}).code == 404


# ---- scales of custom resources


SCALE = {"apiVersion": "autoscaling/v1", "kind": "Scale"}


@pytest.mark.parametrize(
    "type_meta", [{}, {"kind": "Scale"}, {"apiVersion": "autoscaling/v1"}, {"apiVersion": "", "kind": None}]
)
def test_a_scale_need_not_say_that_it_is_one(client: Client, type_meta: dict[str, Any]) -> None:
    client("POST", THINGS, {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "plain"}})
    body = {**type_meta, "metadata": {"name": "plain"}, "spec": {"replicas": 4}}
    written = read(client("PUT", f"{THINGS}/plain/scale", body), 200)
    assert (written["apiVersion"], written["kind"], written["spec"]) == ("autoscaling/v1", "Scale", {"replicas": 4})


@pytest.mark.parametrize("body", [b"null", b"{}", b'{"kind": "Scale"}'])
def test_a_scale_needs_a_name(client: Client, body: bytes) -> None:
    client("POST", THINGS, {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "named"}})
    answer = client("PUT", f"{THINGS}/named/scale", body, {"Content-Type": "application/json"})
    text = "the name of the object (named based on URL) was undeterminable: name must be provided"
    assert read(answer, 400)["message"] == text


@pytest.mark.parametrize("other", [{"apiVersion": "v1"}, {"kind": "Thing"}, {"apiVersion": "autoscaling/v2"}])
def test_a_scale_may_say_nothing_else(client: Client, other: dict[str, str]) -> None:
    body = {**SCALE, **other, "metadata": {"name": "plain"}, "spec": {"replicas": 4}}
    assert read(client("PUT", f"{THINGS}/plain/scale", body), 400)["message"].startswith("no kind is registered")


# ---- bindings


def make_pod(client: Client, name: str) -> dict[str, Any]:
    body = {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    made: dict[str, Any] = read(client("POST", PODS, body), 201)["metadata"]
    return made


def bind(client: Client, address: str, name: str, **metadata: str) -> Answer:
    return client("POST", address, {"metadata": {"name": name, **metadata}, "target": {"name": "n1"}})


@pytest.mark.parametrize("query, key", [("", "/registry/pods/default/"), ("?dryRun=All", "/pods/default/")])
@pytest.mark.parametrize("at", ["pods", "bindings"])
def test_a_binding_holds_for_the_version_of_the_pod_that_it_names(
    client: Client, at: str, query: str, key: str
) -> None:
    name = f"version-{at}-{len(query)}"
    version = make_pod(client, name)["resourceVersion"]
    address = f"{PODS}/{name}/binding" if at == "pods" else "/api/v1/namespaces/default/bindings"
    text = (
        f'Operation cannot be fulfilled on pods "{name}": StorageError: invalid object, Code: 4, Key: {key}{name}, '
        "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: 1, "
        f"ResourceVersion in object meta: {version}"
    )
    assert read(bind(client, address + query, name, resourceVersion="1"), 409)["message"] == text
    read(bind(client, address + query, name, resourceVersion=version), 201)


def test_a_binding_at_its_own_address_has_no_uid(client: Client) -> None:
    make_pod(client, "uid")
    refused = read(bind(client, f"{PODS}/uid/binding", "uid", uid="x"), 409)
    assert "UID in precondition: x" in refused["message"]
    read(bind(client, "/api/v1/namespaces/default/bindings", "uid", uid="x"), 201)


def test_a_binding_brings_no_annotation_that_pods_do_not_keep(client: Client) -> None:
    make_pod(client, "annotated")
    annotations = {"pod.beta.kubernetes.io/init-containers": "x", "example.com/a": "b"}
    body = {"metadata": {"name": "annotated", "annotations": annotations}, "target": {"name": "n1"}}
    read(client("POST", f"{PODS}/annotated/binding", body), 201)
    bound = read(client("GET", f"{PODS}/annotated"), 200)
    assert bound["metadata"]["annotations"] == {"example.com/a": "b"}


# ---- who owns what


def owned(obj: dict[str, Any]) -> list[Any]:
    return [entry["fieldsV1"] for entry in obj["metadata"]["managedFields"]]


def test_who_finalizes_a_namespace_owns_no_status(client: Client) -> None:
    read(client("POST", "/api/v1/namespaces", {"metadata": {"name": "final"}}), 201)
    body = {
        "metadata": {"name": "final"},
        "spec": {"finalizers": ["example.com/x"]},
        "status": {"phase": "Terminating"},
    }
    finalized = read(client("PUT", "/api/v1/namespaces/final/finalize", body), 200)
    assert any("f:spec" in fields for fields in owned(finalized))
    assert not any("f:status" in fields for fields in owned(finalized))


@pytest.mark.parametrize("ends_by", ["DELETE", "PATCH"])
def test_a_namespace_without_finalizers_stays_terminating_until_it_is_written_or_deleted_again(
    client: Client, ends_by: str
) -> None:
    name = f"bare-{ends_by.lower()}"
    path = f"/api/v1/namespaces/{name}"
    read(client("POST", "/api/v1/namespaces", {"metadata": {"name": name}}), 201)
    read(client("PUT", f"{path}/finalize", {"metadata": {"name": name}, "spec": {}}), 200)
    marked = read(client("DELETE", path), 200)
    assert (marked["kind"], marked["status"]) == ("Namespace", {"phase": "Terminating"})
    assert read(client("GET", path), 200)["status"] == {"phase": "Terminating"}
    refused = read(client("POST", f"{path}/configmaps", {"metadata": {"name": "late"}}), 403)
    assert refused["details"]["causes"][0]["reason"] == "NamespaceTerminating"
    patch, headers = b'{"metadata":{"labels":{"a":"b"}}}', {"Content-Type": "application/merge-patch+json"}
    read(client(ends_by, path, *((patch, headers) if ends_by == "PATCH" else ())), 200)
    read(client("GET", path), 404)


def test_who_writes_the_status_of_a_service_cidr_owns_no_metadata(client: Client) -> None:
    cidrs = "/apis/networking.k8s.io/v1/servicecidrs"
    read(client("POST", cidrs, {"metadata": {"name": "owned"}, "spec": {"cidrs": ["192.168.7.0/24"]}}), 201)
    patch = {"metadata": {"labels": {"a": "b"}}, "status": {"conditions": [{"type": "X", "status": "True"}]}}
    headers = {"Content-Type": "application/merge-patch+json"}
    written = read(client("PATCH", f"{cidrs}/owned/status?fieldManager=s", json.dumps(patch).encode(), headers), 200)
    (mine,) = [e["fieldsV1"] for e in written["metadata"]["managedFields"] if e["manager"] == "s"]
    assert list(mine) == ["f:status"]


# ---- the last state of what an update ends


def test_an_empty_list_that_ends_an_object_is_shown_as_it_was_sent(client: Client) -> None:
    ranges = "/api/v1/namespaces/default/limitranges"
    body: dict[str, Any] = {"metadata": {"name": "ended"}, "spec": {"limits": []}}
    held = {**body, "metadata": {"name": "ended", "finalizers": ["example.com/x"]}}
    assert read(client("POST", ranges, held), 201)["spec"] == {"limits": None}
    read(client("DELETE", f"{ranges}/ended"), 200)
    assert read(client("PUT", f"{ranges}/ended", body), 200)["spec"] == {"limits": []}
    read(client("GET", f"{ranges}/ended"), 404)
