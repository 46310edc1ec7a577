"""What has no store: bindings, statuses of components, proxies; and what discovery tells of all kinds."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from typing import Any

import pytest

from support import data
from support.golden.client import Client
from support.server import Server

pytestmark = pytest.mark.e2e

PODS = "/api/v1/namespaces/default/pods"
BINDINGS = "/api/v1/namespaces/default/bindings"
COMPONENTS = "/api/v1/componentstatuses"
SERVICES = "/api/v1/namespaces/default/services"
TABLE = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
AGGREGATED = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
POD_SPEC = {"containers": [{"name": "c", "image": "i"}]}
FACTS = data.find("kinds")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        yield Client("127.0.0.1", server.plain_port)


def ask(client: Client, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
    """The code and the message of a Status, or the body."""
    answer = client(method, path, body, headers)
    read = json.loads(answer.body)
    return (answer.code, read.get("message", "")) if read["kind"] == "Status" else read


def test_a_binding_gives_a_pod_to_a_node(client: Client) -> None:
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert client("POST", PODS, pod).code == 201
    binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    assert ask(client, "POST", BINDINGS, {**binding, "metadata": {"name": "q"}}) == (404, 'pods "q" not found')
    assert ask(client, "POST", BINDINGS, {**binding, "metadata": {}}) == (400, "Name parameter required.")
    assert ask(client, "POST", f"{BINDINGS}?dryRun=All", binding) == (201, "")
    assert ask(client, "POST", BINDINGS, binding) == (201, "")
    assert ask(client, "GET", f"{PODS}/p")["spec"]["nodeName"] == "n"
    assert ask(client, "POST", BINDINGS, binding)[0] == 409
    assert ask(client, "GET", BINDINGS)[0] == 405
    assert ask(client, "POST", "/api/v1/bindings", binding)[0] == 404


def test_rows_hold_what_is_asked_for(client: Client) -> None:
    """Of a Scale, too; and who asks for something else is refused even where the answer is no table."""
    controllers = "/api/v1/namespaces/default/replicationcontrollers"
    spec = {"template": {"metadata": {"labels": {"a": "b"}}, "spec": POD_SPEC}}
    assert client("POST", controllers, {"metadata": {"name": "r"}, "spec": spec}).code == 201
    scale = f"{controllers}/r/scale"
    whole = ask(client, "GET", scale)

    def included(word: str) -> Any:
        (row,) = ask(client, "GET", f"{scale}?includeObject={word}", None, TABLE)["rows"]
        return row["object"]

    assert included("Object") == whole
    assert included("None") is None
    assert included("Metadata")["kind"] == "PartialObjectMetadata"
    wrong = "Unable to convert to Table as requested: includeObject: Invalid value"
    code, text = ask(client, "DELETE", f"{controllers}/r?propagationPolicy=Background&includeObject=x", None, TABLE)
    assert (code, text[: len(wrong)]) == (400, wrong)
    assert ask(client, "GET", f"{controllers}/r")[0] == 404  # it is gone all the same


def test_components_tell_how_they_are(client: Client) -> None:
    answer = client("GET", COMPONENTS)
    assert answer.header("warning") == '299 - "v1 ComponentStatus is deprecated in v1.19+"'
    listed = json.loads(answer.body)
    assert listed["metadata"] == {}
    assert [item["metadata"]["name"] for item in listed["items"]] == ["controller-manager", "scheduler", "etcd-0"]
    healthy = {"type": "Healthy", "status": "True", "message": "ok"}
    assert ask(client, "GET", f"{COMPONENTS}/etcd-0")["conditions"] == [healthy]
    assert ask(client, "GET", f"{COMPONENTS}/x") == (404, 'componentstatus "x" not found')
    assert ask(client, "GET", f"{COMPONENTS}?labelSelector=a=b")["items"] == []
    rows = ask(client, "GET", f"{COMPONENTS}?fieldSelector=metadata.name=etcd-0", None, TABLE)["rows"]
    assert [row["cells"] for row in rows] == [["etcd-0", "Healthy", "ok", ""]]
    unwatched = 'watch is not supported on resources of kind "componentstatuses"'
    assert ask(client, "GET", f"{COMPONENTS}?watch=true") == (405, unwatched)
    assert ask(client, "GET", f"{COMPONENTS}?watch=true&fieldSelector=x=y")[0] == 400
    assert ask(client, "GET", f"{COMPONENTS}?watch=true&resourceVersionMatch=Exact")[0] == 422
    assert ask(client, "GET", COMPONENTS.replace("/v1/", "/v1/watch/"))[0] == 404
    assert ask(client, "POST", COMPONENTS, {})[0] == 405


def test_proxies_find_what_they_would_call(client: Client) -> None:
    nodes = "/api/v1/nodes"
    assert ask(client, "GET", f"{nodes}/absent/proxy/") == (404, 'nodes "absent" not found')
    assert client("POST", nodes, {"metadata": {"name": "n1"}}).code == 201
    assert ask(client, "GET", f"{nodes}/n1/proxy/") == (500, "no preferred addresses found; known addresses: []")
    assert ask(client, "GET", f"{nodes}/a:b:c/proxy") == (400, 'invalid node request "a:b:c"')
    service = {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80, "name": "web"}]}}
    assert client("POST", SERVICES, service).code == 201
    text = 'no service port 81 found for service "s"'
    assert ask(client, "GET", f"{SERVICES}/s:81/proxy/") == (503, text)
    assert ask(client, "GET", f"{SERVICES}/s:80/proxy/") == (404, 'services "s" not found')
    target = {"kind": "Pod", "namespace": "default", "name": "behind"}
    subset = {"addresses": [{"ip": "10.1.2.3", "targetRef": target}], "ports": [{"name": "web", "port": 8080}]}
    assert client("POST", "/api/v1/namespaces/default/endpoints", {"metadata": {"name": "s"}, "subsets": [subset]})
    text = 'no endpoints available for service "s:web"'
    assert ask(client, "GET", f"{SERVICES}/s:web/proxy/") == (503, text)
    pod = {"metadata": {"name": "behind"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert client("POST", PODS, pod).code == 201
    address = {"status": {"podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]}}
    merge = {"Content-Type": "application/merge-patch+json"}
    assert client("PATCH", f"{PODS}/behind/status", address, merge).code == 200
    # Nobody is called: for another address upstream finds no pod, and where no port is named, no number.
    text = "error trying to reach service: dial tcp: lookup tcp/web: unknown port"
    assert ask(client, "GET", f"{PODS}/behind:web/proxy/x") == (503, text)
    for address in ("127.0.0.1", "169.254.169.254", "::1", "0.0.0.0"):
        status = {"status": {"podIP": address, "podIPs": [{"ip": address}]}}
        assert client("PATCH", f"{PODS}/behind/status", status, merge).code == 200
        assert ask(client, "GET", f"{PODS}/behind:8080/proxy/x") == (400, "address not allowed")


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_aggregated_discovery_is_that_of_a_kube_apiserver(client: Client, path: str) -> None:
    if FACTS is None:
        pytest.skip("the facts of built-in kinds are not here")
    with lzma.open(FACTS / "discovery.json.xz", "rt", encoding="utf-8") as file:
        wanted = json.load(file)[path]
    assert resources(ask(client, "GET", path, None, AGGREGATED)) == resources(wanted)


def resources(document: Any) -> list[Any]:
    """All of them in order, with their group and version."""
    return [
        (group["metadata"].get("name", ""), version["version"], resource)
        for group in document["items"]
        for version in group["versions"]
        for resource in version["resources"]
    ]


def test_of_what_has_no_table_there_is_none(client: Client) -> None:
    """Where a client would take plain JSON too, it gets that."""
    assert client("POST", PODS, {"metadata": {"name": "t"}, "spec": POD_SPEC}).code == 201
    either = {"Accept": f"{TABLE['Accept']},application/json"}
    text = "only the following media types are accepted: application/json, application/yaml, "
    refused = (406, f"{text}application/vnd.kubernetes.protobuf")
    for path in (f"{PODS}/t/resize", f"{PODS}/t/ephemeralcontainers"):
        assert ask(client, "GET", path, None, TABLE) == refused
        assert ask(client, "GET", path, None, either)["kind"] == "Pod"
    assert ask(client, "GET", f"{PODS}/t/status", None, TABLE)["kind"] == "Table"
    for path, kind in ((SELF, "SelfSubjectReview"), (f"{ACCOUNTS}/default/token", "TokenRequest")):
        client("POST", ACCOUNTS, {"metadata": {"name": "default"}})
        assert ask(client, "POST", path, {}, TABLE) == refused
        assert ask(client, "POST", path, {}, either)["kind"] == kind
        metadata = {"Accept": TABLE["Accept"].replace("Table", "PartialObjectMetadata")}
        assert ask(client, "POST", path, {}, metadata)["kind"] == "PartialObjectMetadata"
        metadata = {"Accept": TABLE["Accept"].replace("Table", "PartialObjectMetadataList")}
        code, told = ask(client, "POST", path, {}, metadata)
        assert (code, told.endswith(f"the requested object is not a list (*authentication.{kind})")) == (406, True)


def test_a_token_is_asked_for_the_account_of_the_address(client: Client) -> None:
    client("POST", ACCOUNTS, {"metadata": {"name": "s"}})
    client("POST", PODS, {"metadata": {"name": "bound"}, "spec": {**POD_SPEC, "serviceAccountName": "s"}})
    path = f"{ACCOUNTS}/s/token"
    told = "the namespace of the provided object does not match the namespace sent on the request"
    assert ask(client, "POST", path, {"metadata": {"namespace": "q"}}) == (400, told)
    assert ask(client, "POST", f"{ACCOUNTS}/absent/token", {"metadata": {"name": "x"}})[0] == 422
    code, told = ask(client, "POST", path, {"metadata": {"uid": "x"}})
    assert (code, "the UID in the token request (x) does not match the UID of the service" in told) == (409, True)
    for api_version in ("v1", "v2", "", "a/b/c"):  # the group counts
        reference = {"kind": "Pod", "apiVersion": api_version, "name": "bound"}
        assert ask(client, "POST", path, {"spec": {"boundObjectRef": reference}})["kind"] == "TokenRequest"
    for kind in ("Pod", "Secret", "Node"):
        for name, expected in (
            ("", "Name parameter required."),
            ("a/b", 'Name parameter invalid: "a/b": may not contain'),
        ):
            reference = {"kind": kind, "apiVersion": "v1", "name": name}
            code, told = ask(client, "POST", path, {"spec": {"boundObjectRef": reference}})
            assert (code, told.startswith(expected)) == (400, True)
    code, told = ask(client, "POST", path, {"spec": {"boundObjectRef": {"kind": "Pod", "apiVersion": "a/v1"}}})
    assert (code, told) == (400, "cannot bind token to object of type a/v1, Kind=Pod")


def test_what_is_wrong_with_access_reviews(client: Client) -> None:
    reviews = "/apis/authorization.k8s.io/v1"
    unread = {"rawSelector": "!!"}
    attributes = {"verb": "list", "resource": "pods", "fieldSelector": unread, "labelSelector": unread}
    spec = {"user": "a", "resourceAttributes": attributes}
    answer = ask(client, "POST", f"{reviews}/subjectaccessreviews", {"spec": spec})
    ignored = [
        f"spec.resourceAttributes.{name} ignored due to parse error" for name in ("fieldSelector", "labelSelector")
    ]
    assert answer["status"]["evaluationError"] == "; ".join(ignored)
    spec = {"user": "a", "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}}
    for path, end in (("subjectaccessreviews", "empty"), ("namespaces/default/localsubjectaccessreviews", "namespace")):
        code, told = ask(client, "POST", f"{reviews}/{path}", {"metadata": {"name": "x"}, "spec": spec})
        assert (code, told.rpartition(" ")[2]) == (422, end)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("selfsubjectaccessreviews", ["nonResourceAttributes", "fieldSelector", "labelSelector", "metadata"]),
        ("subjectaccessreviews", ["nonResourceAttributes", "user", "fieldSelector", "labelSelector", "metadata"]),
        (
            "namespaces/default/localsubjectaccessreviews",
            ["nonResourceAttributes", "user", "fieldSelector", "labelSelector", "metadata", "namespace", "Attributes"],
        ),
    ],
)
def test_faults_of_a_review_stand_in_upstreams_order(client: Client, path: str, fields: list[str]) -> None:
    asked = {"verb": "get", "resource": "pods", "fieldSelector": {}, "labelSelector": {}, "namespace": "n"}
    body = {"metadata": {"labels": {"a": "b"}}, "spec": {"resourceAttributes": asked, "nonResourceAttributes": {}}}
    answer = client("POST", f"/apis/authorization.k8s.io/v1/{path}", body)
    causes = json.loads(answer.body)["details"]["causes"]
    assert [want in cause["field"] for want, cause in zip(fields, causes, strict=True)] == [True] * len(fields)
