"""The OpenAPI documents as a client gets them."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from quarterdeck.apis.resource import APIResource
from quarterdeck.openapi.published import Published
from quarterdeck.openapi.served import OpenAPIDocuments
from quarterdeck.transport.messages import ConnectionInfo, Request, Response

PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"


def build_resource(kind: str) -> APIResource:
    return APIResource(
        group="example.com",
        version="v1",
        name=f"{kind.lower()}s",
        singular=kind.lower(),
        kind=kind,
        list_kind=f"{kind}List",
        namespaced=True,
    )


def build_schema(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "description": "the innermost"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"inner": schema}}
    return schema


def ask(documents: OpenAPIDocuments, path: str, accept: str = "application/json") -> Response:
    response = documents.respond(Request("GET", path, "", {"accept": accept}, b"", ConnectionInfo("", is_secure=True)))
    assert response is not None
    return response


def publish(**depths: int) -> OpenAPIDocuments:
    documents = OpenAPIDocuments()
    for kind, depth in depths.items():
        schema = partial(build_schema, depth)
        documents.put(f"crd/{kind}", [Published(build_resource(kind), schema, is_custom=True)])
    return documents


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3", "/openapi/v3/apis/example.com/v1"])
def test_a_deep_schema_does_not_take_the_others_with_it(path: str) -> None:
    response = ask(publish(Deep=300, Flat=1), path)
    assert response.status == 200
    assert json.loads(response.body)


def test_of_a_deep_schema_nothing_is_told() -> None:
    definitions = json.loads(ask(publish(Deep=300, Flat=1), "/openapi/v2").body)["definitions"]
    assert "inner" in definitions["com.example.v1.Flat"]["properties"]
    assert "properties" not in definitions["com.example.v1.Deep"]


def test_protobuf_has_the_same_definitions_and_paths_as_json() -> None:
    documents = publish(Deep=90, Flat=1)
    shown = json.loads(ask(documents, "/openapi/v2").body)
    data = ask(documents, "/openapi/v2", PROTOBUF).body
    assert isinstance(data, bytes)
    fields = read_fields(data)
    assert [read_fields(entry)[1][0].decode() for entry in read_fields(fields[8][0])[2]] == sorted(shown["paths"])
    definitions = [read_fields(entry) for entry in read_fields(fields[9][0])[1]]
    assert [entry[1][0].decode() for entry in definitions] == sorted(shown["definitions"])


def test_an_unknown_media_type_is_406() -> None:
    assert ask(publish(Flat=1), "/openapi/v2", "text/html").status == 406


def test_what_is_removed_is_gone() -> None:
    documents = publish(Flat=1)
    assert "com.example.v1.Flat" in json.loads(ask(documents, "/openapi/v2").body)["definitions"]
    documents.remove("crd/Flat")
    assert "com.example.v1.Flat" not in json.loads(ask(documents, "/openapi/v2").body)["definitions"]


def read_fields(data: bytes) -> dict[int, list[bytes]]:
    """The fields of counted bytes in one message, by number; it has no others at the levels that are read here."""
    fields: dict[int, list[bytes]] = {}
    position = 0
    while position < len(data):
        key, position = read_varint(data, position)
        assert key & 7 == 2
        size, position = read_varint(data, position)
        fields.setdefault(key >> 3, []).append(data[position : position + size])
        position += size
    return fields


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return value, position
