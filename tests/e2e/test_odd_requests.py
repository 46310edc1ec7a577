"""Requests that nobody should send, answered as kube-apiserver answers them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


class Answer(NamedTuple):
    code: int
    type: str | None
    body: bytes


Ask = Callable[..., Answer]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with Server() as server:

        def send(method: str, path: str, body: str | None = None, content_type: str = "application/json") -> Answer:
            connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
            try:
                connection.request(method, path, body, {"Content-Type": content_type})
                response = connection.getresponse()
                return Answer(response.status, response.headers["Content-Type"], response.read())
            finally:
                connection.close()

        yield send


def message(answer: Answer) -> Any:
    return json.loads(answer.body)["message"]


def test_below_the_version_there_is_a_status(ask: Ask) -> None:
    for method in ("GET", "PUT", "FOO"):
        answer = ask(method, "/version/x")
        assert (answer.code, message(answer)) == (404, "the server could not find the requested resource")
    assert ask("GET", "/versionx").body == b"404 page not found\n"


@pytest.mark.parametrize("slashes", ["//", "///", "/%2F"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_nothing_is_served_behind_two_slashes(ask: Ask, slashes: str, method: str) -> None:
    for path in (f"{CONFIG_MAPS}/a", CONFIG_MAPS, "/apis/apps/v1", "/version", "/"):
        answer = ask(method, slashes + path[1:], "{}")
        assert (answer.code, answer.body) == (404, b"404 page not found\n")


@pytest.mark.parametrize(
    ("path", "as_at"),
    [
        ("/version//", "/version"),
        ("/version%2F", "/version"),
        ("/%76ersion", "/version"),
        ("/api///", "/api"),
        ("/api%2F", "/api"),
        ("/api/v1//", "/api/v1"),
        ("/api%2Fv1", "/api/v1"),
        ("/apis%2F", "/apis/"),
        ("/apis/apps//", "/apis/apps"),
        ("/apis/apps%2F%2F", "/apis/apps"),
        ("/apis/apps/v1///", "/apis/apps/v1"),
        ("/apis%2Fapps%2Fv1", "/apis/apps/v1"),
        ("/openapi%2Fv3", "/openapi/v3"),
        ("/openapi/v3/apis%2Fapps%2Fv1", "/openapi/v3/apis/apps/v1"),
        ("/readyz%2Fping", "/readyz/ping"),
        ("/.well-known%2Fopenid-configuration//", "/.well-known/openid-configuration"),
    ],
)
def test_plain_paths_are_decoded_and_lose_slashes_at_their_end(ask: Ask, path: str, as_at: str) -> None:
    answer = ask("GET", path)
    assert (answer.code, answer) == (200, ask("GET", as_at))


def test_the_list_of_groups_has_one_slash_behind_it_at_most(ask: Ask) -> None:
    for path in ("/apis//", "/apis%2F%2F", "/apis//apps"):
        assert ask("GET", path).body == b"404 page not found\n"


def test_of_built_in_groups_other_slashes_lead_to_the_router(ask: Ask) -> None:
    for path in ("/apis/apps//v1", "/apis/apps/v1//deployments", "/apis/batch//v1/jobs", "/apis/batch%2Fv1/nothing"):
        answer = ask("GET", path)
        assert (answer.code, message(answer)) == (404, "the server could not find the requested resource")
    assert [ask("POST", f"/apis/apps{end}", "{}").code for end in ("", "/", "//")] == [200, 200, 405]
    assert ask("GET", "/openid/v1/jwks/").code == 200


def test_the_media_type_of_a_new_object_is_looked_at_before_its_options(ask: Ask) -> None:
    answer = ask("POST", f"{CONFIG_MAPS}?dryRun=x", "{}", "text/plain")
    assert answer.code == 415
    review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    token = "/api/v1/namespaces/default/serviceaccounts/default/token"
    assert [ask("POST", f"{path}?dryRun=x", "{}", "text/plain").code for path in (review, token)] == [415, 415]
    assert [ask("POST", f"{path}?dryRun=x", "{}").code for path in (review, token)] == [422, 422]
    assert ask("PUT", f"{CONFIG_MAPS}/a?dryRun=x", "{}", "text/plain").code == 422


def test_the_media_type_of_a_patch_is_one_of_a_list_to_the_router_alone(ask: Ask) -> None:
    merge, path = "application/merge-patch+json", f"{CONFIG_MAPS}/absent"
    for media_type in (f"{merge} ; a=b", f"text/plain, {merge}", f"{merge},x"):
        answer = ask("PATCH", path, "{}", media_type)
        assert (answer.code, message(answer).startswith("the body of the request was in an unknown format")) == (
            415,
            True,
        )
    for media_type in ("text/plain, x", "a;b"):
        answer = ask("PATCH", path, "{}", media_type)
        assert (answer.code, message(answer)) == (415, "415: Unsupported Media Type")
    assert ask("PATCH", path, "{}", f"{merge};a=b").code == 404


def test_numbers_that_are_too_large_do_not_matter_where_no_field_is(ask: Ask) -> None:
    body = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "huge"}, "spec": {"n": 1e400}}'
    assert ask("POST", CONFIG_MAPS, body).code == 201
    definition = (
        '{"metadata": {"name": "x"}, "spec": {"versions": [{"schema": {"openAPIV3Schema": {"default": 1e400}}}]}}'
    )
    answer = ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    assert answer.code == 400
    assert "cannot unmarshal number 1e400" in message(answer)


def test_an_export_is_refused(ask: Ask) -> None:
    answer = ask("GET", "/api/v1/namespaces/default?export")
    assert (answer.code, message(answer)[:20]) == (400, "the export parameter")
    assert ask("GET", f"{CONFIG_MAPS}?export=true&labelSelector=%").code == 200


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"dryRun": ["x"]}, 'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]'),
        ({"propagationPolicy": "x"}, 'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value'),
        (
            {"ignoreStoreReadErrorWithClusterBreakingPotential": True},
            'Eviction.policy "odd" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid',
        ),
    ],
)
def test_an_eviction_is_refused_for_what_a_deletion_is(ask: Ask, options: dict[str, Any], expected: str) -> None:
    pods = "/api/v1/namespaces/default/pods"
    pod = {"metadata": {"name": "odd"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert ask("POST", pods, json.dumps(pod)).code == 201
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "odd"}, "deleteOptions": options}
    answer = ask("POST", f"{pods}/odd/eviction", json.dumps(eviction))
    assert answer.code == 422
    assert message(answer).startswith(expected)
    assert ask("DELETE", f"{pods}/odd").code == 200


@pytest.mark.parametrize("name", ["log", "exec", "binding", "eviction"])
def test_addresses_of_pods_refuse_what_they_never_take(ask: Ask, name: str) -> None:
    path = f"/api/v1/namespaces/default/pods/none/{name}"
    for method in ("PUT", "PATCH", "DELETE", "FOO"):
        assert ask(method, path, "{}").code == 405
    if name in ("log", "exec"):
        assert message(ask("GET", path)) == 'pods "none" not found'


@pytest.mark.parametrize("path", ["/api/v1/watch", "/apis/apps/v1/proxy/", "/apis/apps/v1/watch?x=<&y"])
def test_a_path_that_only_begins_cannot_be_read(ask: Ask, path: str) -> None:
    answer = ask("POST", path)
    shown = path.replace("&", "&amp;").replace("<", "&lt;")
    detail = f"failed to create RequestInfo: unable to determine kind and namespace from url, {shown}"
    assert (answer.code, answer.body.decode()) == (500, f'Internal Server Error: "{shown}": {detail}\n')


@pytest.mark.parametrize(
    "path", ["/api/v1/namespaces/default/proxy", "/api/v1/namespaces/default/watch", "/api/v1/proxy/pods/x"]
)
def test_verbs_in_a_path_name_nothing(ask: Ask, path: str) -> None:
    """Behind a namespace they are resources that there are not, before one what is no longer served."""
    for method in ("GET", "POST", "PUT", "DELETE"):
        answer = ask(method, path, "{}")
        assert (answer.code, message(answer)) == (404, "the server could not find the requested resource")


def test_behind_a_subresource_there_is_nothing(ask: Ask) -> None:
    for path in ("default/status/y", "default/pods/x/log/y", "default/configmaps/x/y/z"):
        for method in ("GET", "PUT", "DELETE"):
            answer = ask(method, f"/api/v1/namespaces/{path}")
            assert (answer.code, message(answer)) == (404, "the server could not find the requested resource")


def test_an_empty_namespace_is_missed_where_one_is_needed(ask: Ask) -> None:
    maps = "/api/v1/namespaces//configmaps"
    body = '{"metadata": {"name": "a", "namespace": "default"}}'
    for method, content_type in (
        ("GET", "application/json"),
        ("PUT", "application/json"),
        ("PATCH", "application/merge-patch+json"),
        ("DELETE", "application/json"),
    ):
        answer = ask(method, f"{maps}/a", "" if method in ("GET", "DELETE") else body, content_type)
        assert (answer.code, message(answer)) == (400, "Namespace parameter required.")
    assert message(ask("PUT", f"{maps}/b", body)).startswith("the name of the object (a) does not match")
    assert message(ask("PUT", f"{maps}/a?dryRun=x", body)).startswith("UpdateOptions.meta.k8s.io")
    for resource, kind in (("configmaps", "ConfigMap"), ("secrets", "Secret")):
        answer = ask("POST", f"/api/v1/namespaces//{resource}", body)
        assert (answer.code, message(answer)) == (422, f'{kind} "a" is invalid: metadata.namespace: Required value')
    for method, code in (("GET", 200), ("PUT", 405)):
        assert ask(method, maps).code == code
    assert json.loads(ask("DELETE", f"{maps}?labelSelector=of-no-object").body)["kind"] == "ConfigMapList"
    assert ask("HEAD", f"{maps}/a").code == 405
    assert ask("GET", "/apis/apps/v1/watch/deployments/x").code == 404
    assert ask("DELETE", "/api/v1/configmaps").code == 405


def test_a_collection_of_all_namespaces_is_not_deleted(ask: Ask) -> None:
    maps = "/api/v1/namespaces/default/configmaps"
    ask("POST", maps, '{"metadata": {"name": "stays"}}')
    answer = ask("DELETE", "/api/v1/namespaces//configmaps")
    assert (answer.code, message(answer)) == (400, "Namespace parameter required.")
    assert ask("GET", f"{maps}/stays").code == 200


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("namespaces//status", {"GET", "PUT", "PATCH"}),
        ("namespaces//finalize", {"PUT"}),
        ("nodes//proxy", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("namespaces/default/pods//log", {"GET"}),
        ("namespaces/default/pods//eviction", {"POST"}),
        ("namespaces/default/serviceaccounts//token", {"POST"}),
    ],
)
def test_a_subresource_of_nothing_has_no_name(ask: Ask, path: str, methods: set[str]) -> None:
    for method in ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH"):
        if "proxy" in path and method not in methods:
            continue
        answer = ask(method, f"/api/v1/{path}", "{}" if method in ("POST", "PUT", "PATCH") else "")
        assert answer.code == (400 if method in methods else 405)
        if method != "HEAD" and method in methods:
            assert message(answer) == "name must be provided"


@pytest.mark.parametrize("path", ["/nodes", "default/nodes", "default/nodes/a", "default/namespaces", "/namespaces/a"])
def test_nothing_cluster_scoped_is_inside_a_namespace(ask: Ask, path: str) -> None:
    for method in ("GET", "POST", "PUT", "DELETE"):
        answer = ask(method, f"/api/v1/namespaces/{path}")
        assert (answer.code, message(answer)) == (404, "the server could not find the requested resource")


def test_the_index_has_two_addresses(ask: Ask) -> None:
    assert ask("POST", "/index.html") == ask("GET", "/")


def test_documents_are_at_one_address(ask: Ask) -> None:
    assert (ask("GET", "/openapi/v2/").code, ask("GET", "/openapi/v2").code) == (404, 200)


def test_an_applied_version_may_begin_with_a_slash(ask: Ask) -> None:
    body = '{"apiVersion": "/v1", "kind": "ConfigMap", "metadata": {"name": "slash"}}'
    answer = ask("PATCH", f"{CONFIG_MAPS}/slash?fieldManager=m", body, "application/apply-patch+yaml")
    assert (answer.code, json.loads(answer.body)["apiVersion"]) == (201, "v1")


def test_a_patched_document_without_a_version_is_quoted(ask: Ask) -> None:
    assert ask("POST", CONFIG_MAPS, '{"metadata": {"name": "quoted"}}').code == 201
    answer = ask("PATCH", f"{CONFIG_MAPS}/quoted", '{"apiVersion": "apps/"}', "application/merge-patch+json")
    assert answer.code == 422
    assert 'Object \'apiVersion\' is missing in \'{"apiVersion":"apps/","kind":"ConfigMap"' in message(answer)


def test_events_are_read_as_from_a_store_without_a_cache(ask: Ask) -> None:
    base = "/api/v1/namespaces/default/events"
    for name in "ab":
        event = {"metadata": {"name": name, "namespace": "default"}, "involvedObject": {"namespace": "default"}}
        assert ask("POST", base, json.dumps({"apiVersion": "v1", "kind": "Event", **event})).code == 201
    page = json.loads(ask("GET", f"{base}?limit=1&resourceVersion=0").body)
    assert (len(page["items"]), page["metadata"]["remainingItemCount"]) == (1, 1)
    for path in (f"{base}?resourceVersion=99999999", f"{base}/a?resourceVersion=99999999"):
        refused = json.loads(ask("GET", path).body)
        assert (refused["code"], "retryAfterSeconds" in refused["details"]) == (504, False)
    malformed = ask("GET", f"{base}/a?resourceVersion=x")
    assert malformed.code == 400
    assert json.loads(malformed.body)["message"] == (
        'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'
    )
    assert ask("GET", f"{CONFIG_MAPS}/a?resourceVersion=x").code == 500
    cached = json.loads(ask("GET", f"{CONFIG_MAPS}?resourceVersion=99999999").body)
    assert cached["details"]["retryAfterSeconds"] == 1


@pytest.mark.parametrize("revision", [2**63 - 1, 2**63, 2**64 - 1])
def test_events_of_a_revision_that_no_store_has_are_long_past(ask: Ask, revision: int) -> None:
    answer = ask("GET", f"/api/v1/namespaces/default/events?watch=1&timeoutSeconds=60&resourceVersion={revision}")
    told = json.loads(answer.body)
    assert (answer.code, told["type"], told["object"]["code"]) == (200, "ERROR", 410)
    assert told["object"]["message"] == "The resourceVersion for the provided watch is too old."


def test_pages_behind_the_first_are_not_narrowed_to_a_namespace(ask: Ask) -> None:
    """The first page is one of the namespace that its selector names, and so is the token that it gives."""
    assert ask("POST", "/api/v1/namespaces", '{"metadata": {"name": "paged"}}').code == 201
    inside = CONFIG_MAPS.replace("default", "paged")
    for name in "ab":
        assert ask("POST", inside, json.dumps({"metadata": {"name": name}})).code == 201
    selected = "/api/v1/configmaps?fieldSelector=metadata.namespace%3Dpaged,metadata.name!%3Dkube-root-ca.crt&limit=1"
    first = json.loads(ask("GET", selected).body)
    token = first["metadata"]["continue"]
    second, narrow = (json.loads(ask("GET", f"{at}&continue={token}").body) for at in (selected, f"{inside}?limit=1"))
    assert [page["items"][0]["metadata"]["name"] for page in (first, second, narrow)] == ["a", "a", "b"]


def test_a_namespace_that_cannot_be_does_not_tell_the_key_of_an_object(ask: Ask) -> None:
    """A page of an old revision is that very revision then, which is gone."""
    at = "/api/v1/configmaps?limit=1&resourceVersion=1&fieldSelector=metadata.name%3Da,metadata.namespace%3D"
    assert [ask("GET", at + namespace).code for namespace in ("default", "A_")] == [200, 410]
