"""Details of writes that kube-apiserver's code decides and that no recording shows."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Answer, Client
from support.server import Server

pytestmark = pytest.mark.e2e

GROUP = "details.example.com"
BASE = f"/apis/{GROUP}/v1/namespaces/default/things"
_VERSIONS = (
    definitions.version(
        {
            "type": "object",
            "properties": {
                "spec": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": True,
                    "properties": {
                        "short": {"type": "string", "maxLength": 2},
                        "bare": {"type": "object", "required": ["x"]},
                        "inner": {
                            "type": "object",
                            "x-kubernetes-embedded-resource": True,
                            "x-kubernetes-preserve-unknown-fields": True,
                        },
                    },
                },
                "status": {"type": "object", "properties": {"a": {"type": "string"}}},
            },
        },
        subresources={"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}},
    ),
    definitions.version(
        {
            "type": "object",
            "properties": {
                "spec": {
                    "type": "object",
                    "properties": {"two": {"type": "string"}, "preset": {"type": "string", "default": "x"}},
                }
            },
        },
        "v2",
        is_storage=False,
        deprecated=True,
    ),
)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP, *_VERSIONS))
        yield call


def thing(name: str, spec: Any = None, kind: str = "Thing", api_version: str = f"{GROUP}/v1", **metadata: Any) -> Any:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec or {}}


def message(answer: Answer) -> str:
    return str(json.loads(answer.body)["message"])


def put(client: Client, name: str, spec: Any, **metadata: Any) -> Answer:
    live = json.loads(client("GET", f"{BASE}/{name}").body)
    live["spec"] = spec
    live["metadata"] |= metadata
    return client("PUT", f"{BASE}/{name}", live)


@pytest.mark.parametrize("before, after", [(1, True), (True, 1), (1, 1.0), (0, False)])
def test_a_number_of_another_type_is_a_change(client: Client, before: Any, after: Any) -> None:
    name = f"typed-{before}-{after}".lower()
    client("POST", BASE, thing(name, {"x": before}))
    assert json.loads(put(client, name, {"x": before}).body)["metadata"]["generation"] == 1
    assert json.loads(put(client, name, {"x": after}).body)["metadata"]["generation"] == 2


def test_a_replacement_that_names_a_uid_meets_nothing(client: Client) -> None:
    answer = client("PUT", f"{BASE}/absent", thing("absent", uid="u-1", resourceVersion="1"))
    assert answer.code == 404
    assert message(answer) == f'things.{GROUP} "absent" not found'
    assert client("PUT", f"{BASE}/absent", thing("absent", resourceVersion="1")).code == 404


def test_a_resource_version_at_creation_is_looked_at_last(client: Client) -> None:
    invalid = client("POST", BASE, thing("rv", {"short": "long"}, resourceVersion="5"))
    assert invalid.code == 422
    assert client("POST", BASE, thing("rv", resourceVersion="5")).code == 500
    dry = client("POST", f"{BASE}?dryRun=All", thing("rv", resourceVersion="5"))
    assert (dry.code, json.loads(dry.body)["metadata"]["resourceVersion"]) == (201, "5")
    assert client("GET", f"{BASE}/rv").code == 404


def test_a_table_of_what_is_not_stored_has_the_resource_version_that_was_sent(client: Client) -> None:
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    dry = client("POST", f"{BASE}?dryRun=All", thing("table", resourceVersion="5"), headers=accept)
    assert (dry.code, json.loads(dry.body)["metadata"]) == (201, {"resourceVersion": "5"})
    without = client("POST", f"{BASE}?dryRun=All", thing("table"), headers=accept)
    assert (without.code, json.loads(without.body)["metadata"]) == (201, {})


def test_a_resource_version_out_of_range(client: Client) -> None:
    client("POST", BASE, thing("range"))
    answer = put(client, "range", {}, resourceVersion="18446744073709551616")
    assert (answer.code, message(answer)) == (
        500,
        'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    )


def test_what_is_being_deleted_keeps_its_time(client: Client) -> None:
    client("POST", BASE, thing("going", finalizers=["example.com/hold"]))
    client("DELETE", f"{BASE}/going")
    answer = put(client, "going", {}, deletionTimestamp="2001-01-01T00:00:00Z")
    assert answer.code == 200
    assert not json.loads(answer.body)["metadata"]["deletionTimestamp"].startswith("2001")
    again = client("POST", BASE, thing("going", generateName="going"))
    assert message(again) == (
        f'object is being deleted: things.{GROUP} "going" already exists, the server was not able to generate a '
        "unique name for the object"
    )


def test_a_patch_that_repeats_an_owner_is_told_so_after_admission(client: Client) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}
    client("POST", BASE, thing("owned"))
    patch = {"metadata": {"ownerReferences": [owner, owner]}}
    answer = client("PATCH", f"{BASE}/owned", patch, {"Content-Type": "application/merge-patch+json"})
    assert json.loads(answer.body)["metadata"]["ownerReferences"] == [owner]
    warning = ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups"
    assert [warning in value for name, value in answer.headers if name.lower() == "warning"] == [True]


@pytest.mark.parametrize("path", ["absent", "absent/status", "absent/scale"])
def test_an_update_that_repeats_an_owner_is_told_so_whatever_becomes_of_it(client: Client, path: str) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}
    body = thing("absent", ownerReferences=[owner, owner])
    if path.endswith("scale"):
        body |= {"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 1}}
    answer = client("PUT", f"{BASE}/{path}", body)
    warnings = [value for name, value in answer.headers if name.lower() == "warning"]
    assert (answer.code, len(warnings)) == (404, 1)
    assert ".metadata.ownerReferences contains duplicate entries; API server dedups" in warnings[0]


def test_a_scale_that_repeats_an_owner_is_told_so_before_admission(client: Client) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}
    client("POST", BASE, thing("scaled", {"size": 1}))
    scale = {"metadata": {"name": "scaled", "ownerReferences": [owner, owner]}, "spec": {"replicas": 2}}
    answer = client("PUT", f"{BASE}/scaled/scale", {"apiVersion": "autoscaling/v1", "kind": "Scale", **scale})
    assert answer.code == 200
    warnings = [value for name, value in answer.headers if name.lower() == "warning"]
    assert ["after mutating admission" in value for value in warnings] == [False]


@pytest.mark.parametrize(
    "body, expected",
    [
        (
            thing("strict", kind="Other", labels={}, bogus=1),
            'Other in version "v1" cannot be handled as a Other: strict decoding error: unknown field "metadata.bogus"',
        ),
        (
            thing("strict", {"two": "x", "three": 1}, api_version=f"{GROUP}/v2"),
            'Thing in version "v2" cannot be handled as a Thing: strict decoding error: unknown field "spec.three"',
        ),
        (
            thing("strict", {"x": 1}, api_version=f"{GROUP}/v3"),
            'Thing in version "v3" cannot be handled as a Thing: strict decoding error: unknown field "spec"',
        ),
        (
            thing("strict", api_version="other.example.com/v1", bogus=1),
            'Thing in version "v1" cannot be handled as a Thing: strict decoding error: unknown field "metadata.bogus"',
        ),
        (
            thing("strict", api_version="", bogus=1),
            "Object 'apiVersion' is missing in 'object has no apiVersion field'",
        ),
        (
            thing("strict", {"two": "x"}, api_version=f"{GROUP}/v2"),
            f"the API version in the data ({GROUP}/v2) does not match the expected API version ({GROUP}/v1)",
        ),
    ],
)
def test_strict_decoding_of_another_kind_or_version(client: Client, body: Any, expected: str) -> None:
    answer = client("POST", f"{BASE}?fieldValidation=Strict", body)
    assert (answer.code, message(answer)) == (400, expected)


def test_metadata_of_another_kind_that_cannot_be_read(client: Client) -> None:
    answer = client("POST", BASE, thing("strict", kind="Other", labels=[]))
    assert message(answer).startswith(
        'Other in version "v1" cannot be handled as a Thing: json: cannot unmarshal array'
    )


@pytest.mark.parametrize(
    "method, path, code", [("GET", "/a", 404), ("GET", "/a/status", 404), ("OPTIONS", "/a", 405), ("PUT", "", 400)]
)
def test_every_answer_of_a_deprecated_version_says_so(client: Client, method: str, path: str, code: int) -> None:
    answer = client(method, BASE.replace("/v1/", "/v2/") + path, {} if method == "PUT" else None)
    assert answer.code == code
    assert answer.header("Warning") == f'299 - "{GROUP}/v2 Thing is deprecated"'


@pytest.mark.parametrize(
    "method, path, code, is_warned",
    [
        ("GET", "", 200, True),
        ("GET", "/absent", 404, True),
        ("GET", "/absent/status", 404, False),
        ("PUT", "", 405, False),
        ("OPTIONS", "", 405, False),
    ],
)
def test_a_deprecated_built_in_kind_is_warned_of_where_it_is_served(
    client: Client, method: str, path: str, code: int, is_warned: bool
) -> None:
    answer = client(method, f"/api/v1/namespaces/default/endpoints{path}", {} if method == "PUT" else None)
    warning = '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"'
    assert (answer.code, answer.header("Warning")) == (code, warning if is_warned else "")


@pytest.mark.parametrize(
    "method, header, code, is_warned",
    [
        ("GET", {"Accept": "text/plain"}, 406, False),
        ("DELETE", {"Accept": "text/plain"}, 406, False),
        ("PATCH", {"Content-Type": "text/plain"}, 415, False),
        ("PUT", {"Content-Type": "text/plain"}, 415, True),
    ],
)
def test_a_deprecated_built_in_kind_is_not_warned_of_before_it_is_routed(
    client: Client, method: str, header: dict[str, str], code: int, is_warned: bool
) -> None:
    sent = {} if method in ("PUT", "PATCH") else None
    answer = client(method, "/api/v1/namespaces/default/endpoints/absent", sent, header)
    assert (answer.code, answer.header("Warning") != "") == (code, is_warned)


def test_only_a_post_forgets_that_an_object_is_deleted(client: Client) -> None:
    path = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    sent: Any = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"deletionGracePeriodSeconds": 5}}
    applied = {"Content-Type": "application/apply-patch+yaml"}
    for method, name, suffix, header, kept in (
        ("POST", "posted", "", None, None),
        ("PUT", "put", "/put", None, 5),
        ("PATCH", "applied", "/applied?fieldManager=m", applied, 5),
    ):
        sent["metadata"]["name"] = name
        answer = client(method, path + suffix, json.dumps(sent) if header else sent, header)
        assert answer.code == 201
        assert json.loads(answer.body)["metadata"].get("deletionGracePeriodSeconds") == kept


def test_the_key_of_an_object_is_told_as_upstream_stores_it(client: Client) -> None:
    for resource, key, body in (
        ("endpoints", "services/endpoints", {"kind": "Endpoints"}),
        ("services", "services/specs", {"kind": "Service", "spec": {"clusterIP": "None"}}),
        ("configmaps", "configmaps", {"kind": "ConfigMap"}),
    ):
        path = f"/api/v1/namespaces/default/{resource}"
        obj: Any = {"apiVersion": "v1", "metadata": {"name": "keyed"}, **body}
        assert client("POST", path, obj).code == 201
        obj["metadata"]["uid"] = "other"
        assert f"Key: /registry/{key}/default/keyed," in message(client("PUT", f"{path}/keyed", obj))


def test_an_empty_list_that_is_stored_as_null_changes_nothing(client: Client) -> None:
    path = "/apis/storage.k8s.io/v1/csinodes"
    node: Any = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "bare"}}
    node["spec"] = {"drivers": []}
    revisions = {json.loads(client("POST", path, node).body)["metadata"]["resourceVersion"]}
    node["metadata"]["resourceVersion"] = next(iter(revisions))
    revisions.add(json.loads(client("PUT", f"{path}/bare", node).body)["metadata"]["resourceVersion"])
    assert len(revisions) == 1
    del node["metadata"]["resourceVersion"]
    applied = {"Content-Type": "application/apply-patch+yaml"}
    answers = [client("PATCH", f"{path}/bare?fieldManager=m&force=true", json.dumps(node), applied) for _ in range(2)]
    first, again = (json.loads(each.body)["metadata"]["resourceVersion"] for each in answers)
    assert first == again


def test_what_an_apply_sets_in_an_object_of_no_known_fields_counts_and_is_not_shown(client: Client) -> None:
    """Upstream validates and stores it, and drops it when it is read: each such apply is a change."""
    path, headers = f"{BASE}/bare?fieldManager=a", {"Content-Type": "application/apply-patch+yaml"}
    assert client("PATCH", path, thing("bare", {"bare": {"y": 1}}), headers).code == 422
    generations = []
    for body in ({"x": 1}, {"x": 1}, {"x": 2}):
        answer = json.loads(client("PATCH", path, thing("bare", {"bare": body}), headers).body)
        assert answer["spec"] == {"bare": {}}
        generations.append(answer["metadata"]["generation"])
    assert generations == [1, 2, 3]
    assert client("POST", BASE, thing("bare2", {"bare": {"x": 1}})).code == 422


def test_metadata_of_an_embedded_resource_that_an_apply_sets_counts_before_it_is_decoded(client: Client) -> None:
    """Upstream compares what the apply has merged with what it has read of the store."""
    path, headers = f"{BASE}/inner?fieldManager=a", {"Content-Type": "application/apply-patch+yaml"}
    body = thing("inner", {"inner": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {}}}})
    answers = [json.loads(client("PATCH", path, body, headers).body) for _ in range(3)]
    assert [answer["metadata"]["generation"] for answer in answers] == [1, 2, 3]
    assert [answer["spec"]["inner"]["metadata"] for answer in answers] == [{}] * 3


@pytest.mark.parametrize(
    ("address", "applied"),
    [("unset", {"status": {"a": None}}), ("unset/status", {"metadata": {"name": "unset", "labels": {}}})],
)
def test_what_an_apply_cannot_set_leaves_nothing_to_write_anew(client: Client, address: str, applied: Any) -> None:
    headers = {"Content-Type": "application/apply-patch+yaml"}
    client("DELETE", f"{BASE}/unset")
    client("PATCH", f"{BASE}/unset?fieldManager=a", thing("unset"), headers)
    answer = client("PATCH", f"{BASE}/{address}?fieldManager=a", {**thing("unset"), **applied}, headers)
    assert answer.code == 200
    stored = json.loads(answer.body)
    again = json.loads(client("PUT", f"{BASE}/unset", stored).body)
    assert again["metadata"]["resourceVersion"] == stored["metadata"]["resourceVersion"]


def test_defaults_that_an_apply_in_another_version_brings_are_a_change(client: Client) -> None:
    """Upstream sets them where the apply changes anything at all."""
    headers = {"Content-Type": "application/apply-patch+yaml"}
    address = f"{BASE}/preset?fieldManager=a".replace("/v1/", "/v2/")
    assert client("POST", BASE, thing("preset", {"two": "2"})).code == 201
    generations = []
    for labels in ({}, {"a": "b"}, {"a": "c"}):
        body = thing("preset", {"two": "2"}, api_version=f"{GROUP}/v2", **({"labels": labels} if labels else {}))
        generations.append(json.loads(client("PATCH", address, body, headers).body)["metadata"]["generation"])
    assert generations == [1, 2, 2]


@pytest.mark.parametrize("kind_of_patch", ["merge-patch+json", "json-patch+json"])
def test_a_patched_built_in_object_has_a_hundred_findings_at_most(client: Client, kind_of_patch: str) -> None:
    maps = "/api/v1/namespaces/default/configmaps"
    client("POST", maps, {"metadata": {"name": "patched"}})
    unknown = {f"{n:03}": 1 for n in range(150)}
    operations = [{"op": "add", "path": f"/{name}", "value": value} for name, value in unknown.items()]
    body = json.dumps(operations if kind_of_patch == "json-patch+json" else unknown)
    headers = {"Content-Type": f"application/{kind_of_patch}"}
    answer = client("PATCH", f"{maps}/patched?fieldValidation=Strict", body, headers)
    told = ", ".join(f'unknown field "{name}"' for name in list(unknown)[:100])
    assert answer.code == 422
    assert message(answer).endswith(f"strict decoding error: {told}")


def test_a_large_object_in_yaml_is_compressed(client: Client) -> None:
    maps = "/api/v1/namespaces/default/configmaps"
    client("POST", maps, {"metadata": {"name": "large"}, "data": {"a": "x" * 140_000}})
    answer = client("GET", f"{maps}/large", headers={"Accept": "application/yaml", "Accept-Encoding": "gzip"})
    assert (answer.header("Content-Encoding"), answer.header("Vary")) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(answer.body).startswith(b"apiVersion: v1\n")


@pytest.mark.parametrize(
    "method, kind_of_body, body, told",
    [
        ("PUT", "json", '{"z":1,"metadata":{"name":"sized","q":1},"a":1}', ["z", "metadata.q", "a"]),
        ("PUT", "yaml", '{"z":1,"metadata":{"name":"sized","q":1},"a":1}', ["a", "metadata.q", "z"]),
        ("PATCH", "merge-patch+json", '{"z":1,"metadata":{"q":1},"a":1}', ["a", "metadata.q", "z"]),
        ("PATCH", "json-patch+json", '[{"op":"add","path":"/spec","value":{"z":1,"a":1}}]', ["spec.z", "spec.a"]),
    ],
)
def test_unknown_members_of_a_scale_are_told_in_the_order_of_the_text(
    client: Client, method: str, kind_of_body: str, body: str, told: list[str]
) -> None:
    client("POST", BASE, thing("sized"))
    answer = client(method, f"{BASE}/sized/scale?dryRun=All", body, {"Content-Type": f"application/{kind_of_body}"})
    warnings = [value for name, value in answer.headers if name == "Warning"]
    assert warnings == [f'299 - "unknown field \\"{path}\\""' for path in told]


def test_what_a_json_patch_puts_into_a_built_in_object_stays_in_its_order(client: Client) -> None:
    maps = "/api/v1/namespaces/default/configmaps"
    client("POST", maps, {"metadata": {"name": "patched"}})
    operation = {"op": "add", "path": "/metadata", "value": {"name": "patched", "z": 1, "a": 1}}
    headers = {"Content-Type": "application/json-patch+json"}
    answer = client("PATCH", f"{maps}/patched?dryRun=All&fieldValidation=Strict", json.dumps([operation]), headers)
    assert message(answer).endswith('strict decoding error: unknown field "metadata.z", unknown field "metadata.a"')


def test_members_that_yaml_gives_twice_are_one_finding_beside_a_hundred(client: Client) -> None:
    body = '{"metadata":{"name":"m"},' + ",".join(f'"{n:03}":1,"{n:03}":1' for n in range(150)) + "}"
    path = "/api/v1/namespaces/default/configmaps?fieldValidation=Strict"
    answer = client("POST", path, body, {"Content-Type": "application/yaml"})
    assert message(answer).count("already set in map") == 150
    assert message(answer).endswith('unknown field "098", unknown field "099"')


def test_a_collection_of_one_named_object_is_deleted_as_it_is_now(client: Client) -> None:
    """Whatever resourceVersion is asked for, which is a precondition too; without a name that one is looked at."""
    maps = "/api/v1/namespaces/default/configmaps"
    old = json.loads(client("GET", maps).body)["metadata"]["resourceVersion"]
    client("POST", maps, {"metadata": {"name": "newer"}})
    query = f"resourceVersion={old}&dryRun=All"
    named = client("DELETE", f"{maps}?{query}&fieldSelector=metadata.name%3Dnewer")
    assert (named.code, json.loads(named.body)["details"]["name"]) == (409, "newer")
    assert "newer" not in client("DELETE", f"{maps}?{query}").text
    future = client("DELETE", f"{maps}?resourceVersion=99999999&fieldSelector=metadata.name%3Dnewer")
    assert (future.code, json.loads(future.body)["reason"]) == (504, "Timeout")


def test_an_empty_map_of_what_is_allocatable_leaves_a_node_to_write_anew(client: Client) -> None:
    """It is stored as nothing, where whoever reads the node finds its capacity."""
    nodes = "/api/v1/nodes"
    status = {"capacity": {"cpu": "1"}, "allocatable": {}}
    client("POST", nodes, {"metadata": {"name": "idle"}, "status": status})
    client("POST", nodes, {"metadata": {"name": "bare"}, "status": {"allocatable": {}}})

    def revision_after(patch: Any, path: str) -> str:
        answer = client("PATCH", f"{nodes}/{path}", json.dumps(patch), {"Content-Type": "application/merge-patch+json"})
        return str(json.loads(answer.body)["metadata"]["resourceVersion"])

    def revisions(name: str) -> list[str]:
        known = json.loads(client("GET", f"{nodes}/{name}").body)["metadata"]["resourceVersion"]
        return [known, *(revision_after({}, path) for path in (name, f"{name}/status"))]

    made, anew, same = revisions("idle")
    assert (made != anew, anew == same) == (True, True)
    assert len(set(revisions("bare"))) == 1
    assert revision_after({"status": {"allocatable": None}}, "idle/status") == same
    body = json.loads(client("GET", f"{nodes}/idle").body)
    answer = client("PUT", f"{nodes}/idle/status", {**body, "status": {**body["status"], "allocatable": {}}})
    assert json.loads(answer.body)["metadata"]["resourceVersion"] != same
