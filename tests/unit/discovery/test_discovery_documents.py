"""What clients read at /api and /apis, and that a change costs only its own group."""

import gzip
import json

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apis.resource import SUBRESOURCE_VERBS, APIResource, GroupVersionKind, Subresource
from quarterdeck.discovery import documents
from quarterdeck.discovery.documents import GroupVersion
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.transport import pieces
from quarterdeck.transport.messages import ConnectionInfo, Request, Response

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
ONLY = "only the following media types are accepted: "
MEDIA_TYPES = "application/json, application/yaml, application/vnd.kubernetes.protobuf"

CUSTOM_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


def widget(group="ex.dev", version="v1", name="widgets", **more):
    kind = name[:-1].capitalize()
    return APIResource(
        group, version, name, name[:-1], kind, kind + "List", more.pop("namespaced", True), CUSTOM_VERBS, **more
    )


def served(resource, **more):
    return GroupVersion(resource.group, resource.version, (resource,), **more)


def ask(discovery, path, accept="", method="GET", **headers) -> Response:
    if accept:
        headers["accept"] = accept
    headers = {key.replace("_", "-"): value for key, value in headers.items()}
    path, _, query = path.partition("?")
    return discovery.respond(Request(method, path, query, headers, b"", ConnectionInfo("127.0.0.1", is_secure=True)))


def body(response):
    return json.loads(response.body)


@pytest.fixture
def discovery():
    discovery = DiscoveryDocuments("127.0.0.1:6443")
    core = APIResource("", "v1", "configmaps", "configmap", "ConfigMap", "ConfigMapList", True, short_names=("cm",))
    apps = APIResource("apps", "v1", "deployments", "deployment", "Deployment", "DeploymentList", True)
    discovery.put(
        "built-in",
        [
            served(core, group_priority=18000, version_priority=1, is_builtin=True),
            served(apps, group_priority=17800, version_priority=15, is_builtin=True),
        ],
    )
    return discovery


def test_core_root_names_the_version_and_the_address(discovery):
    assert body(ask(discovery, "/api")) == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}],
    }


def test_core_resource_list_has_no_api_version_but_others_have(discovery):
    assert list(body(ask(discovery, "/api/v1"))) == ["kind", "groupVersion", "resources"]
    assert body(ask(discovery, "/apis/apps/v1"))["apiVersion"] == "v1"


def test_resource_list_shows_subresources_after_their_resource(discovery):
    resource = widget(
        short_names=("wg",),
        categories=("all",),
        storage_version_hash="abc=",
        subresources=(
            Subresource("status", GroupVersionKind("ex.dev", "v1", "Widget"), SUBRESOURCE_VERBS),
            Subresource("scale", GroupVersionKind("autoscaling", "v1", "Scale"), SUBRESOURCE_VERBS),
        ),
    )
    discovery.put("crd", [served(resource)])
    assert body(ask(discovery, "/apis/ex.dev/v1")) == {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": "ex.dev/v1",
        "resources": [
            {
                "name": "widgets",
                "singularName": "widget",
                "namespaced": True,
                "kind": "Widget",
                "verbs": list(CUSTOM_VERBS),
                "shortNames": ["wg"],
                "categories": ["all"],
                "storageVersionHash": "abc=",
            },
            {
                "name": "widgets/status",
                "singularName": "",
                "namespaced": True,
                "kind": "Widget",
                "verbs": ["get", "patch", "update"],
            },
            {
                "name": "widgets/scale",
                "singularName": "",
                "namespaced": True,
                "group": "autoscaling",
                "version": "v1",
                "kind": "Scale",
                "verbs": ["get", "patch", "update"],
            },
        ],
    }


def test_group_document_unites_the_versions_of_its_sources(discovery):
    discovery.put("a", [served(widget(version="v1beta1")), served(widget(version="v2"))])
    discovery.put("b", [served(widget(version="v10", name="gadgets"))])
    document = body(ask(discovery, "/apis/ex.dev"))
    assert [version["version"] for version in document["versions"]] == ["v10", "v2", "v1beta1"]
    assert document["preferredVersion"] == {"groupVersion": "ex.dev/v10", "version": "v10"}


