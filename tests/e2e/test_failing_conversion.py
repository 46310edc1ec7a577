"""A definition whose conversion webhook is not there: no version shows, keeps or changes another's objects."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from support.server import Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
LIST_OF_METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


def version(name: str, field: str) -> dict[str, Any]:
    properties = {field: {"type": "string"}, "replicas": {"type": "integer"}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    return {
        "name": name,
        "served": True,
        "storage": name == "v1",
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}, "scale": scale},
    }


DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.conv.dev"},
    "spec": {
        "group": "conv.dev",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [version("v1", "old"), version("v2", "young")],
        "conversion": {
            "strategy": "Webhook",
            "webhook": {"clientConfig": {"url": "https://127.0.0.1:1/"}, "conversionReviewVersions": ["v1"]},
        },
    },
}


class Answer(NamedTuple):
    code: int
    body: bytes

    @property
    def message(self) -> str:
        return str(json.loads(self.body)["message"])


class Client:
    def __init__(self, port: int) -> None:
        self._port = port

    def __call__(self, method: str, path: str, body: Any = None, kind: str = "json", accept: str = "*/*") -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        try:
            headers = {"Content-Type": f"application/{kind}", "Accept": accept}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            return Answer(response.status, response.read())
        finally:
            connection.close()


def at(name: str, rest: str = "") -> str:
    return f"/apis/conv.dev/{name}/namespaces/default/widgets{rest}"


def widget(name: str, api: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"conv.dev/{api}", "kind": "Widget", "metadata": {"name": name}, "spec": spec}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        call = Client(server.plain_port)
        assert call("POST", DEFINITIONS, DEFINITION).code == 201
        wait_for(lambda: call("GET", at("v2")).code == 200)
        assert call("POST", at("v1"), widget("a", "v1", old="secret", replicas=1)).code == 201
        yield call


FAILED = "conversion webhook for conv.dev/v1, Kind=Widget failed: "


@pytest.mark.parametrize(
    ("method", "rest", "body", "kind"),
    [
        ("GET", "/a", None, "json"),
        ("GET", "/a/status", None, "json"),
        ("GET", "/a/scale", None, "json"),
        ("GET", "", None, "json"),
        ("GET", "?limit=1", None, "json"),
        ("PUT", "/a", widget("a", "v2", young="x"), "json"),
        ("PATCH", "/a", {"spec": {"young": "x"}}, "merge-patch+json"),
        ("PATCH", "/a/status", {"status": {"x": 1}}, "merge-patch+json"),
        ("PATCH", "/a/scale", {"spec": {"replicas": 2}}, "merge-patch+json"),
        ("PATCH", "/a?fieldManager=m&force=true", widget("a", "v2", young="x"), "apply-patch+yaml"),
        ("DELETE", "/a", None, "json"),
        ("DELETE", "", None, "json"),
    ],
)
def test_requests_in_another_version_fail(client: Client, method: str, rest: str, body: Any, kind: str) -> None:
    answer = client(method, at("v2", rest), body, kind)
    assert answer.code == 500
    assert b"secret" not in answer.body
    assert FAILED in answer.message
    assert client("GET", at("v1", "/a")).code == 200


@pytest.mark.parametrize(
    ("rest", "accept"),
    [("/a", TABLE), ("/a", METADATA), ("", TABLE), ("", LIST_OF_METADATA), ("/a", "application/yaml")],
)
def test_no_form_shows_it_in_another_version(client: Client, rest: str, accept: str) -> None:
    answer = client("GET", at("v2", rest), accept=accept)
    assert answer.code == 500
    assert FAILED.encode().split(b" failed")[0][:20] in answer.body


@pytest.mark.parametrize("query", ["", "?dryRun=All"])
def test_an_object_of_another_version_is_not_stored(client: Client, query: str) -> None:
    answer = client("POST", at("v2") + query, widget("b", "v2", young="x"))
    assert (answer.code, answer.message.startswith(FAILED.replace("v1", "v2"))) == (500, True)
    assert client("GET", at("v1", "/b")).code == 404


@pytest.mark.parametrize("accept", ["*/*", TABLE, METADATA])
def test_a_watch_in_another_version_shows_nothing(client: Client, accept: str) -> None:
    for query in ("?watch=1&timeoutSeconds=1", "?watch=1&resourceVersion=0&timeoutSeconds=1"):
        assert b"secret" not in client("GET", at("v2", query), accept=accept).body
        assert b'"name":"a"' not in client("GET", at("v2", query), accept=accept).body


def test_the_version_in_which_it_is_stored_goes_on(client: Client) -> None:
    assert client("PATCH", at("v1", "/a"), {"spec": {"old": "new"}}, "merge-patch+json").code == 200
    assert client("PATCH", at("v1", "/a"), {"spec": {"old": "secret"}}, "merge-patch+json").code == 200
    assert b"secret" in client("GET", at("v1")).body
    answer = client("GET", at("v1", "?watch=1&resourceVersion=0&timeoutSeconds=1"))
    assert b"secret" in answer.body
    assert client("POST", at("v1"), widget("c", "v1", old="x")).code == 201
    assert client("DELETE", at("v1", "/c")).code == 200


def test_after_a_change_of_the_storage_version(client: Client) -> None:
    """What is stored in v1 can be read in v1, and neither be written any more nor go."""
    held = widget("held", "v1")
    held["metadata"]["finalizers"] = ["a.dev/x"]
    assert client("POST", at("v1"), held).code == 201
    assert client("DELETE", at("v1", "/held")).code == 200
    switch = [{"op": "replace", "path": f"/spec/versions/{n}/storage", "value": n == 1} for n in (0, 1)]
    assert client("PATCH", f"{DEFINITIONS}/widgets.conv.dev", switch, "json-patch+json").code == 200
    wait_for(lambda: client("POST", at("v2") + "?dryRun=All", widget("d", "v2")).code == 201)
    assert client("GET", at("v2", "/a")).code == 500
    assert b"secret" in client("GET", at("v1", "/a")).body
    answer = client("PATCH", at("v1", "/a"), {"spec": {"old": "new"}}, "merge-patch+json")
    assert (answer.code, FAILED in answer.message) == (500, True)
    freed = {"metadata": {"finalizers": None}}
    for query in ("", "/a", "?fieldSelector=metadata.name=a"):
        answer = client("DELETE", at("v1", query))
        assert (answer.code, FAILED in answer.message) == (500, True)
    answer = client("PATCH", at("v1", "/held"), freed, "merge-patch+json")
    assert (answer.code, FAILED in answer.message) == (500, True)
    assert client("DELETE", at("v1", "/a?dryRun=All")).code == 200, "nothing is stored"
    assert len(json.loads(client("GET", at("v1")).body)["items"]) == 2
    assert client("POST", at("v2"), widget("d", "v2", young="x")).code == 201
    assert client("GET", at("v1")).code == 500
    assert client("GET", at("v2")).code == 429, "it was there when v2 began to be served anew"
    assert client("GET", at("v2", "?limit=1")).code == 500
    back = [{**step, "value": not step["value"]} for step in switch]
    assert client("PATCH", f"{DEFINITIONS}/widgets.conv.dev", back, "json-patch+json").code == 200
    wait_for(lambda: client("PATCH", at("v1", "/held"), freed, "merge-patch+json").code == 200)
