"""What typed clients send: definitions, scales and options of deletions in protobuf."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from quarterdeck.apimachinery.codec import protobuf
from support.server import Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

PROTOBUF = "application/vnd.kubernetes.protobuf"
GROUP = "typed.quarterdeck.dev"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "default": {"replicas": 2},
            "properties": {
                "replicas": {"type": "integer", "minimum": 0, "maximum": 10},
                "ratio": {"type": "number", "multipleOf": 0.5},
                "of": {"enum": ["a", "b"], "type": "string", "nullable": True},
                "list": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                "map": {"type": "object", "additionalProperties": {"type": "string"}},
                "any": {"type": "object", "additionalProperties": True},
                "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            },
            "x-kubernetes-validations": [{"rule": "self.replicas < 10", "message": "m"}],
        }
    },
}


def definition(plural: str) -> dict[str, Any]:
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}}
    version |= {"subresources": {"status": {}, "scale": scale}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": plural.title()},
            "versions": [version],
        },
    }


class Answer(NamedTuple):
    code: int
    type: str
    body: bytes


class Client:
    def __init__(self, port: int) -> None:
        self._port = port

    def __call__(
        self, method: str, path: str, body: Any = None, accept: str = PROTOBUF, sent: str = PROTOBUF
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        data = protobuf.encode(body) if sent == PROTOBUF and body is not None else json.dumps(body)
        try:
            connection.request(method, path, data, {"Content-Type": sent, "Accept": accept})
            response = connection.getresponse()
            return Answer(response.status, response.headers["Content-Type"], response.read())
        finally:
            connection.close()


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        yield Client(server.plain_port)


def test_a_definition_is_the_same_in_protobuf_and_json(client: Client) -> None:
    packed = client("POST", DEFINITIONS, definition("packed"))
    assert (packed.code, packed.type) == (201, PROTOBUF)
    assert protobuf.decode(packed.body)["metadata"]["name"] == f"packed.{GROUP}"
    assert client("POST", DEFINITIONS, definition("plain"), sent="application/json").code == 201
    shown = []
    for plural in ("packed", "plain"):
        answer = client("GET", f"{DEFINITIONS}/{plural}.{GROUP}", accept="application/json")
        found = json.loads(answer.body.replace(plural.encode(), b"it").replace(plural.title().encode(), b"It"))
        (entry,) = (each for each in found["metadata"]["managedFields"] if "subresource" not in each)
        shown.append((found["spec"], entry["fieldsV1"]))
    assert shown[0] == shown[1]
    assert shown[0][0]["versions"][0]["schema"]["openAPIV3Schema"] == SCHEMA
    listed = client("GET", DEFINITIONS)
    assert (listed.code, listed.type) == (200, PROTOBUF)
    assert {item["metadata"]["name"] for item in protobuf.decode(listed.body)["items"]} == {
        f"packed.{GROUP}",
        f"plain.{GROUP}",
    }


def test_the_scale_of_a_custom_resource_is_read_from_protobuf_and_not_written_so(client: Client) -> None:
    client("POST", DEFINITIONS, definition("scaled"))
    path = f"/apis/{GROUP}/v1/namespaces/default/scaled"
    wait_for(lambda: client("GET", path, accept="application/json").code == 200)
    custom = {"apiVersion": f"{GROUP}/v1", "kind": "Scaled", "metadata": {"name": "a"}}
    assert client("POST", path, custom, accept="application/json", sent="application/json").code == 201
    for method, body in (("GET", None), ("PUT", {"apiVersion": "autoscaling/v1", "kind": "Scale"}), ("PATCH", {})):
        sent = "application/merge-patch+json" if method == "PATCH" else PROTOBUF
        answer = client(method, f"{path}/a/scale", body, sent=sent)
        assert (answer.code, answer.type) == (406, PROTOBUF)
        assert b"only the following media types are accepted" in answer.body
    both = f"{PROTOBUF},application/json"
    read = client("GET", f"{path}/a/scale", accept=both)
    scale = json.loads(read.body)
    assert (read.type, scale["spec"]) == ("application/json", {"replicas": 2})
    scale["spec"] = {"replicas": 5}
    written = client("PUT", f"{path}/a/scale", scale, accept=both)
    assert (written.code, json.loads(written.body)["spec"]) == (200, {"replicas": 5})
    described = client("GET", f"{path}/a/scale", accept=f"{PROTOBUF};as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
    assert (described.code, described.type) == (200, PROTOBUF)
    # The resource itself cannot be read from it either.
    refused = client("POST", path, scale, accept="application/json")
    assert (refused.code, b"does not implement the protobuf marshalling interface" in refused.body) == (400, True)
    options = {"apiVersion": f"{GROUP}/v1", "kind": "DeleteOptions", "preconditions": {"uid": "another"}}
    assert client("DELETE", f"{path}/a", options, accept="application/json").code == 409
    assert client("DELETE", f"{path}/a", {**options, "preconditions": {}}, accept="application/json").code == 200