def test_version_without_established_resource_stands_in_its_group_only(discovery):
    discovery.put("crd", [GroupVersion("ex.dev", "v1", None)])
    assert body(ask(discovery, "/apis/ex.dev"))["versions"] == [{"groupVersion": "ex.dev/v1", "version": "v1"}]
    assert ask(discovery, "/apis/ex.dev/v1").status == 404
    names = [item["metadata"].get("name") for item in body(ask(discovery, "/apis", AGGREGATED))["items"]]
    assert names == ["apps"]


def test_groups_follow_their_api_services_plain_and_their_names_aggregated(discovery):
    discovery.put("b", [served(widget("b.dev", "v1beta1"))])
    discovery.put("a", [served(widget("a.dev", "v2"))])
    discovery.put("c", [served(widget("c.dev", "v1"))])
    plain = [group["name"] for group in body(ask(discovery, "/apis"))["groups"]]
    assert plain == ["apps", "c.dev", "b.dev", "a.dev"]
    aggregated = [item["metadata"]["name"] for item in body(ask(discovery, "/apis", AGGREGATED))["items"]]
    assert aggregated == ["apps", "a.dev", "b.dev", "c.dev"]


def test_the_group_of_api_services_comes_first_however_others_rank(discovery):
    discovery.put("apiregistration", [served(widget("apiregistration.k8s.io"), group_priority=18000)])
    discovery.put("a", [served(widget("a.dev"), group_priority=100000)])
    plain = [group["name"] for group in body(ask(discovery, "/apis"))["groups"]]
    assert plain == ["apiregistration.k8s.io", "a.dev", "apps"]
    aggregated = [item["metadata"]["name"] for item in body(ask(discovery, "/apis", AGGREGATED))["items"]]
    assert aggregated == ["a.dev", "apiregistration.k8s.io", "apps"]


def test_aggregated_list_nests_resources_sorted_by_name(discovery):
    discovery.put("z", [served(widget(name="zebras", namespaced=False))])
    discovery.put("a", [served(widget(name="apples"))])
    item = body(ask(discovery, "/apis", AGGREGATED))["items"][-1]
    assert item["metadata"] == {"name": "ex.dev"}
    assert item["versions"][0]["freshness"] == "Current"
    resources = item["versions"][0]["resources"]
    assert [(r["resource"], r["scope"]) for r in resources] == [("apples", "Namespaced"), ("zebras", "Cluster")]
    assert resources[0]["responseKind"] == {"group": "ex.dev", "version": "v1", "kind": "Apple"}


def test_aggregated_core_list_holds_the_core_group_alone(discovery):
    answer = ask(discovery, "/api", AGGREGATED)
    assert dict(answer.headers)["Content-Type"] == AGGREGATED
    assert [item["metadata"] for item in body(answer)["items"]] == [{}]


def test_aggregated_answers_304_until_something_changes(discovery):
    first = ask(discovery, "/apis", AGGREGATED)
    headers = dict(first.headers)
    assert headers["Vary"] == "Accept"
    assert headers["Cache-Control"] == "public"
    etag = headers["ETag"]
    assert ask(discovery, "/apis", AGGREGATED, if_none_match=etag).status == 304
    discovery.put("crd", [served(widget())])
    second = ask(discovery, "/apis", AGGREGATED, if_none_match=etag)
    assert second.status == 200
    assert dict(second.headers)["ETag"] != etag
    discovery.remove("crd")
    assert ask(discovery, "/apis", AGGREGATED, if_none_match=etag).status == 304


def test_change_rebuilds_its_own_group_only(discovery, monkeypatch):
    for number in range(50):
        discovery.put(f"crd{number}", [served(widget(f"g{number}.dev"))])
    ask(discovery, "/apis", AGGREGATED)
    built = []
    build_group = documents.build_group
    monkeypatch.setattr(documents, "build_group", lambda *a, **k: built.append(a[0]) or build_group(*a, **k))
    discovery.put("crd7", [served(widget("g7.dev", short_names=("wg",)))])
    ask(discovery, "/apis", AGGREGATED)
    ask(discovery, "/apis")
    assert set(built) == {"g7.dev"}


