"""Addresses with empty parts, and with namespaces that are no part of a path, answered as kube-apiserver does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Answer, Client

pytestmark = pytest.mark.e2e

GROUP = "addresses.example.com"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
NOWHERE = "the server could not find the requested resource"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with definitions.serving_scaled_things(GROUP) as call:
        kept = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept"}}
        assert call("POST", CONFIG_MAPS, kept).code == 201
        yield call


def message(answer: Answer) -> Any:
    return json.loads(answer.body)["message"]


def send(client: Client, method: str, path: str) -> Answer:
    content_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
    return client(method, path, "{}" if method in ("POST", "PUT", "PATCH") else None, {"Content-Type": content_type})


# ---- empty parts


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rest", ["///x", "//x", "///status", "/kept//x", "/kept//status", "/kept///status"])
def test_of_built_in_resources_an_empty_part_is_a_part(client: Client, method: str, rest: str) -> None:
    for items in (
        CONFIG_MAPS,
        "/api/v1/configmaps",
        "/api/v1/watch/namespaces/default/configmaps",
        "/api/v1/nodes",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    ):
        answer = send(client, method, items + rest)
        assert answer.code == 404
        assert method == "HEAD" or message(answer) == NOWHERE
    assert client("GET", f"{CONFIG_MAPS}/kept").code == 200


@pytest.mark.parametrize("rest", ["///x", "//x", "/a//x"])
def test_what_is_not_stored_has_no_address_with_an_empty_part(client: Client, rest: str) -> None:
    for method, items in (
        ("GET", "/api/v1/componentstatuses"),
        ("POST", "/api/v1/namespaces/default/bindings"),
        ("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews"),
    ):
        answer = send(client, method, items + rest)
        assert (answer.code, message(answer)) == (404, NOWHERE)


def test_components_are_listed_with_options(client: Client) -> None:
    assert json.loads(client("GET", "/api/v1/componentstatuses?limit=1").body)["kind"] == "ComponentStatusList"


def test_slashes_at_the_end_are_no_parts(client: Client) -> None:
    assert json.loads(client("GET", f"{CONFIG_MAPS}//").body)["kind"] == "ConfigMapList"
    assert json.loads(client("GET", f"{CONFIG_MAPS}/kept//").body)["kind"] == "ConfigMap"


# ---- namespaces that would lead a key elsewhere


@pytest.mark.parametrize("namespace", [".", ".."])
@pytest.mark.parametrize(("root", "key"), [("/api/v1", "/configmaps"), (f"/apis/{GROUP}/v1", f"/{GROUP}/things")])
def test_nothing_is_looked_for_in_a_namespace_that_is_a_directory(
    client: Client, namespace: str, root: str, key: str
) -> None:
    items = f"{root}/namespaces/{namespace}/{key.rpartition('/')[2]}"
    kind = {"apiVersion": root.removeprefix("/apis/").removeprefix("/api/")}
    kind["kind"] = "ConfigMap" if kind["apiVersion"] == "v1" else "Thing"
    body = json.dumps({**kind, "metadata": {"name": "a"}})
    for method, query in (
        ("GET", ""),
        ("GET", "?limit=1"),
        ("GET", "?watch=1&resourceVersion=x"),
        ("DELETE", "?dryRun=All"),
    ):
        answer = client(method, items + query)
        assert (answer.code, message(answer)) == (500, f'invalid key: "{key}/{namespace}"')
    for asked in (f"{items}?fieldSelector=metadata.name=a", f"{items}/a?resourceVersion=1&resourceVersionMatch=Exact"):
        assert message(client("GET", asked)) == f'invalid key: "{key}/{namespace}/a"'
    for method, content_type in (
        ("GET", "application/json"),
        ("PUT", "application/json"),
        ("PATCH", "application/merge-patch+json"),
        ("PATCH", "application/apply-patch+yaml"),
        ("DELETE", "application/json"),
    ):
        sent = body if method in ("PUT", "PATCH") else None
        answer = client(method, f"{items}/a?fieldManager=m", sent, {"Content-Type": content_type})
        assert (answer.code, message(answer)) == (500, f'invalid key: "{key}/{namespace}/a"')


@pytest.mark.parametrize(
    ("namespace", "name", "problem"),
    [(".", ".", "may not be '.'"), ("..", "..", "may not be '..'"), ("a%25b", "a%b", "may not contain '%'")],
)
def test_nothing_is_created_in_a_namespace_without_a_name(
    client: Client, namespace: str, name: str, problem: str
) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    answer = client("POST", f"/api/v1/namespaces/{namespace}/configmaps", body)
    status = json.loads(answer.body)
    detail = f'invalid resource name "{name}": [{problem}]'
    assert (status["code"], status["reason"]) == (500, "InternalError")
    assert status["message"] == f"Internal error occurred: {detail}"
    assert status["details"] == {"causes": [{"message": detail}]}


# ---- versions without a group


@pytest.mark.parametrize(("given", "told"), [("/", ""), ("/v1", "v1")])
def test_an_empty_group_of_a_version_is_not_told(client: Client, given: str, told: str) -> None:
    body = json.dumps({"apiVersion": given, "kind": "Thing", "metadata": {"name": "a"}})
    for method, path in (("POST", THINGS), ("PUT", f"{THINGS}/a")):
        answer = client(method, path, body, {"Content-Type": "application/json"})
        expected = f"the API version in the data ({told}) does not match the expected API version ({GROUP}/v1)"
        assert (answer.code, message(answer)) == (400, expected)


# ---- what only begins an address


@pytest.mark.parametrize("path", ["/api/v1/watch", "/api/v1/proxy", "/apis/apps/v1/watch"])
def test_what_cannot_be_read_tells_nothing_of_caches(client: Client, path: str) -> None:
    answer = client("GET", path)
    assert (answer.code, answer.header("Cache-Control")) == (500, "")
    assert answer.header("Audit-Id")


# ---- a definition's own namespaces


def define_namespaces(client: Client, group: str, scope: str) -> str:
    """A definition of a resource named as namespaces are; the address of its version."""
    definition = definitions.of_things(group, scope=scope)
    definition["metadata"]["name"] = f"namespaces.{group}"
    definition["spec"]["names"] = {"plural": "namespaces", "kind": "Thing"}
    definitions.install(client, definition)
    return f"/apis/{group}/v1"


def test_what_follows_namespaces_is_one_even_to_a_resource_of_that_name(client: Client) -> None:
    thing = {"apiVersion": "clusters.example.com/v1", "kind": "Thing", "metadata": {"name": "x"}}
    base = define_namespaces(client, "clusters.example.com", "Cluster")
    assert client("POST", f"{base}/namespaces", thing).code == 201
    assert client("GET", f"{base}/namespaces").code == 200
    for path in ("namespaces/x", "namespaces/x/namespaces", "namespaces/x/namespaces/x", "watch/namespaces/x"):
        answer = client("GET", f"{base}/{path}")
        assert (answer.code, answer.text) == (404, "404 page not found\n")
    assert client("DELETE", f"{base}/namespaces/x").code == 404


def test_a_namespaced_resource_of_that_name_is_within_namespaces(client: Client) -> None:
    thing = {"apiVersion": "within.example.com/v1", "kind": "Thing", "metadata": {"name": "default"}}
    base = define_namespaces(client, "within.example.com", "Namespaced")
    assert client("POST", f"{base}/namespaces/default/namespaces", thing).code == 201
    assert client("GET", f"{base}/namespaces/default/namespaces/default").code == 200
    assert client("GET", f"{base}/namespaces/default").code == 200
