"""What other servers publish as OpenAPI v2, read and merged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import Any

import pytest

from quarterdeck.openapi.documents import OpenAPIDocuments
from quarterdeck.openapi.foreign import ForeignContribution
from quarterdeck.openapi.foreign_read import DEPTH_MAX, read
from quarterdeck.openapi.form import Form
from quarterdeck.transport.messages import ConnectionInfo, Request, Response
from support.extension_server import BASE, SWAGGER

PATH = f"{BASE}/namespaces/{{namespace}}/flunders"


def foreign(told: Any = SWAGGER, prefix: str = BASE) -> ForeignContribution:
    return ForeignContribution(json.dumps(told).encode(), prefix)


async def _wait_for(response: Awaitable[Response]) -> Response:
    return await response


def fetch(documents: OpenAPIDocuments) -> tuple[Any, str]:
    """The document and its tag."""
    response = documents.respond(Request("GET", "/openapi/v2", "", {}, b"", ConnectionInfo("", is_secure=True)))
    assert response is not None
    if not isinstance(response, Response):
        response = asyncio.run(_wait_for(response))
    return json.loads(b"".join(response.body) if not isinstance(response.body, bytes) else response.body), dict(
        response.headers
    )["ETag"]


def test_the_version_and_what_it_refers_to_is_published() -> None:
    documents = OpenAPIDocuments()
    _, before = fetch(documents)
    documents.put_foreign("v1.g", BASE.removeprefix("/"), foreign())
    told, tag = fetch(documents)
    assert tag != before
    assert list(told["paths"]) == [PATH]
    assert {"wardle.Flunder", "wardle.Spec"} <= told["definitions"].keys()
    documents.put_foreign("v1.g", BASE.removeprefix("/"), foreign())
    assert fetch(documents) == (told, tag), "nothing has changed"
    documents.put_foreign("v1.g", "", None)
    assert fetch(documents)[1] == before


def test_names_that_clash_are_changed_with_their_references() -> None:
    documents = OpenAPIDocuments()
    other = json.loads(json.dumps(SWAGGER).replace(BASE, "/apis/a.example.com/v1"))
    documents.put_foreign("a", "apis/a.example.com/v1", foreign(other, "/apis/a.example.com/v1"))
    documents.put_foreign("b", BASE.removeprefix("/"), foreign())
    told, _ = fetch(documents)
    assert {"wardle.Flunder", "wardle.Flunder_v2", "wardle.Spec", "wardle.Spec_v2"} <= told["definitions"].keys()
    properties = told["definitions"]["wardle.Flunder_v2"]["properties"]
    assert properties["spec"] == {"$ref": "#/definitions/wardle.Spec_v2"}
    assert properties["metadata"] == {"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
    answer = told["paths"][PATH]["get"]["responses"]["200"]
    assert answer["schema"] == {"$ref": "#/definitions/wardle.Flunder_v2"}


def test_parameters_that_documents_share_stay_shared_unless_their_names_mean_others() -> None:
    documents = OpenAPIDocuments()
    same = json.loads(json.dumps(SWAGGER).replace(BASE, "/apis/a.example.com/v1"))
    other = json.loads(json.dumps(SWAGGER).replace(BASE, "/apis/b.example.com/v1"))
    other["parameters"]["limit"]["type"] = "string"
    documents.put_foreign("a", "apis/a.example.com/v1", foreign(same, "/apis/a.example.com/v1"))
    documents.put_foreign("b", "apis/b.example.com/v1", foreign(other, "/apis/b.example.com/v1"))
    documents.put_foreign("c", BASE.removeprefix("/"), foreign())
    told, _ = fetch(documents)
    assert told["parameters"] == {"limit": SWAGGER["parameters"]["limit"], "limit_v2": other["parameters"]["limit"]}
    used = {path: item["get"]["parameters"] for path, item in told["paths"].items()}
    assert used == {
        PATH.replace(BASE, "/apis/a.example.com/v1"): [{"$ref": "#/parameters/limit"}],
        PATH.replace(BASE, "/apis/b.example.com/v1"): [{"$ref": "#/parameters/limit_v2"}],
        PATH: [{"$ref": "#/parameters/limit"}],
    }


def test_the_body_that_documents_share_follows_the_definition_whose_name_has_changed() -> None:
    body = {"in": "body", "name": "body", "schema": {"$ref": "#/definitions/wardle.Spec"}}
    contribution = foreign({**SWAGGER, "parameters": {"limit": body}})
    built = contribution.build(Form.JSON_2, frozenset(("wardle.Spec",)), {"limit": body})
    assert built.parameters == {"limit_v2": {**body, "schema": {"$ref": "#/definitions/wardle.Spec_v2"}}}
    assert b'"#/parameters/limit_v2"' in built.paths.inflate()
    contribution = foreign({**SWAGGER, "parameters": {"limit": body}, "definitions": {}})
    assert contribution.build(Form.JSON_2, frozenset(), {"limit": body}).parameters == {"limit": body}


def test_who_does_not_say_that_it_is_2_0_is_understood() -> None:
    told = {"paths": {f"{BASE}/": {}}}
    assert list(read(json.dumps(told).encode(), BASE).paths) == [f"{BASE}/"]
    assert not read(b"{}", BASE).paths


@pytest.mark.parametrize("body", [b"", b"[]", b"null"])
def test_what_is_no_such_document_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"no document|JSON|zero|unexpected"):
        read(body, BASE)


@pytest.mark.parametrize("value", [None, 1, "a", [], {}, [None], {"a": 1}, True])
def test_mistakes_spoil_nothing_else(value: Any) -> None:
    """Whatever stands anywhere in the document: both forms can be written."""
    for place in ("paths", "definitions", "parameters"):
        foreign({**SWAGGER, place: value})
    operation = {"parameters": value, "responses": value, "tags": value, "operationId": value, "consumes": value}
    schema = dict.fromkeys(
        ("$ref", "type", "items", "allOf", "properties", "additionalProperties", "externalDocs", "enum", "required"),
        value,
    ) | dict.fromkeys(
        ("default", "example", "maximum", "minLength", "uniqueItems", "x-any", "format", "unknown"), value
    )
    good = SWAGGER["paths"][PATH]["get"]
    paths = {PATH: {"get": good, "post": operation, "put": value}, f"{BASE}/other": value}
    contribution = foreign({**SWAGGER, "paths": paths, "definitions": {"wardle.Flunder": schema}})
    built = contribution.build(Form.JSON_2, frozenset())
    written = json.loads(b"{" + built.definitions.inflate() + b"}")
    assert "unknown" not in written["wardle.Flunder"]
    assert json.loads(b"{" + built.paths.inflate() + b"}")[PATH]["get"]["operationId"] == good["operationId"]


def test_schemas_end_somewhere() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        schema = {"type": "array", "items": schema}
    told = {**SWAGGER, "definitions": {"wardle.Flunder": schema}}
    written = foreign(told).build(Form.JSON_2, frozenset()).definitions.inflate()
    assert written.count(b"items") == DEPTH_MAX


@pytest.mark.parametrize("member", ["default", "example", "enum", "x-any"])
def test_values_end_somewhere(member: str) -> None:
    deep = json.loads("[" * 900 + "]" * 900)
    told = {**SWAGGER, "definitions": {"wardle.Flunder": {"type": "object", member: deep, "title": "kept"}}}
    contribution = foreign(told)
    for form in (Form.JSON_2, Form.PROTOBUF_2):
        assert b"kept" in contribution.build(form, frozenset(("wardle.Flunder",))).definitions.inflate()


def test_the_deepest_that_is_read_can_be_written() -> None:
    schema: dict[str, Any] = {"default": json.loads("[" * (DEPTH_MAX - 1) + "]" * (DEPTH_MAX - 1))}
    for _ in range(DEPTH_MAX + 5):
        schema = {"properties": {"a": schema}, "default": schema.get("default"), "$ref": "#/definitions/wardle.Flunder"}
    contribution = foreign({**SWAGGER, "definitions": {"wardle.Flunder": schema}})
    for form in (Form.JSON_2, Form.PROTOBUF_2):
        written = contribution.build(form, frozenset(("wardle.Flunder",))).definitions.inflate()
        assert b"wardle.Flunder_v2" in written