def test_same_content_put_again_changes_nothing(discovery):
    discovery.put("crd", [served(widget())])
    before = ask(discovery, "/apis").body
    discovery.put("crd", [served(widget())])
    assert ask(discovery, "/apis").body is before


def test_source_that_moves_to_another_group_leaves_the_old_one(discovery):
    discovery.put("service", [served(widget("a.dev"))])
    discovery.put("service", [served(widget("b.dev"))])
    assert ask(discovery, "/apis/a.dev").status == 404
    assert ask(discovery, "/apis/b.dev").status == 200


@pytest.mark.parametrize("path", ["/apis/absent.dev", "/apis/absent.dev/v1", "/apis//apps", "/apis/ex.dev/v9"])
def test_unknown_custom_addresses_are_plain_text_404(discovery, path):
    discovery.put("crd", [served(widget())])
    answer = ask(discovery, path)
    assert (answer.status, answer.body) == (404, b"404 page not found\n")


@pytest.mark.parametrize("path", ["/api/v2", "/api/v1/nothings", "/apis/apps/v1beta1"])
def test_unknown_addresses_below_built_in_groups_are_a_status(discovery, path):
    with pytest.raises(errors.NotFound, match="the server could not find the requested resource"):
        ask(discovery, path)


@pytest.mark.parametrize("path", ["/apis", "/apis/ex.dev", "/apis/ex.dev/v1", "/apis/apps"])
def test_roots_and_custom_documents_answer_any_method(discovery, path):
    discovery.put("crd", [served(widget())])
    assert ask(discovery, path, method="DELETE").status == 200


@pytest.mark.parametrize("path", ["/api", "/api/v1", "/apis/apps/v1", "/apis/apiregistration.k8s.io"])
def test_built_in_documents_answer_get_only(discovery, path):
    service = APIResource("apiregistration.k8s.io", "v1", "apiservices", "apiservice", "APIService", "", False)
    discovery.put("aggregator", [served(service, is_builtin=True)])
    for method in ("POST", "HEAD", "FROB"):
        with pytest.raises(errors.MethodNotAllowed):
            ask(discovery, path, method=method)


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList",
        "application/json;g=wrong.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=Wrong",
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
    ],
)
def test_unknown_forms_are_not_acceptable(discovery, accept):
    with pytest.raises(errors.NotAcceptable) as raised:
        ask(discovery, "/apis", accept)
    assert raised.value.message == ONLY + MEDIA_TYPES


@pytest.mark.parametrize(
    "accept, media_type",
    [
        ("application/json;stream=watch", "application/json"),
        ("application/json;stream=,application/yaml", "application/json"),
        ("application/json;stream=foo,application/yaml", "application/yaml"),
        ("application/yaml;stream=watch,application/json", "application/json"),
        ("application/json;sv=v1,application/yaml", "application/yaml"),
        (f"{AGGREGATED};stream=foo,application/yaml", "application/yaml"),
    ],
)
def test_streams_and_versions_of_a_server_are_asked_for_where_there_are_such(discovery, accept, media_type):
    assert dict(ask(discovery, "/apis", accept).headers)["Content-Type"] == media_type
    for refused in ("application/yaml;stream=watch", "*/*;stream=foo", "*/*;sv=v1"):
        with pytest.raises(errors.NotAcceptable):
            ask(discovery, "/apis", refused)


def test_aggregated_form_is_refused_away_from_the_roots(discovery):
    for path in ("/apis/", "/apis/apps"):
        with pytest.raises(errors.NotAcceptable):
            ask(discovery, path, AGGREGATED)


def test_core_root_refuses_media_types_in_go_restful_words(discovery):
    for accept in ("text/html", "application/*"):
        with pytest.raises(errors.NotAcceptable) as raised:
            ask(discovery, "/api", accept)
        assert raised.value.message == f"406: Not Acceptable\n\nAvailable representations: {MEDIA_TYPES}"
        assert raised.value.details == {}


def test_aggregated_wins_over_plain_wherever_it_stands(discovery):
    assert body(ask(discovery, "/apis", "application/json," + AGGREGATED))["kind"] == "APIGroupDiscoveryList"
    assert body(ask(discovery, "/apis", AGGREGATED + ",application/json"))["kind"] == "APIGroupDiscoveryList"
    assert body(ask(discovery, "/apis", "text/html,*/*;q=0.1"))["kind"] == "APIGroupList"


