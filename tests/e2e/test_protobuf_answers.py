"""Answers and watches in protobuf, read by a reader of the tests' own: built-in kinds, and the metadata of all kinds.

What clients send: client-go's typed clients `application/vnd.kubernetes.protobuf, */*`, its metadata client
`…;as=PartialObjectMetadata;g=meta.k8s.io;v=v1` with JSON behind it.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from support.protobuf_reader import Event, open_envelope, read, read_events, read_map, read_metadata
from support.server import Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

PROTOBUF = "application/vnd.kubernetes.protobuf"
TYPED = f"{PROTOBUF}, */*"
METADATA = f"{PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_LIST = f"{PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
GROUP = "packed.quarterdeck.dev"
WIDGETS = f"/apis/{GROUP}/v1/namespaces/default/widgets"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


class Answer(NamedTuple):
    code: int
    type: str
    body: bytes


class Client:
    def __init__(self, port: int) -> None:
        self._port = port

    def __call__(self, method: str, path: str, body: object = None, accept: str = "") -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        headers = {"Content-Type": "application/json"}
        if accept:
            headers["Accept"] = accept
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            return Answer(response.status, response.headers["Content-Type"], response.read())
        finally:
            connection.close()

    def watch(self, path: str, accept: str) -> list[Event]:
        answer = self("GET", path, accept=accept)
        assert (answer.code, answer.type) == (200, f"{PROTOBUF};stream=watch"), answer
        return list(read_events(answer.body))


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        ask = Client(server.plain_port)
        assert ask("POST", DEFINITIONS, DEFINITION).code == 201
        wait_for(lambda: ask("GET", WIDGETS).code == 200)
        for name in ("a", "b"):
            metadata = {"name": name, "labels": {"app": name}}
            obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"key": name}}
            assert ask("POST", CONFIG_MAPS, obj).code == 201
            custom = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": metadata, "spec": {"of": name}}
            assert ask("POST", WIDGETS, custom).code == 201
        yield ask


def own(events: list[Event]) -> list[Event]:
    """Without the config maps that the server made itself."""
    return [event for event in events if not read_metadata(event.object.message).name.startswith("kube-")]


INITIAL = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"


@pytest.mark.parametrize("accept", [TYPED, PROTOBUF, f"{PROTOBUF};stream=watch", f"{PROTOBUF}, application/json"])
def test_a_watch_of_a_builtin_kind_begins_with_its_objects(client: Client, accept: str) -> None:
    events = own(client.watch(f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1&labelSelector=app{INITIAL}", accept))
    assert [event.type for event in events] == ["ADDED", "ADDED", "BOOKMARK"]
    assert {(event.object.api_version, event.object.kind) for event in events} == {("v1", "ConfigMap")}
    shown = [read_metadata(event.object.message) for event in events]
    assert [(each.namespace, each.name, each.labels) for each in shown[:2]] == [
        ("default", "a", {"app": "a"}),
        ("default", "b", {"app": "b"}),
    ]
    assert [read_map(event.object.message, 2) for event in events[:2]] == [{"key": "a"}, {"key": "b"}]
    assert shown[2].annotations == {"k8s.io/initial-events-end": "true"}
    assert shown[2].revision >= shown[1].revision > shown[0].revision > 0


def test_a_watch_goes_on_with_what_happens(client: Client) -> None:
    revision = json.loads(client("GET", CONFIG_MAPS).body)["metadata"]["resourceVersion"]
    found: list[Event] = []
    path = f"{CONFIG_MAPS}?watch=1&timeoutSeconds=2&resourceVersion={revision}&labelSelector=live"
    watching = threading.Thread(target=lambda: found.extend(client.watch(path, TYPED)))
    watching.start()
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "live", "labels": {"live": ""}}}
    assert client("POST", CONFIG_MAPS, obj).code == 201
    assert client("PUT", f"{CONFIG_MAPS}/live", {**obj, "data": {"x": "y" * 300}}).code == 200
    assert client("DELETE", f"{CONFIG_MAPS}/live").code == 200
    watching.join()
    assert [event.type for event in found] == ["ADDED", "MODIFIED", "DELETED"]
    assert [read_map(event.object.message, 2) for event in found] == [{}, {"x": "y" * 300}, {"x": "y" * 300}]
    revisions = [read_metadata(event.object.message).revision for event in found]
    assert revisions == sorted(set(revisions))


def test_errors_of_a_watch_are_packed_too(client: Client) -> None:
    (event,) = client.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion=1", TYPED)
    assert (event.type, event.object.api_version, event.object.kind) == ("ERROR", "v1", "Status")
    assert (event.object.message[4], event.object.message[6]) == ([b"Expired"], [410])


@pytest.mark.parametrize("collection, name", [(WIDGETS, "a"), (CONFIG_MAPS, "a"), (DEFINITIONS, f"widgets.{GROUP}")])
def test_the_metadata_of_every_kind_is_packed(client: Client, collection: str, name: str) -> None:
    answer = client("GET", f"{collection}/{name}", accept=METADATA)
    assert (answer.code, answer.type) == (200, PROTOBUF)
    found = open_envelope(answer.body)
    assert (found.api_version, found.kind, list(found.message)) == ("meta.k8s.io/v1", "PartialObjectMetadata", [1])
    assert read_metadata(found.message).name == name

    answer = client("GET", collection, accept=f"{METADATA_LIST},application/json")
    found = open_envelope(answer.body)
    assert (answer.type, found.api_version, found.kind) == (PROTOBUF, "meta.k8s.io/v1", "PartialObjectMetadataList")
    assert int(read(found.message[1][0])[2][0]) > 0
    assert name in [read_metadata(read(item)).name for item in found.message[2]]

    events = client.watch(f"{collection}?watch=1&timeoutSeconds=1{INITIAL}", f"{METADATA},application/json")
    assert {(event.object.api_version, event.object.kind) for event in events} == {
        ("meta.k8s.io/v1", "PartialObjectMetadata")
    }
    assert name in [read_metadata(event.object.message).name for event in events]
    assert read_metadata(events[-1].object.message).annotations == {"k8s.io/initial-events-end": "true"}


def test_the_older_list_of_metadata_has_its_fields_the_other_way_round(client: Client) -> None:
    found = open_envelope(client("GET", f"{WIDGETS}?limit=1", accept=METADATA_LIST.replace("v=v1", "v=v1beta1")).body)
    assert found.api_version == "meta.k8s.io/v1beta1"
    assert [read_metadata(read(item)).name for item in found.message[1]] == ["a"]
    metadata = read(found.message[2][0])
    assert metadata[3] and metadata[4] == [1]


def test_lists_of_builtin_kinds(client: Client) -> None:
    found = open_envelope(client("GET", f"{CONFIG_MAPS}?labelSelector=app", accept=TYPED).body)
    assert (found.api_version, found.kind) == ("v1", "ConfigMapList")
    items = [read(item) for item in found.message[2]]
    assert [(read_metadata(item).name, read_map(item, 2)) for item in items] == [
        ("a", {"key": "a"}),
        ("b", {"key": "b"}),
    ]


def test_api_services_are_packed(client: Client) -> None:
    collection = "/apis/apiregistration.k8s.io/v1/apiservices"
    found = open_envelope(client("GET", f"{collection}/v1.apps", accept=TYPED).body)
    assert (found.api_version, found.kind) == ("apiregistration.k8s.io/v1", "APIService")
    spec = read(found.message[2][0])
    assert (spec[2], spec[3]) == ([b"apps"], [b"v1"])
    watched = client.watch(f"{collection}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dv1.apps", TYPED)
    assert [event.object for event in watched] == [found]


def test_a_long_list_is_sent_in_pieces(client: Client) -> None:
    collection = "/api/v1/namespaces/kube-public/configmaps"
    data = {"key": "x" * 40_000}
    for number in range(12):
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"long-{number:02}"}, "data": data}
        assert client("POST", collection, obj).code == 201
    found = open_envelope(client("GET", collection, accept=TYPED).body)
    items = [read(item) for item in found.message[2]]
    long = [item for item in items if read_metadata(item).name.startswith("long-")]
    assert [read_metadata(item).name for item in long] == [f"long-{number:02}" for number in range(12)]
    assert all(read_map(item, 2) == data for item in long)


@pytest.mark.parametrize("query", ["", "?watch=1&timeoutSeconds=1"])
def test_custom_resources_themselves_are_not_packed(client: Client, query: str) -> None:
    answer = client("GET", f"{WIDGETS}{query}", accept=PROTOBUF)
    status = open_envelope(answer.body)
    assert (answer.code, answer.type, status.kind) == (406, PROTOBUF, "Status")
    assert status.message[4] == [b"NotAcceptable"]
    answer = client("GET", f"{WIDGETS}{query}", accept=TYPED)
    assert (answer.code, answer.type) == (200, "application/json")


def test_refusals_and_deletions_are_packed(client: Client) -> None:
    answer = client("GET", f"{WIDGETS}/none", accept=METADATA + "," + PROTOBUF)
    status = open_envelope(answer.body)
    assert (answer.code, answer.type, status.api_version, status.kind) == (404, PROTOBUF, "v1", "Status")
    assert status.message[3] == [f'widgets.{GROUP} "none" not found'.encode()]
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gone"}}
    assert open_envelope(client("POST", CONFIG_MAPS, obj, TYPED).body).kind == "ConfigMap"
    assert open_envelope(client("DELETE", f"{CONFIG_MAPS}/gone", accept=TYPED).body).message[2] == [b"Success"]


def test_tables_are_never_packed(client: Client) -> None:
    table = "as=Table;g=meta.k8s.io;v=v1"
    accept = f"{PROTOBUF};{table},application/json;{table}"
    answer = client("GET", f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1&labelSelector=app", accept=accept)
    assert answer.type == "application/json"
    assert json.loads(answer.body.splitlines()[0])["object"]["kind"] == "Table"


@pytest.mark.parametrize("media_type", ["application/json", PROTOBUF])
def test_an_event_cannot_be_shown_as_a_list(client: Client, media_type: str) -> None:
    """Upstream sends its 200 first, and ends the stream at the first event."""
    accept = METADATA_LIST.replace(PROTOBUF, media_type)
    answer = client("GET", f"{CONFIG_MAPS}?watch=1&timeoutSeconds=3600", accept=accept)
    assert (answer.code, answer.body) == (200, b"")


@pytest.mark.parametrize(
    "query, accept, code",
    [
        ("resourceVersion=abc", "application/yaml", 500),
        ("resourceVersion=abc&includeObject=Bad", "application/json;as=Table;g=meta.k8s.io;v=v1", 500),
        ("includeObject=Bad", "application/yaml;as=Table;g=meta.k8s.io;v=v1", 400),
        ("", "application/yaml;as=Table;g=meta.k8s.io;v=v1", 406),
        ("sendInitialEvents=true&resourceVersion=abc", "application/yaml", 422),
    ],
)
def test_what_of_a_watch_is_refused_first(client: Client, query: str, accept: str, code: int) -> None:
    assert client("GET", f"{WIDGETS}?watch=1&{query}", accept=accept).code == code


def test_one_object_is_no_list(client: Client) -> None:
    accept = METADATA_LIST.replace(PROTOBUF, "application/json")
    built_in, custom = client("GET", f"{CONFIG_MAPS}/a", accept=accept), client("GET", f"{WIDGETS}/a", accept=accept)
    text = "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)"
    assert (built_in.code, json.loads(built_in.body)["message"]) == (406, text)
    assert (custom.code, json.loads(custom.body)["message"]) == (500, "content is not a list")
    accept = accept.replace("PartialObjectMetadataList", "PartialObjectMetadata")
    for group, go_type in (("events.k8s.io", "core"), ("rbac.authorization.k8s.io", "rbac")):
        resource, kind = ("events", "Event") if go_type == "core" else ("roles", "Role")
        refused = client("GET", f"/apis/{group}/v1/namespaces/default/{resource}", accept=accept)
        assert json.loads(refused.body)["message"].endswith(f"the requested object is a list (*{go_type}.{kind}List)")
