"""The OpenAPI documents as a client gets them."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from quarterdeck.apis.resource import APIResource
from quarterdeck.openapi.documents import OpenAPIDocuments
from quarterdeck.openapi.library import digest
from quarterdeck.openapi.publication import Published
from quarterdeck.transport.messages import ConnectionInfo, Request, Response
from reference import gnostic_reference as reference

PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
PROTOBUF_3 = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"


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


def build_pod() -> APIResource:
    return replace(build_resource("Pod"), group="")


def build_schema(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "description": "the innermost"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"inner": schema}}
    return schema


def ask(documents: OpenAPIDocuments, path: str, accept: str = "application/json", **headers: str) -> Response:
    path, _, query = path.partition("?")
    named = {"accept": accept} | {name.replace("_", "-"): value for name, value in headers.items()}
    response = documents.respond(Request("GET", path, query, named, b"", ConnectionInfo("", is_secure=True)))
    assert response is not None
    if not isinstance(response, Response):
        response = asyncio.run(wait_for(response))
    return response


async def wait_for(response: Awaitable[Response]) -> Response:
    return await response


def answered(response: Response | Awaitable[Response] | None) -> Awaitable[Response]:
    """What nothing is joined for yet is answered later."""
    assert isinstance(response, Awaitable)
    return response


def read(response: Response) -> bytes:
    """The body as the client sees it."""
    body = response.body if isinstance(response.body, bytes) else b"".join(response.body)
    return gzip.decompress(body) if ("Content-Encoding", "gzip") in response.headers else body


def publish(**depths: int) -> OpenAPIDocuments:
    documents = OpenAPIDocuments()
    for kind, depth in depths.items():
        put(documents, kind, partial(build_schema, depth), str(depth))
    return documents


def put(
    documents: OpenAPIDocuments,
    kind: str,
    read_schema: Callable[[], dict[str, Any]],
    digest: str = "",
    group: str = "example.com",
) -> None:
    resource = replace(build_resource(kind), group=group)
    documents.put(f"crd/{kind}", [Published(resource, read_schema, is_custom=True, digest=digest)])


def test_version_2_has_the_words_that_kubernetes_tests_of_kubectl_look_for() -> None:
    """Source: test/cmd/discovery.sh (run_swagger_tests)."""
    documents = OpenAPIDocuments()
    verbs = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
    documents.put("core", [Published(replace(build_resource("Service"), group="", verbs=verbs))])
    shown = read(ask(documents, "/openapi/v2")).decode()
    for words in ("list of returned", "List of services", "Watch for changes to the described resources"):
        assert words in shown


def test_where_a_definition_preserves_unknown_fields_clients_of_version_2_know_no_field() -> None:
    documents = OpenAPIDocuments()
    published = Published(build_resource("Thing"), partial(build_schema, 1), is_custom=True, preserves=True)
    documents.put("crd/Thing", [published])
    shown = json.loads(read(ask(documents, "/openapi/v2")))["definitions"]["com.example.v1.Thing"]
    assert shown == {"type": "object", "x-kubernetes-group-version-kind": shown["x-kubernetes-group-version-kind"]}
    schemas = json.loads(read(ask(documents, "/openapi/v3/apis/example.com/v1")))["components"]["schemas"]
    assert {"apiVersion", "kind", "metadata"} < schemas["com.example.v1.Thing"]["properties"].keys()


@pytest.mark.parametrize(
    ("path", "accept", "messages"),
    [("/openapi/v2", PROTOBUF, reference.V2), ("/openapi/v3/api/v1", PROTOBUF_3, reference.V3)],
)
def test_builtin_kinds_say_how_clients_show_who_they_are(path: str, accept: str, messages: Any) -> None:
    documents = OpenAPIDocuments()
    resource = replace(build_resource("ConfigMap"), group="")
    documents.put("core", [Published(resource)])
    shown = json.loads(read(ask(documents, path)))
    read_back = reference.decode(read(ask(documents, path, accept)), messages)
    assert shown["info"] == read_back["info"] == {"title": "Kubernetes", "version": "1.36"}
    for each in (shown, read_back):
        schemes = each["securityDefinitions"] if "swagger" in each else each["components"]["securitySchemes"]
        assert schemes["BearerToken"] == {
            "type": "apiKey",
            "description": "Bearer Token authentication",
            "name": "authorization",
            "in": "header",
        }
    if "swagger" in shown:
        assert shown["security"] == [{"BearerToken": []}]
        assert [list(each) for each in read_back["security"]] == [["BearerToken"]]
    put(documents, "Custom", partial(build_schema, 1))
    custom = json.loads(read(ask(documents, "/openapi/v3/apis/example.com/v1")))
    assert list(custom["components"]) == ["schemas"]


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3", "/openapi/v3/apis/example.com/v1"])
def test_a_deep_schema_does_not_take_the_others_with_it(path: str) -> None:
    response = ask(publish(Deep=300, Flat=1), path)
    assert response.status == 200
    assert json.loads(read(response))


@pytest.mark.parametrize("empty", ["", [], {}])
def test_version_2_tells_no_defaults_and_documentation_is_told_even_where_it_is_empty(empty: object) -> None:
    documented = {"type": "string", "externalDocs": {}}
    listed = {"type": "array", "items": {"type": "string", "default": "a"}, "default": empty}
    mapped = {"type": "object", "additionalProperties": {"type": "integer", "default": 0}}
    properties = {"text": documented, "list": listed, "map": mapped}
    documents = OpenAPIDocuments()
    put(documents, "Some", lambda: {"type": "object", "properties": properties, "default": {}})
    shown = json.loads(read(ask(documents, "/openapi/v2")))["definitions"]["com.example.v1.Some"]
    in_2 = shown["properties"]
    assert "default" not in shown
    assert (in_2["text"], in_2["list"]) == (documented, {"type": "array", "items": {"type": "string"}})
    assert in_2["map"] == {"type": "object", "additionalProperties": {"type": "integer"}}
    group = json.loads(read(ask(documents, "/openapi/v3/apis/example.com/v1")))["components"]["schemas"]
    in_3 = group["com.example.v1.Some"]["properties"]
    assert (in_3["text"], in_3["list"], in_3["map"]) == (documented, listed, mapped)


def test_version_2_gives_no_type_to_objects_that_preserve_what_is_unknown() -> None:
    """kubectl would take the members that are known for the only ones."""
    preserving = {"x-kubernetes-preserve-unknown-fields": True}
    properties = {
        "leaf": {"type": "object", **preserving},
        "more": {"type": "object", **preserving, "properties": {"a": {"type": "string"}}},
        "text": {"type": "string", **preserving},
        "plain": {"type": "object"},
    }
    documents = OpenAPIDocuments()
    put(documents, "Open", lambda: {"type": "object", "properties": properties})
    shown = json.loads(read(ask(documents, "/openapi/v2")))["definitions"]["com.example.v1.Open"]["properties"]
    assert shown["leaf"] == shown["more"] == preserving
    assert (shown["text"]["type"], shown["plain"]["type"]) == ("string", "object")
    group = json.loads(read(ask(documents, "/openapi/v3/apis/example.com/v1")))["components"]["schemas"]
    in_3 = group["com.example.v1.Open"]["properties"]
    assert in_3["leaf"]["type"] == in_3["more"]["type"] == "object"


def test_of_a_deep_schema_nothing_is_told() -> None:
    definitions = json.loads(read(ask(publish(Deep=300, Flat=1), "/openapi/v2")))["definitions"]
    assert "inner" in definitions["com.example.v1.Flat"]["properties"]
    assert "properties" not in definitions["com.example.v1.Deep"]


def test_of_a_schema_with_a_deep_default_nothing_is_told() -> None:
    default: Any = "the innermost"
    for _ in range(300):
        default = [default]
    schema = {"type": "object", "properties": {"spec": {"type": "array", "items": {}, "default": default}}}
    documents = publish(Flat=1)
    put(documents, "Deep", lambda: schema)
    definitions = json.loads(read(ask(documents, "/openapi/v2")))["definitions"]
    assert "inner" in definitions["com.example.v1.Flat"]["properties"]
    assert "properties" not in definitions["com.example.v1.Deep"]


def test_protobuf_has_the_same_definitions_and_paths_as_json() -> None:
    documents = publish(Deep=90, Flat=1)
    shown = json.loads(read(ask(documents, "/openapi/v2")))
    data = read(ask(documents, "/openapi/v2", PROTOBUF))
    fields = read_fields(data)
    assert {read_fields(entry)[1][0].decode() for entry in read_fields(fields[8][0])[2]} == shown["paths"].keys()
    definitions = [read_fields(entry) for entry in read_fields(fields[9][0])[1]]
    assert {entry[1][0].decode() for entry in definitions} == shown["definitions"].keys()


def test_version_2_tells_parameters_once_unless_they_are_of_one_kind() -> None:
    documents = publish(First=1, Second=1)
    told = json.loads(read(ask(documents, "/openapi/v2")))
    item = told["paths"]["/apis/example.com/v1/namespaces/{namespace}/firsts/{name}"]
    assert [each.get("name", "shared") for each in item["parameters"]] == ["name", "shared", "shared"]
    names = [each["$ref"].removeprefix("#/parameters/") for each in item["parameters"][1:]]
    assert [told["parameters"][name]["name"] for name in names] == ["namespace", "pretty"]
    shown = [each.get("name", "shared") for each in item["patch"]["parameters"]]
    assert shown == ["shared", "dryRun", "shared", "fieldValidation", "shared"]
    assert item["patch"]["parameters"][0] == {"$ref": "#/parameters/body-78PwaGsr"}
    assert item["put"]["parameters"][0]["name"] == "body"
    assert item["delete"]["parameters"][0] == {"$ref": "#/parameters/body-2Y1dVQaQ"}
    patch = {"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch"}
    assert told["parameters"]["body-78PwaGsr"] == {"in": "body", "name": "body", "schema": patch, "required": True}
    data = read(ask(documents, "/openapi/v2", PROTOBUF))
    shown_in_protobuf = reference.decode(data, reference.V2)
    assert shown_in_protobuf["parameters"] == told["parameters"]
    assert shown_in_protobuf["paths"] == told["paths"]


def test_v3_in_protobuf_has_the_same_paths_and_schemas_as_in_json() -> None:
    documents = publish(First=90, Second=1)
    path = "/openapi/v3/apis/example.com/v1"
    shown = json.loads(read(ask(documents, path)))
    response = ask(documents, path, PROTOBUF_3)
    assert dict(response.headers)["Content-Type"] == PROTOBUF_3.replace("@", ".")
    decoded = reference.decode(read(response), reference.V3)
    assert decoded["paths"] == shown["paths"]
    assert decoded["info"] == shown["info"]
    for name, schema in shown["components"]["schemas"].items():
        if name.startswith("com.example."):
            assert decoded["components"]["schemas"][name] == schema
    assert decoded["components"]["schemas"].keys() == shown["components"]["schemas"].keys()


@pytest.mark.parametrize("example", ["", [], {}])
@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/apis/example.com/v1"])
def test_examples_that_are_empty_are_left_out(path: str, example: object) -> None:
    properties = {"a": {"type": "string", "example": example}, "b": {"example": 0}}
    documents = OpenAPIDocuments()
    put(documents, "Flat", lambda: {"type": "object", "properties": properties})
    shown = json.loads(read(ask(documents, path)))
    found = (shown.get("definitions") or shown["components"]["schemas"])["com.example.v1.Flat"]["properties"]
    assert [found[name] for name in "ab"] == [{"type": "string"}, {"example": 0}]


def test_numbers_in_values_of_version_2_are_floats() -> None:
    large, largest = 2**53 + 1, 2**63 - 1
    properties = {"a": {"enum": [large, -largest, 3], "example": {"b": [large]}}, "c": {"maximum": 1.5, "example": 7}}
    documents = OpenAPIDocuments()
    put(documents, "Large", lambda: {"type": "object", "properties": properties})
    told = read(ask(documents, "/openapi/v2"))
    for text in (b"[9007199254740992,-9223372036854776000,3]", b'{"b":[9007199254740992]}', b'"example":7'):
        assert text in told
    group = json.loads(read(ask(documents, "/openapi/v3/apis/example.com/v1")))["components"]["schemas"]
    assert properties.items() <= group["com.example.v1.Large"]["properties"].items()


@pytest.mark.parametrize("accept", ["application/json", PROTOBUF])
def test_a_definition_does_not_take_the_name_of_a_built_in_type(accept: str) -> None:
    documents = OpenAPIDocuments()
    documents.put("builtin", [Published(build_pod())])
    put(documents, "Pod", lambda: {"type": "object"}, group="core.api.k8s.io")
    told = read(ask(documents, "/openapi/v2", accept))
    taken, own = b"io.k8s.api.core.v1.Pod", b"io.k8s.api.core.v1.Pod_v2"
    if accept == PROTOBUF:
        assert own in told
        return
    definitions = [name for name, _ in json.loads(told, object_pairs_hook=list)[3][1]]
    assert len(definitions) == len(set(definitions))
    assert {taken.decode(), own.decode(), "io.k8s.api.core.v1.PodList_v2"} <= set(definitions)
    shown = json.loads(told)
    gvk = {"group": "core.api.k8s.io", "kind": "Pod", "version": "v1"}
    assert shown["definitions"][own.decode()]["x-kubernetes-group-version-kind"] == [gvk]
    listing = shown["definitions"]["io.k8s.api.core.v1.PodList_v2"]
    assert listing["description"] == "PodList is a list of Pod"
    items = listing["properties"]["items"]["items"]
    assert items == {"$ref": f"#/definitions/{own.decode()}"}
    answer = shown["paths"]["/apis/core.api.k8s.io/v1/namespaces/{namespace}/pods/{name}"]["get"]["responses"]["200"]
    assert answer["schema"] == items


def test_version_3_has_the_name_of_a_built_in_type_that_is_in_another_document() -> None:
    documents = OpenAPIDocuments()
    documents.put("builtin", [Published(build_pod())])
    put(documents, "Pod", lambda: {"type": "object"}, group="core.api.k8s.io")
    shown = json.loads(read(ask(documents, "/openapi/v3/apis/core.api.k8s.io/v1")))
    assert {"io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.PodList"} <= set(shown["components"]["schemas"])
    assert "spec" not in shown["components"]["schemas"]["io.k8s.api.core.v1.Pod"].get("properties", {})


def publish_versions(documents: OpenAPIDocuments, *names: str, digest: str = "") -> None:
    documents.put(
        "crd/Thing",
        [
            Published(replace(build_resource("Thing"), version=name), partial(build_schema, 1), True, digest=digest)
            for name in names
        ],
        keeps_gone=True,
    )


def test_version_3_keeps_what_a_definition_told_of_versions_that_it_does_not_serve_any_more() -> None:
    documents = OpenAPIDocuments()

    def served() -> list[str]:
        return sorted(json.loads(read(ask(documents, "/openapi/v3")))["paths"])

    def in_version_2() -> list[str]:
        return sorted(
            name for name in json.loads(read(ask(documents, "/openapi/v2")))["definitions"] if "Thing" in name
        )

    publish_versions(documents, "v1", "v2")
    before = read(ask(documents, "/openapi/v3/apis/example.com/v2"))
    publish_versions(documents, "v1", digest="changed")
    assert read(ask(documents, "/openapi/v3/apis/example.com/v2")) == before
    assert served() == ["apis/example.com/v1", "apis/example.com/v2"]
    assert in_version_2() == ["com.example.v1.Thing", "com.example.v1.ThingList"]
    publish_versions(documents, "v1", "v2", digest="changed")
    assert len(in_version_2()) == 4
    for number in range(3, 10):
        publish_versions(documents, f"v{number}")
    assert served() == [f"apis/example.com/v{number}" for number in range(5, 10)]
    documents.remove("crd/Thing")
    assert served() == []
    assert ask(documents, "/openapi/v3/apis/example.com/v9").status == 404


def test_the_index_has_no_address_with_a_slash() -> None:
    assert ask(publish(Flat=1), "/openapi/v3").status == 200
    response = ask(publish(Flat=1), "/openapi/v3/")
    assert (response.status, response.headers, response.body) == (404, [], b"")


def test_an_unknown_media_type_is_406() -> None:
    response = ask(publish(Flat=1), "/openapi/v2", "text/html")
    assert (response.status, response.headers) == (406, [("Vary", "Accept-Encoding"), ("Vary", "Accept")])


@pytest.mark.parametrize("accept", ["json", "/", "application/", ","])
def test_a_field_accept_that_cannot_be_read_is_answered_with_nothing_in_v3_alone(accept: str) -> None:
    documents = publish(Flat=1)
    response = ask(documents, "/openapi/v3/apis/example.com/v1", accept)
    assert (response.status, response.headers, response.body) == (200, [], b"")
    assert ask(documents, "/openapi/v2", accept).status == 406


def test_what_is_removed_is_gone() -> None:
    documents = publish(Flat=1)
    assert "com.example.v1.Flat" in json.loads(read(ask(documents, "/openapi/v2")))["definitions"]
    documents.remove("crd/Flat")
    assert "com.example.v1.Flat" not in json.loads(read(ask(documents, "/openapi/v2")))["definitions"]


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/openapi/v2", "application/json"),
        ("/openapi/v2", PROTOBUF),
        ("/openapi/v3/apis/example.com/v1", "*/*"),
        ("/openapi/v3/apis/example.com/v1", PROTOBUF_3),
    ],
)
def test_compressed_and_plain_documents_are_the_same(path: str, accept: str) -> None:
    documents = publish(First=3, Second=2, Third=1)
    compressed = ask(documents, path, accept, accept_encoding="gzip")
    assert ("Content-Encoding", "gzip") in compressed.headers
    plain = ask(documents, path, accept)
    assert "Content-Encoding" not in dict(plain.headers)
    assert read(compressed) == read(plain)
    assert dict(compressed.headers)["ETag"] == dict(plain.headers)["ETag"]


@pytest.mark.parametrize("accept", ["application/json", PROTOBUF])
def test_v2_is_not_sent_again_to_whom_has_it(accept: str) -> None:
    documents = publish(Flat=1)
    etag = dict(ask(documents, "/openapi/v2", accept).headers)["ETag"]
    again = ask(documents, "/openapi/v2", accept, if_none_match=etag)
    assert (again.status, again.body) == (304, b"")
    put(documents, "Other", partial(build_schema, 2))
    changed = ask(documents, "/openapi/v2", accept, if_none_match=etag)
    assert changed.status == 200
    assert dict(changed.headers)["ETag"] != etag


def test_v3_may_be_kept_for_ever_by_its_hash() -> None:
    documents = publish(Flat=1)
    url = read_index(documents)["apis/example.com/v1"]
    response = ask(documents, url)
    headers = dict(response.headers)
    assert response.status == 200
    assert headers["Cache-Control"] == "public, immutable"
    assert "Expires" in headers
    assert headers["ETag"] == f'"{url.partition("?hash=")[2]}"'
    assert ask(documents, url, if_none_match=headers["ETag"]).status == 304
    unhashed = ask(documents, url.partition("?")[0])
    assert unhashed.status == 200
    assert "Cache-Control" not in dict(unhashed.headers)


def test_v3_leads_from_an_old_hash_to_the_new_one() -> None:
    documents = publish(Flat=1)
    old = read_index(documents)["apis/example.com/v1"]
    put(documents, "Flat", partial(build_schema, 2), "2")
    new = read_index(documents)["apis/example.com/v1"]
    response = ask(documents, old)
    assert (response.status, dict(response.headers)["Location"]) == (301, new)
    assert ("Vary", "Accept") in response.headers
    in_protobuf = ask(documents, old, PROTOBUF_3)
    assert dict(in_protobuf.headers)["Content-Type"] == dict(ask(documents, new, PROTOBUF_3).headers)["Content-Type"]
    assert ask(documents, new).status == 200


def test_a_change_leaves_the_hashes_of_other_groups_alone() -> None:
    documents = publish(Flat=1)
    put(documents, "Other", partial(build_schema, 1), group="other.example")
    before = read_index(documents)
    put(documents, "Flat", partial(build_schema, 2), "2")
    after = read_index(documents)
    assert {name for name in after if after[name] != before[name]} == {"apis/example.com/v1"}


def test_hashes_depend_on_the_program_that_writes_the_documents() -> None:
    hashes = set()
    for release in ("1.0", "1.1", "1.1"):
        documents = OpenAPIDocuments(release)
        put(documents, "Flat", partial(build_schema, 1))
        hashes.add(read_index(documents)["apis/example.com/v1"])
    assert len(hashes) == 2


def test_hashes_depend_on_what_is_said_of_built_in_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients keep documents by their hashes, for good: those of another version of this program may say more."""
    hashes = set()
    for said in (b"a", b"b", b"b"):
        monkeypatch.setattr(digest, "of_texts", lambda said=said: said)
        hashes.add(read_index(publish(Flat=1))["apis/example.com/v1"])
    assert len(hashes) == 2