def test_yaml_and_indented_json(discovery):
    answer = ask(discovery, "/apis/apps", "application/yaml")
    assert dict(answer.headers)["Content-Type"] == "application/yaml"
    assert answer.body.startswith(b"apiVersion: v1\nkind: APIGroup\nname: apps\n")
    assert b'\n  "kind": "APIGroup"' in ask(discovery, "/apis/apps?pretty=true").body
    assert b"\n" in ask(discovery, "/apis/apps", user_agent="curl/8").body
    assert ask(discovery, "/apis/apps?pretty=0", user_agent="curl/8").body.count(b"\n") == 1
    for path, accept in (("/apis/apps", "application/json"), ("/apis", AGGREGATED), ("/api", AGGREGATED)):
        indented = ask(discovery, path, f"{accept};pretty=1").body
        assert indented.startswith(b'{\n  "kind": "')
        assert json.loads(indented) == json.loads(ask(discovery, path, accept).body)
        assert ask(discovery, path, f"{accept};pretty=true").body.count(b"\n") == 1


def test_protobuf_is_wrapped_in_unknown(discovery):
    data = ask(discovery, "/apis/apps", "application/vnd.kubernetes.protobuf").body
    assert data.startswith(b"k8s\x00\n\x0e\n\x02v1\x12\x08APIGroup\x12")
    assert b"\n\x04apps\x12\r\n\x07apps/v1\x12\x02v1\x1a\r\n\x07apps/v1\x12\x02v1" in data
    data = ask(discovery, "/api", "application/vnd.kubernetes.protobuf").body
    assert data.startswith(b"k8s\x00\n\x0f\n\x00\x12\x0bAPIVersions\x12")


@pytest.mark.parametrize("path", ["/api", "/apis", "/apis/apps", "/apis/apps/v1"])
def test_protobuf_says_what_json_says(discovery, path):
    shown = json.loads(ask(discovery, path).body)
    packed = protobuf.decode(ask(discovery, path, "application/vnd.kubernetes.protobuf").body, "v1")
    for resource in shown.get("resources", ()):
        for name in ("singularName", "namespaced"):
            if not resource[name]:
                del resource[name]  # the zero value counts as absent
    assert packed == {"apiVersion": "v1", **shown}


def test_storage_version_hash_is_upstreams():
    assert documents.storage_version_hash("", "v1", "Pod") == "xPOwRZ+Yhw8="
    assert documents.storage_version_hash("coordination.k8s.io", "v1", "Lease") == "gqkMMb/YqFM="


def test_a_large_aggregated_list_is_compressed_group_by_group(discovery, monkeypatch):
    for number in range(600):
        discovery.put(f"crd{number}", [served(widget(f"g{number}.dev", "v1"))])
    plain = ask(discovery, "/apis", AGGREGATED)
    assert len(plain.body) > 128 * 1024
    first = ask(discovery, "/apis", AGGREGATED, accept_encoding="gzip")
    assert dict(first.headers)["Content-Encoding"] == "gzip"
    assert gzip.decompress(b"".join(first.body)) == plain.body
    assert ask(discovery, "/apis", AGGREGATED, accept_encoding="deflate, gzip").body == first.body
    compressed = []
    compress = pieces.compress
    monkeypatch.setattr("quarterdeck.discovery.groups.compress", lambda data: compressed.append(data) or compress(data))
    discovery.put("crd7", [served(widget("g7.dev", "v2"))])
    second = ask(discovery, "/apis", AGGREGATED, accept_encoding="gzip")
    assert gzip.decompress(b"".join(second.body)) == ask(discovery, "/apis", AGGREGATED).body
    assert len(compressed) == 1