def test_only_a_changed_definition_is_read_again() -> None:
    reads: list[str] = []

    def read_schema(kind: str) -> dict[str, Any]:
        reads.append(kind)
        return build_schema(1)

    documents = OpenAPIDocuments()
    for kind in ("First", "Second"):
        put(documents, kind, partial(read_schema, kind), "1")
    paths = ("/openapi/v2", "/openapi/v3/apis/example.com/v1")
    for path in paths:
        ask(documents, path)
        ask(documents, path)
    assert sorted(reads) == ["First", "First", "Second", "Second"]
    reads.clear()
    put(documents, "First", partial(read_schema, "First"), "1")  # the same once more
    put(documents, "Second", partial(read_schema, "Second"), "2")
    for path in paths:
        ask(documents, path)
    assert reads == ["Second", "Second"]
    ask(documents, "/openapi/v3")
    assert reads == ["Second", "Second"]


def test_what_comes_while_a_document_is_joined_is_in_it() -> None:
    documents = publish(First=1, Second=1, Third=1)
    request = Request("GET", "/openapi/v2", "", {}, b"", ConnectionInfo("", is_secure=True))

    async def ask_while_others_come() -> Response:
        pending = documents.respond(request)
        assert isinstance(pending, Awaitable)
        asyncio.get_running_loop().call_soon(put, documents, "Late", partial(build_schema, 1))
        return await pending

    definitions = json.loads(read(asyncio.run(ask_while_others_come())))["definitions"]
    assert {f"com.example.v1.{kind}" for kind in ("First", "Second", "Third", "Late")} <= definitions.keys()


def test_a_document_that_goes_while_it_is_built_is_not_found() -> None:
    documents = publish(First=1, Second=1)
    request = Request("GET", "/openapi/v3/apis/example.com/v1", "", {}, b"", ConnectionInfo("", is_secure=True))

    async def ask_while_all_go() -> Response:
        pending = documents.respond(request)
        assert isinstance(pending, Awaitable)
        for kind in ("First", "Second"):
            documents.remove(f"crd/{kind}")
        return await pending

    assert asyncio.run(ask_while_all_go()).status == 404


def test_a_definition_that_changes_all_the_time_does_not_keep_who_asks_waiting() -> None:
    documents = OpenAPIDocuments()
    turns: list[int] = []
    loops: list[asyncio.AbstractEventLoop] = []

    def read_schema() -> dict[str, Any]:
        turns.append(len(turns))
        loops[0].call_soon_threadsafe(put, documents, "Restless", read_schema, str(len(turns)))
        return build_schema(1)

    async def ask_all() -> list[Response]:
        loops.append(asyncio.get_running_loop())
        put(documents, "Restless", read_schema, "")
        paths = ("/openapi/v2", "/openapi/v3/apis/example.com/v1")
        requests = [Request("GET", path, "", {}, b"", ConnectionInfo("", is_secure=True)) for path in paths]
        return [await answered(documents.respond(request)) for request in requests]

    assert [response.status for response in asyncio.run(ask_all())] == [200, 200]


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/apis/example.com/v1"])
def test_a_document_is_joined_once_beside_the_loop_for_all_who_ask(path: str) -> None:
    documents = OpenAPIDocuments()
    reads: list[int] = []

    def read_schema() -> dict[str, Any]:
        reads.append(threading.get_ident())
        return build_schema(1)

    put(documents, "First", read_schema)
    request = Request("GET", path, "", {}, b"", ConnectionInfo("", is_secure=True))

    async def ask_together() -> list[Response | BaseException]:
        asking = [asyncio.ensure_future(answered(documents.respond(request))) for _ in range(3)]
        asyncio.get_running_loop().call_soon(asking[0].cancel)  # who is gone takes nothing from the others
        return await asyncio.gather(*asking, return_exceptions=True)

    gone, *answers = asyncio.run(ask_together())
    assert isinstance(gone, asyncio.CancelledError)
    assert [isinstance(answer, Response) and answer.status for answer in answers] == [200, 200]
    assert len(reads) == 1
    assert threading.get_ident() not in reads
    assert isinstance(documents.respond(request), Response)