def test_an_api_service_that_somebody_made_ranks_its_version_alone(discovery):
    discovery.put("crd/a", [served(widget("ranked.dev", "v1")), served(widget("ranked.dev", "v2"))])
    low = GroupVersion("ranked.dev", "v2", None, 10, 1, is_registration=True)
    discovery.put("apiservice/v2.ranked.dev", [low])
    assert [each["version"] for each in body(ask(discovery, "/apis/ranked.dev"))["versions"]] == ["v1", "v2"]
    assert ask(discovery, "/apis/ranked.dev/v2").status == 200, "the definition serves it all the same"
    discovery.put("crd/b", [served(widget("before.dev", "v1"), group_priority=900)])
    discovery.put("apiservice/v1.ranked.dev", [GroupVersion("ranked.dev", "v1", None, 10, 1, is_registration=True)])
    assert names(discovery, "/apis")[-2:] == ["before.dev", "ranked.dev"]
    groups = body(ask(discovery, "/apis", AGGREGATED))["items"]
    assert [group["metadata"]["name"] for group in groups][-2:] == ["ranked.dev", "before.dev"]
    assert [each["version"] for each in groups[-2]["versions"]] == ["v2", "v1"], "it tells of what is served alone"


def names(discovery, path):
    return [group["name"] for group in body(ask(discovery, path))["groups"]]


def test_a_version_whose_api_service_is_deleted_is_served_and_not_listed(discovery):
    one, two = (served(widget("own.dev", v), is_builtin=True) for v in ("v1", "v2"))
    discovery.put("builtin", [one, two])
    assert discovery.has_builtin("own.dev", "v2")
    assert not discovery.has_builtin("own.dev", "v3")
    before = ask(discovery, "/apis", AGGREGATED).body
    discovery.put("apiservice/v2.own.dev", [GroupVersion("own.dev", "v2", None, is_unregistered=True)])
    assert [each["version"] for each in body(ask(discovery, "/apis/own.dev"))["versions"]] == ["v1"]
    assert ask(discovery, "/apis/own.dev", method="POST").status == 200
    discovery.put("apiservice/v1.own.dev", [GroupVersion("own.dev", "v1", None, is_unregistered=True)])
    assert "own.dev" not in names(discovery, "/apis")
    assert [each["version"] for each in body(ask(discovery, "/apis/own.dev"))["versions"]] == ["v2", "v1"]
    with pytest.raises(errors.MethodNotAllowed):
        ask(discovery, "/apis/own.dev", method="POST")
    assert ask(discovery, "/apis/own.dev/v2").status == 200
    assert ask(discovery, "/apis", AGGREGATED).body == before


def test_a_version_of_another_server_shows_what_that_one_told(discovery):
    discovery.put("crd/a", [served(widget("taken.dev"))])
    told = b'{"version":"v1","resources":[{"resource":"others"}],"freshness":"Stale"}'
    registered = GroupVersion("taken.dev", "v1", (), is_registration=True, aggregated=told)
    discovery.put("apiservice/v1.taken.dev", [registered])
    items = body(ask(discovery, "/apis", AGGREGATED))["items"]
    (version,) = next(item["versions"] for item in items if item["metadata"]["name"] == "taken.dev")
    assert version == json.loads(told)
    discovery.remove("apiservice/v1.taken.dev")
    items = body(ask(discovery, "/apis", AGGREGATED))["items"]
    (version,) = next(item["versions"] for item in items if item["metadata"]["name"] == "taken.dev")
    assert [each["resource"] for each in version["resources"]] == ["widgets"]


def test_a_definition_adds_nothing_to_a_version_of_the_servers_own(discovery):
    definition = [served(widget("apps", version)) for version in ("v1", "v2", "vfake")]
    discovery.put("crd/widgets.apps", definition)
    resources = body(ask(discovery, "/apis/apps/v1"))["resources"]
    assert [each["name"] for each in resources] == ["deployments"]
    group = body(ask(discovery, "/apis/apps"))
    assert [each["version"] for each in group["versions"]] == ["v2", "vfake", "v1"]
    aggregated = next(each for each in body(ask(discovery, "/apis", AGGREGATED))["items"])
    assert [(each["version"], [it["resource"] for it in each["resources"]]) for each in aggregated["versions"]] == [
        ("v2", ["widgets"]),
        ("vfake", ["widgets"]),
        ("v1", ["deployments"]),
    ]


def test_a_version_of_definitions_alone_in_a_built_in_group_has_no_document(discovery):
    discovery.put("crd/widgets.apps", [served(widget("apps", "v2"))])
    with pytest.raises(errors.NotFound):
        ask(discovery, "/apis/apps/v2")