def read_index(documents: OpenAPIDocuments) -> dict[str, str]:
    paths = json.loads(read(ask(documents, "/openapi/v3")))["paths"]
    return {name: entry["serverRelativeURL"] for name, entry in paths.items()}


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


@pytest.mark.parametrize(
    "accept, status",
    [("", 200), ("*/*", 200), ("application/*", 200), ("text/html", 406), ("application/yaml", 406)],
)
@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/apis/example.com/v1"])
def test_documents_are_json(path: str, accept: str, status: int) -> None:
    assert ask(publish(Flat=1), path, accept).status == status


def test_two_that_publish_the_same_build_it_once_and_each_tells_its_own_addresses() -> None:
    first, second = publish(One=1), OpenAPIDocuments("", "/clusters/a")
    second.put_same("crd/One", first)
    (path,) = json.loads(read(ask(first, "/openapi/v3")))["paths"]
    told = json.loads(read(ask(second, "/openapi/v3")))["paths"][path]["serverRelativeURL"]
    assert told == "/clusters/a" + json.loads(read(ask(first, "/openapi/v3")))["paths"][path]["serverRelativeURL"]
    assert read(ask(first, f"/openapi/v3/{path}")) == read(ask(second, f"/openapi/v3/{path}"))
    assert first._contributions[path]["crd/One"] is second._contributions[path]["crd/One"]
    second.put("crd/One", ())
    assert json.loads(read(ask(second, "/openapi/v3")))["paths"] == {}
    assert ask(first, f"/openapi/v3/{path}").status == 200
